// A generator of which a seed says all that follows, on every machine.
#ifndef MYKAFKA_SIM_RANDOM_H_
#define MYKAFKA_SIM_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mykafka::sim {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}

  // splitmix64
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In [0, bound).
  uint32_t Below(uint64_t bound) { return static_cast<uint32_t>((Next() >> 32) * bound >> 32); }
  uint32_t Between(uint32_t least, uint32_t most) { return least + Below(most - least + 1); }
  bool OneIn(uint32_t n) { return Below(n) == 0; }
  bool Percent(uint32_t of_hundred) { return Below(100) < of_hundred; }
  void Fill(void* to, size_t length) {
    for (size_t at = 0; at < length; at += 8) {
      const uint64_t bytes = Next();
      memcpy(static_cast<uint8_t*>(to) + at, &bytes, length - at < 8 ? length - at : 8);
    }
  }

 private:
  uint64_t state_;
};

}  // namespace mykafka::sim

#endif  // MYKAFKA_SIM_RANDOM_H_
