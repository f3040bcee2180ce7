// SipHash-2-4 with an answer of 128 bits (Aumasson and Bernstein): who does not know the key can find no two inputs
// that collide, and by chance none do, so that the hash can stand for what was hashed.
#ifndef MYKAFKA_CORE_SIPHASH_H_
#define MYKAFKA_CORE_SIPHASH_H_

#include <cstddef>
#include <cstdint>

namespace mykafka {

struct SipKey {
  uint64_t low = 0;
  uint64_t high = 0;

  // From the system's randomness.
  static SipKey Random();
};

struct Hash128 {
  uint64_t low = 0;
  uint64_t high = 0;

  bool operator==(const Hash128& other) const { return low == other.low && high == other.high; }
};

Hash128 SipHash128(const SipKey& key, const void* data, size_t length);

}  // namespace mykafka

#endif  // MYKAFKA_CORE_SIPHASH_H_
