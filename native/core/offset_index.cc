#include "core/offset_index.h"

namespace mykafka {

namespace {

// A slot is one aligned word: readers beside a writer see an entry whole.
uint64_t Pack(const IndexEntry& entry) {
  return __builtin_bswap64((static_cast<uint64_t>(entry.relative_offset) << 32) | entry.position);
}

IndexEntry Unpack(uint64_t word) {
  word = __builtin_bswap64(word);
  return {static_cast<uint32_t>(word >> 32), static_cast<uint32_t>(word)};
}

}  // namespace

IndexEntry OffsetIndex::At(size_t slot) const {
  return Unpack(__atomic_load_n(Word(slot), __ATOMIC_RELAXED));
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

void OffsetIndex::Append(const IndexEntry& entry) {
  const size_t count = this->count();
  __atomic_store_n(Word(count), Pack(entry), __ATOMIC_RELAXED);
  Publish(count + 1);
}

void OffsetIndex::CutTo(size_t count) {
  const size_t before = this->count();
  if (count >= before) return;
  Publish(count);
  for (size_t slot = count; slot < before; ++slot) {
    // A slot that is zero already may lie in a hole, and is left alone.
    if (__atomic_load_n(Word(slot), __ATOMIC_RELAXED) == 0) continue;
    __atomic_store_n(Word(slot), uint64_t{0}, __ATOMIC_RELAXED);
  }
}

}  // namespace mykafka
