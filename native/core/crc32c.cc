#include "core/crc32c.h"

#include "core/crc_table.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define MYKAFKA_CRC32C_SSE42 1
#elif defined(__aarch64__)
#include "core/crc_arm.h"
#endif

namespace mykafka {

namespace {

constexpr uint32_t kPolynomial = 0x82F63B78u;
constexpr CrcTable kTable = MakeCrcTable(kPolynomial);

using CrcFunction = uint32_t (*)(uint32_t, const uint8_t*, size_t);

uint32_t UpdatePortable(uint32_t crc, const uint8_t* data, size_t length) {
  return CrcByTable(kTable, crc, data, length);
}

#ifdef MYKAFKA_CRC32C_SSE42

#define MYKAFKA_TARGET_SSE42 __attribute__((target("sse4.2")))

// The instruction takes three cycles but one can start every cycle: three streams side by side, joined
// by moving a register over as many zero bytes as the next stream is long.
constexpr size_t kLongStream = 4096;
constexpr size_t kShortStream = 192;

struct ZeroesTable {
  uint32_t by[4][256];
};

constexpr ZeroesTable MakeZeroesTable(size_t zeroes) {
  ZeroesTable table{};
  // Moving is linear: move each single bit, then combine.
  uint32_t moved[32] = {};
  for (int bit = 0; bit < 32; ++bit) {
    uint32_t crc = 1u << bit;
    for (size_t i = 0; i < zeroes; ++i) crc = (crc >> 8) ^ kTable.by[0][crc & 0xff];
    moved[bit] = crc;
  }
  for (int byte = 0; byte < 4; ++byte) {
    for (uint32_t value = 0; value < 256; ++value) {
      uint32_t crc = 0;
      for (int bit = 0; bit < 8; ++bit) crc ^= ((value >> bit) & 1) != 0 ? moved[8 * byte + bit] : 0;
      table.by[byte][value] = crc;
    }
  }
  return table;
}

constexpr ZeroesTable kLongZeroes = MakeZeroesTable(kLongStream);
constexpr ZeroesTable kShortZeroes = MakeZeroesTable(kShortStream);

inline uint32_t Move(const ZeroesTable& zeroes, uint32_t crc) {
  return zeroes.by[0][crc & 0xff] ^ zeroes.by[1][(crc >> 8) & 0xff] ^ zeroes.by[2][(crc >> 16) & 0xff] ^
         zeroes.by[3][crc >> 24];
}

inline uint64_t LoadWord(const uint8_t* from) {
  uint64_t word;
  memcpy(&word, from, sizeof word);
  return word;
}

template <size_t Stream>
MYKAFKA_TARGET_SSE42 inline uint32_t ThreeStreams(uint32_t crc, const uint8_t* data, const ZeroesTable& zeroes) {
  uint64_t first = crc;
  uint64_t second = 0;
  uint64_t third = 0;
  for (size_t i = 0; i < Stream; i += 8) {
    first = _mm_crc32_u64(first, LoadWord(data + i));
    second = _mm_crc32_u64(second, LoadWord(data + Stream + i));
    third = _mm_crc32_u64(third, LoadWord(data + 2 * Stream + i));
  }
  crc = Move(zeroes, static_cast<uint32_t>(first)) ^ static_cast<uint32_t>(second);
  return Move(zeroes, crc) ^ static_cast<uint32_t>(third);
}

MYKAFKA_TARGET_SSE42 uint32_t UpdateSse42(uint32_t crc, const uint8_t* data, size_t length) {
  for (; length >= 3 * kLongStream; data += 3 * kLongStream, length -= 3 * kLongStream) {
    crc = ThreeStreams<kLongStream>(crc, data, kLongZeroes);
  }
  for (; length >= 3 * kShortStream; data += 3 * kShortStream, length -= 3 * kShortStream) {
    crc = ThreeStreams<kShortStream>(crc, data, kShortZeroes);
  }
  uint64_t rest = crc;
  for (; length >= 8; data += 8, length -= 8) rest = _mm_crc32_u64(rest, LoadWord(data));
  crc = static_cast<uint32_t>(rest);
  for (; length > 0; ++data, --length) crc = _mm_crc32_u8(crc, *data);
  return crc;
}

#endif  // MYKAFKA_CRC32C_SSE42

struct Choice {
  CrcFunction update;
  const char* name;
};

Choice Choose() {
#if defined(MYKAFKA_CRC32C_SSE42)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("sse4.2")) return {UpdateSse42, "sse4.2"};
#elif defined(MYKAFKA_CRC_ARM)
  if (ArmHasCrc()) return {ArmCrc32c, "armv8"};
#endif
  return {UpdatePortable, "portable"};
}

const Choice kChoice = Choose();

}  // namespace

uint32_t Crc32c(uint32_t crc, const void* data, size_t length) {
  return ~kChoice.update(~crc, static_cast<const uint8_t*>(data), length);
}

uint32_t Crc32cPortable(uint32_t crc, const void* data, size_t length) {
  return ~UpdatePortable(~crc, static_cast<const uint8_t*>(data), length);
}

const char* Crc32cImplementation() {
  return kChoice.name;
}

}  // namespace mykafka
