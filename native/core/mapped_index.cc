#include "core/mapped_index.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <vector>

namespace mykafka {

namespace {

constexpr size_t kFirstStep = 4096;
constexpr size_t kLargestStep = 1u << 20;
constexpr size_t kReadEntries = 8192;

// Of `length` bytes, how many there are up to the last that is not zero.
size_t UsedBytes(const uint8_t* bytes, size_t length) {
  if (bytes[0] == 0 && memcmp(bytes, bytes + 1, length - 1) == 0) return 0;
  while (bytes[length - 1] == 0) --length;
  return length;
}

}  // namespace

Result<std::shared_ptr<File>> MappedIndex::CreateFile(FileSystem& file_system, const std::string& path) {
  Result<std::shared_ptr<File>> file = file_system.Open(path, OpenMode::kCreateNew);
  if (file.ok() || file.status().sys_errno() != EEXIST) return file;
  Status removed = file_system.Unlink(path);
  if (!removed.ok() && !IsMissing(removed)) return removed;
  return file_system.Open(path, OpenMode::kCreateNew);
}

bool MappedIndex::IsMissing(const Status& status) {
  return status.sys_errno() == ENOENT;
}

MappedIndex::~MappedIndex() {
  if (bytes_ != nullptr) ::munmap(bytes_, capacity_ * entry_length_);
}

Status MappedIndex::Map() {
  struct stat info = {};
  if (::fstat(file_->fd(), &info) != 0) return Status::FromErrno("fstat of an index", errno);
  device_ = info.st_dev;
  inode_ = info.st_ino;
  if (capacity_ == 0) return Status::Ok();
  void* at = ::mmap(nullptr, capacity_ * entry_length_, PROT_READ | PROT_WRITE, MAP_SHARED, file_->fd(), 0);
  if (at == MAP_FAILED) {
    const int failed = errno;
    Status status = Status::FromErrno("mmap of an index", failed);
    // Without a mapping left it is as without a descriptor: others have to let go of theirs.
    return failed == ENOMEM ? Status(Code::kIo, status.message(), ENFILE) : status;
  }
  bytes_ = static_cast<uint8_t*>(at);
  return Status::Ok();
}

bool MappedIndex::WasTakenAway(const Status& status) {
  return status.sys_errno() == ENOENT || status.sys_errno() == ESTALE;
}

Result<std::shared_ptr<File>> MappedIndex::Opened() const {
  if (file_ != nullptr) return file_;
  Result<std::shared_ptr<File>> file = file_system_.Open(path_, OpenMode::kReadWrite);
  if (!file.ok()) return file;
  struct stat info = {};
  if (::fstat((*file)->fd(), &info) != 0) return Status::FromErrno("fstat " + path_, errno);
  // While it is mapped, no other file gets its number.
  if (info.st_dev != device_ || info.st_ino != inode_) return Status::FromErrno(path_ + " is another file", ESTALE);
  return file;
}

// By read, not through the mapping: where the disk cannot deliver a page, a read says so and a mapping
// kills the process.
Status MappedIndex::ReadThrough(size_t slots) {
  std::vector<uint8_t> part(std::min(kReadEntries, slots) * entry_length_);
  size_t count = slots > 0 ? 1 : 0;
  for (size_t at = 0; at < slots; at += kReadEntries) {
    const size_t length = std::min(kReadEntries, slots - at) * entry_length_;
    MYKAFKA_RETURN_IF_ERROR(
        ReadFully(*file_, part.data(), length, static_cast<int64_t>(at * entry_length_), Wait::kAllowed));
    const size_t used = UsedBytes(part.data(), length);
    if (used > 0) count = at + (used + entry_length_ - 1) / entry_length_;
  }
  Publish(count);
  reserved_ = count * entry_length_;
  return Status::Ok();
}

Status MappedIndex::Reserve(size_t entries) {
  const size_t need = count() + entries;
  if (need * entry_length_ <= reserved_) return Status::Ok();
  if (need > capacity_) return {Code::kSegmentFull, "the index has no room"};
  const size_t from = reserved_;
  const size_t step = std::clamp(from, kFirstStep, kLargestStep);
  // Whole pages, but never more than the capacity.
  size_t to = std::max(from + step, need * entry_length_);
  to = std::min((to + kFirstStep - 1) / kFirstStep * kFirstStep, capacity_ * entry_length_);
  Result<std::shared_ptr<File>> file = Opened();
  if (!file.ok()) return file.status();
  MYKAFKA_RETURN_IF_ERROR((*file)->Allocate(static_cast<int64_t>(from), static_cast<int64_t>(to - from)));
  reserved_ = to;
  return Status::Ok();
}

Status MappedIndex::Trim() {
  const size_t length = count() * entry_length_;
  Result<std::shared_ptr<File>> file = Opened();
  if (!file.ok()) return file.status();
  MYKAFKA_RETURN_IF_ERROR((*file)->Truncate(static_cast<int64_t>(length)));
  reserved_ = length;
  return Status::Ok();
}

Status MappedIndex::Sync() {
  Result<std::shared_ptr<File>> file = Opened();
  if (file.ok()) return (*file)->Sync();
  return WasTakenAway(file.status()) ? Status::Ok() : file.status();
}

}  // namespace mykafka
