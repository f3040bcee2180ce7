#include "core/index_slots.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mykafka {

size_t UsedSlots(const uint8_t* bytes, size_t length, size_t entry_length) {
  size_t used = length / entry_length * entry_length;
  while (used > entry_length && bytes[used - 1] == 0) --used;
  return (used + entry_length - 1) / entry_length;
}

IndexSlots::IndexSlots(std::vector<int64_t> keys)
    : keys_(std::move(keys)), by_key_(keys_.size()), verdicts_(keys_.size(), SlotVerdict::kNotChecked) {
  std::iota(by_key_.begin(), by_key_.end(), 0);
  std::stable_sort(by_key_.begin(), by_key_.end(), [this](uint32_t a, uint32_t b) { return keys_[a] < keys_[b]; });
}

std::vector<SlotVerdict> IndexSlots::Verdicts() const {
  std::vector<SlotVerdict> verdicts = verdicts_;
  int64_t last = INT64_MIN;
  for (size_t slot = 0; slot < verdicts.size(); ++slot) {
    if (verdicts[slot] != SlotVerdict::kRight) continue;
    if (keys_[slot] <= last) verdicts[slot] = SlotVerdict::kWrong;
    if (verdicts[slot] == SlotVerdict::kRight) last = keys_[slot];
  }
  return verdicts;
}

}  // namespace mykafka
