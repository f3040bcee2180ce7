// The entries of an index file, each held against the log as that goes by.
#ifndef MYKAFKA_CORE_INDEX_SLOTS_H_
#define MYKAFKA_CORE_INDEX_SLOTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mykafka {

enum class SlotVerdict : uint8_t {
  kRight,
  kWrong,
  kNotChecked,  // what it speaks of is damaged, or was not looked at
};

// How many entries a file of an index has: what is preallocated ends in zeroes, which are none. Slot 0 counts.
size_t UsedSlots(const uint8_t* bytes, size_t length, size_t entry_length);

class IndexSlots {
 public:
  // What the entry of each slot is looked up by: right ones ascend.
  explicit IndexSlots(std::vector<int64_t> keys);

  // Judges those with a key below this one that are not judged yet: of each, judge(slot) is its verdict.
  template <typename Judge>
  void JudgeBelow(int64_t key, Judge judge) {
    for (; next_ < by_key_.size() && keys_[by_key_[next_]] < key; ++next_) {
      verdicts_[by_key_[next_]] = judge(by_key_[next_]);
    }
  }

  // The verdicts, slot by slot. Those that were not judged are kNotChecked; a right one that does not ascend is wrong,
  // since no search finds it.
  std::vector<SlotVerdict> Verdicts() const;

 private:
  std::vector<int64_t> keys_;
  std::vector<uint32_t> by_key_;
  std::vector<SlotVerdict> verdicts_;
  size_t next_ = 0;
};

}  // namespace mykafka

#endif  // MYKAFKA_CORE_INDEX_SLOTS_H_
