// The bytes of one run, taken from the front. Behind their end there are zeroes: every input is a whole one.
#ifndef MYKAFKA_FUZZ_INPUT_H_
#define MYKAFKA_FUZZ_INPUT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mykafka::fuzz {

using Bytes = std::vector<uint8_t>;

class Input {
 public:
  Input(const uint8_t* data, size_t length) : at_(data), end_(data + length) {}

  size_t left() const { return static_cast<size_t>(end_ - at_); }
  bool empty() const { return at_ == end_; }

  uint8_t Byte() { return at_ == end_ ? 0 : *at_++; }
  uint32_t Short() {
    const uint32_t high = Byte();
    return high << 8 | Byte();
  }

  // Small ones in a byte, larger ones behind their width, and those where integers end by a name.
  int64_t Number() {
    const uint8_t first = Byte();
    if (first < 0xe0) return first;
    switch (first & 15) {
      case 0:
        return static_cast<int16_t>(Short());
      case 1:
        return static_cast<int32_t>(Big(4));
      case 2:
        return static_cast<int64_t>(Big(8));
      case 3:
        return INT32_MAX;
      case 4:
        return INT32_MIN;
      case 5:
        return INT64_MAX;
      case 6:
        return INT64_MIN;
      case 7:
        return -1;
      case 8:
        return -2;
      case 9:
        return UINT32_MAX;
      case 10:
        return 1 << 30;
      case 11:
        return (1 << 30) + 1;
      case 12:
        return 1 << 24;
      case 13:
        return (1 << 24) + 1;
      case 14:
        return (int64_t{1} << 53) - 1;
      default:
        return int64_t{1} << 53;
    }
  }
  int64_t NumberIn(int64_t low, int64_t high) { return std::clamp(Number(), low, high); }

  Bytes Take(size_t length) {
    const uint8_t* from = at_;
    at_ += std::min(length, left());
    return {from, at_};
  }
  Bytes Rest() { return Take(left()); }
  // So many bytes of it as it says next, as an input of its own.
  Input Part() {
    const size_t length = std::min<size_t>(Short(), left());
    Input part(at_, length);
    at_ += length;
    return part;
  }

 private:
  uint64_t Big(int width) {
    uint64_t value = 0;
    for (; width > 0; --width) value = value << 8 | Byte();
    return value;
  }

  const uint8_t* at_;
  const uint8_t* end_;
};

}  // namespace mykafka::fuzz

#endif  // MYKAFKA_FUZZ_INPUT_H_
