// For each key the highest offset that was put with it, in bounded memory: what the log cleaner knows of a log. A key
// is kept as its keyed 128-bit hash, so that a slot has 24 bytes whatever the key's length: [hash:16][offset + 1:8].
//
// Open addressing. The table starts small and grows up to its bound as keys come; while it does, the old one goes
// piece by piece as the new one fills, so that both together take hardly more memory than the new one.
#ifndef MYKAFKA_CORE_OFFSET_MAP_H_
#define MYKAFKA_CORE_OFFSET_MAP_H_

#include <cstddef>
#include <cstdint>

#include "core/siphash.h"

namespace mykafka {

class OffsetMap {
 public:
  static constexpr size_t kSlotLength = 24;
  static constexpr size_t kLeastBytes = 4 * kSlotLength;

  // At most `bytes` of memory (kLeastBytes at the least), of whose slots the part load_factor (above 0, at most 1) is
  // filled.
  OffsetMap(size_t bytes, double load_factor, const SipKey& key = SipKey::Random());
  ~OffsetMap();
  OffsetMap(const OffsetMap&) = delete;
  OffsetMap& operator=(const OffsetMap&) = delete;

  // Of a key. Put and Find are fast where its slot was prefetched a while before.
  Hash128 HashOf(const void* key, size_t length) const { return SipHash128(key_, key, length); }
  void Prefetch(const Hash128& hash) const {
    if (slots_ > 0) __builtin_prefetch(table_ + SlotOf(hash));
  }

  // The higher of the offset there is and this one. False, with nothing changed, where the key is new and the map full.
  bool Put(const Hash128& hash, int64_t offset);
  // -1 where the key is not there.
  int64_t Find(const Hash128& hash) const;

  // Forgets everything and gives the memory back.
  void Clear();

  size_t size() const { return size_; }
  // How many keys it takes.
  size_t limit() const { return limit_; }
  // Of the table there is now.
  size_t bytes() const { return slots_ * kSlotLength; }

 private:
  struct Slot {
    Hash128 hash;
    uint64_t offset_behind;  // 0: an empty slot
  };
  static_assert(sizeof(Slot) == kSlotLength);

  size_t SlotOf(const Hash128& hash) const {
    return static_cast<size_t>((static_cast<unsigned __int128>(hash.low) * slots_) >> 64);
  }
  // The key's slot, or the empty one where it belongs.
  Slot* Locate(const Hash128& hash) const;
  bool Grow();

  const SipKey key_;
  const size_t most_slots_;
  const size_t limit_;
  Slot* table_ = nullptr;
  size_t slots_ = 0;
  size_t size_ = 0;
  size_t grow_at_ = 0;  // of this size
};

}  // namespace mykafka

#endif  // MYKAFKA_CORE_OFFSET_MAP_H_
