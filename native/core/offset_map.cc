#include "core/offset_map.h"

#include <sys/mman.h>

#include <algorithm>

namespace mykafka {

namespace {

constexpr size_t kFirstSlots = (64u << 10) / OffsetMap::kSlotLength;
constexpr size_t kReleaseStep = 1u << 20;

// Pages of zeroes, which take memory only once they are written to. Null where there is none.
void* MapPages(size_t bytes) {
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return nullptr;
#ifdef MADV_HUGEPAGE
  // Keys are anywhere in it: with small pages, each look would miss the translation of its address too.
  (void)::madvise(at, bytes, MADV_HUGEPAGE);
#endif
  return at;
}

size_t Part(size_t slots, double factor) {
  // One slot stays empty, where every search ends.
  return std::clamp<size_t>(static_cast<size_t>(static_cast<double>(slots) * factor), 1, slots - 1);
}

}  // namespace

OffsetMap::OffsetMap(size_t bytes, double load_factor, const SipKey& key)
    : key_(key), most_slots_(std::max(bytes, kLeastBytes) / kSlotLength), limit_(Part(most_slots_, load_factor)) {}

OffsetMap::~OffsetMap() {
  Clear();
}

void OffsetMap::Clear() {
  if (table_ != nullptr) ::munmap(table_, bytes());
  table_ = nullptr;
  slots_ = 0;
  size_ = 0;
  grow_at_ = 0;
}

OffsetMap::Slot* OffsetMap::Locate(const Hash128& hash) const {
  size_t at = SlotOf(hash);
  while (table_[at].offset_behind != 0 && !(table_[at].hash == hash)) {
    if (++at == slots_) at = 0;
  }
  return table_ + at;
}

bool OffsetMap::Put(const Hash128& hash, int64_t offset) {
  const uint64_t offset_behind = static_cast<uint64_t>(offset) + 1;
  Slot* slot = nullptr;
  if (slots_ > 0) {
    slot = Locate(hash);
    if (slot->offset_behind != 0) {
      slot->offset_behind = std::max(slot->offset_behind, offset_behind);
      return true;
    }
  }
  if (size_ >= limit_) return false;
  if (slot == nullptr || size_ >= grow_at_) {
    if (!Grow()) return false;
    slot = Locate(hash);
  }
  *slot = {hash, offset_behind};
  ++size_;
  return true;
}

int64_t OffsetMap::Find(const Hash128& hash) const {
  if (slots_ == 0) return -1;
  return static_cast<int64_t>(Locate(hash)->offset_behind - 1);  // -1 of an empty slot
}

// Where there is no memory for it, the map goes on with what it has, as far as that reaches.
bool OffsetMap::Grow() {
  const size_t slots = slots_ == 0 ? std::min(kFirstSlots, most_slots_) : std::min(slots_ * 4, most_slots_);
  auto* table = slots > slots_ ? static_cast<Slot*>(MapPages(slots * kSlotLength)) : nullptr;
  if (table == nullptr) {
    grow_at_ = slots_ == 0 ? 0 : slots_ - 1;
    return size_ < grow_at_;
  }
  Slot* old = table_;
  const size_t old_slots = slots_;
  table_ = table;
  slots_ = slots;
  // Slots follow each other as their hashes do in both tables: the pass writes the new one from its beginning to its
  // end.
  auto* released = reinterpret_cast<uint8_t*>(old);
  for (size_t i = 0; i < old_slots; ++i) {
    if (old[i].offset_behind != 0) *Locate(old[i].hash) = old[i];
    auto* at = reinterpret_cast<uint8_t*>(old + i);
    if (at - released >= static_cast<ptrdiff_t>(2 * kReleaseStep)) {
      ::munmap(released, kReleaseStep);
      released += kReleaseStep;
    }
  }
  if (old != nullptr) {
    ::munmap(released, old_slots * kSlotLength - static_cast<size_t>(released - reinterpret_cast<uint8_t*>(old)));
  }
  // A table that can still grow does so while searches in it are short.
  grow_at_ = slots_ == most_slots_ ? limit_ : slots_ / 2;
  return size_ < grow_at_;
}

}  // namespace mykafka
