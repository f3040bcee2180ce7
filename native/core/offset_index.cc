#include "core/offset_index.h"

#include <errno.h>
#include <sys/mman.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace mykafka {

namespace {

constexpr size_t kFirstStep = 4096;
constexpr size_t kLargestStep = 1u << 20;

// A slot is one aligned word: readers beside a writer see an entry whole.
uint64_t Pack(const IndexEntry& entry) {
  return __builtin_bswap64((static_cast<uint64_t>(entry.relative_offset) << 32) | entry.position);
}

IndexEntry Unpack(uint64_t word) {
  word = __builtin_bswap64(word);
  return {static_cast<uint32_t>(word >> 32), static_cast<uint32_t>(word)};
}

}  // namespace

Result<std::shared_ptr<OffsetIndex>> OffsetIndex::Create(FileSystem& file_system, const std::string& path,
                                                         size_t capacity) {
  Status removed = file_system.Unlink(path);
  if (!removed.ok() && removed.sys_errno() != ENOENT) return removed;
  Result<std::shared_ptr<File>> file = file_system.Open(path, OpenMode::kCreateNew);
  if (!file.ok()) return file.status();
  std::shared_ptr<OffsetIndex> index(new OffsetIndex(*file, capacity));
  MYKAFKA_RETURN_IF_ERROR(index->Map());
  return index;
}

Result<std::shared_ptr<OffsetIndex>> OffsetIndex::Open(FileSystem& file_system, const std::string& path,
                                                       size_t capacity) {
  Result<std::shared_ptr<File>> file = file_system.Open(path, OpenMode::kReadWrite);
  if (!file.ok()) {
    if (file.status().sys_errno() != ENOENT) return file.status();
    return Create(file_system, path, capacity);
  }
  Result<int64_t> size = (*file)->Size();
  if (!size.ok()) return size.status();
  const size_t slots = static_cast<size_t>(*size) / kEntryLength;
  std::shared_ptr<OffsetIndex> index(new OffsetIndex(*file, std::max(capacity, slots)));
  // What cannot be read is as good as missing.
  if (!index->ReadThrough(slots).ok()) return Create(file_system, path, capacity);
  MYKAFKA_RETURN_IF_ERROR(index->Map());
  // Blocks of a file that was made elsewhere may be missing; Reserve makes sure of them from the end
  // of the entries on.
  return index;
}

OffsetIndex::~OffsetIndex() {
  if (slots_ != nullptr) ::munmap(slots_, capacity_ * kEntryLength);
}

Status OffsetIndex::Map() {
  if (capacity_ == 0) return Status::Ok();
  void* at = ::mmap(nullptr, capacity_ * kEntryLength, PROT_READ | PROT_WRITE, MAP_SHARED, file_->fd(), 0);
  if (at == MAP_FAILED) return Status::FromErrno("mmap of an index", errno);
  slots_ = static_cast<uint64_t*>(at);
  return Status::Ok();
}

// By read, not through the mapping: where the disk cannot deliver a page, a read says so and a mapping
// kills the process.
Status OffsetIndex::ReadThrough(size_t slots) {
  std::vector<uint64_t> part(kLargestStep / 16 / kEntryLength);
  size_t count = slots > 0 ? 1 : 0;
  for (size_t at = 0; at < slots; at += part.size()) {
    const size_t here = std::min(part.size(), slots - at);
    MYKAFKA_RETURN_IF_ERROR(
        ReadFully(*file_, part.data(), here * kEntryLength, static_cast<int64_t>(at * kEntryLength), Wait::kAllowed));
    for (size_t i = 0; i < here; ++i) {
      if (part[i] != 0) count = at + i + 1;
    }
  }
  count_.store(count, std::memory_order_release);
  reserved_ = count;
  return Status::Ok();
}

IndexEntry OffsetIndex::At(size_t slot) const {
  return Unpack(__atomic_load_n(slots_ + slot, __ATOMIC_RELAXED));
}

std::optional<IndexEntry> OffsetIndex::Last() const {
  const size_t count = this->count();
  if (count == 0) return std::nullopt;
  return At(count - 1);
}

template <typename Key>
std::optional<IndexEntry> OffsetIndex::Floor(int64_t target, Key key, std::optional<IndexEntry>* next) const {
  const size_t count = this->count();
  size_t low = 0;
  size_t high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (key(At(middle)) <= target) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return std::nullopt;
  if (next != nullptr && low < count) *next = At(low);
  return At(low - 1);
}

std::optional<IndexEntry> OffsetIndex::FloorByOffset(int64_t relative_offset, std::optional<IndexEntry>* next) const {
  return Floor(
      relative_offset, [](const IndexEntry& entry) { return static_cast<int64_t>(entry.relative_offset); }, next);
}

std::optional<IndexEntry> OffsetIndex::FloorByPosition(int64_t position) const {
  return Floor(
      position, [](const IndexEntry& entry) { return static_cast<int64_t>(entry.position); }, nullptr);
}

Status OffsetIndex::Reserve(size_t entries) {
  const size_t need = count() + entries;
  if (need <= reserved_) return Status::Ok();
  if (need > capacity_) return {Code::kSegmentFull, "the index has no room"};
  const size_t from = reserved_ * kEntryLength;
  const size_t step = std::clamp(from, kFirstStep, kLargestStep);
  // Whole pages, but never more than the capacity.
  size_t to = std::max(from + step, need * kEntryLength);
  to = std::min((to + kFirstStep - 1) / kFirstStep * kFirstStep, std::max(capacity_, need) * kEntryLength);
  MYKAFKA_RETURN_IF_ERROR(file_->Allocate(static_cast<int64_t>(from), static_cast<int64_t>(to - from)));
  reserved_ = to / kEntryLength;
  return Status::Ok();
}

void OffsetIndex::Append(const IndexEntry& entry) {
  const size_t count = count_.load(std::memory_order_relaxed);
  __atomic_store_n(slots_ + count, Pack(entry), __ATOMIC_RELAXED);
  count_.store(count + 1, std::memory_order_release);
}

void OffsetIndex::CutTo(size_t count) {
  const size_t before = count_.load(std::memory_order_relaxed);
  if (count >= before) return;
  count_.store(count, std::memory_order_release);
  for (size_t slot = count; slot < before; ++slot) {
    // A slot that is zero already may lie in a hole, and is left alone.
    if (__atomic_load_n(slots_ + slot, __ATOMIC_RELAXED) == 0) continue;
    __atomic_store_n(slots_ + slot, uint64_t{0}, __ATOMIC_RELAXED);
  }
}

Status OffsetIndex::Trim() {
  MYKAFKA_RETURN_IF_ERROR(file_->Truncate(static_cast<int64_t>(count() * kEntryLength)));
  reserved_ = count();
  return Status::Ok();
}

}  // namespace mykafka
