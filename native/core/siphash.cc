#include "core/siphash.h"

#include <cstring>
#include <random>

namespace mykafka {

namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are read as they lie in memory");

inline uint64_t Rotate(uint64_t value, int bits) {
  return (value << bits) | (value >> (64 - bits));
}

struct SipState {
  uint64_t v0;
  uint64_t v1;
  uint64_t v2;
  uint64_t v3;

  void Round() {
    v0 += v1;
    v1 = Rotate(v1, 13) ^ v0;
    v0 = Rotate(v0, 32);
    v2 += v3;
    v3 = Rotate(v3, 16) ^ v2;
    v0 += v3;
    v3 = Rotate(v3, 21) ^ v0;
    v2 += v1;
    v1 = Rotate(v1, 17) ^ v2;
    v2 = Rotate(v2, 32);
  }
  void Take(uint64_t word) {
    v3 ^= word;
    Round();
    Round();
    v0 ^= word;
  }
  uint64_t Answer() {
    for (int i = 0; i < 4; ++i) Round();
    return v0 ^ v1 ^ v2 ^ v3;
  }
};

}  // namespace

SipKey SipKey::Random() {
  std::random_device device;
  const auto word = [&device] { return (static_cast<uint64_t>(device()) << 32) | device(); };
  SipKey key;
  key.low = word();
  key.high = word();
  return key;
}

Hash128 SipHash128(const SipKey& key, const void* data, size_t length) {
  SipState state = {key.low ^ 0x736f6d6570736575u, key.high ^ 0x646f72616e646f6du ^ 0xee, key.low ^ 0x6c7967656e657261u,
                    key.high ^ 0x7465646279746573u};
  const auto* at = static_cast<const uint8_t*>(data);
  uint64_t word;
  size_t left = length;
  for (; left >= sizeof word; left -= sizeof word, at += sizeof word) {
    memcpy(&word, at, sizeof word);
    state.Take(word);
  }
  word = 0;
  if (left > 0) memcpy(&word, at, left);
  state.Take(word | (static_cast<uint64_t>(length) << 56));
  Hash128 hash;
  state.v2 ^= 0xee;
  hash.low = state.Answer();
  state.v1 ^= 0xdd;
  hash.high = state.Answer();
  return hash;
}

}  // namespace mykafka
