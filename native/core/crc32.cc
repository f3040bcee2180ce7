#include "core/crc32.h"

#include "core/crc_table.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define MYKAFKA_CRC32_PCLMUL 1
#elif defined(__aarch64__)
#include "core/crc_arm.h"
#endif

namespace mykafka {

namespace {

constexpr CrcTable kTable = MakeCrcTable(0xEDB88320u);

using CrcFunction = uint32_t (*)(uint32_t, const uint8_t*, size_t);

uint32_t UpdatePortable(uint32_t crc, const uint8_t* data, size_t length) {
  return CrcByTable(kTable, crc, data, length);
}

#ifdef MYKAFKA_CRC32_PCLMUL

#define MYKAFKA_TARGET_PCLMUL __attribute__((target("sse4.1,pclmul")))

// x^n mod P, reflected, one bit up as the multiplication of reflected values wants it.
constexpr uint64_t XPower(int n) {
  uint32_t power = 0x80000000u;
  for (; n > 0; --n) power = (power >> 1) ^ ((power & 1) != 0 ? 0xEDB88320u : 0);
  return static_cast<uint64_t>(power) << 1;
}

// What the two halves of a block weigh when `blocks` more blocks of 16 bytes follow it.
struct alignas(16) Weight {
  uint64_t low;
  uint64_t high;
};
constexpr Weight WeightBefore(int blocks) {
  return {XPower(128 * blocks + 32), XPower(128 * blocks - 32)};
}
static_assert(WeightBefore(1).low == 0x1751997d0 && WeightBefore(1).high == 0x0ccaa009e);
static_assert(WeightBefore(4).low == 0x154442bd4 && WeightBefore(4).high == 0x1c6e41596);

constexpr size_t kMostSummed = 8;
constexpr Weight kWeights[kMostSummed + 1] = {{0, 0},          WeightBefore(1), WeightBefore(2),
                                              WeightBefore(3), WeightBefore(4), WeightBefore(5),
                                              WeightBefore(6), WeightBefore(7), WeightBefore(8)};

// Moves the bytes of a block up by n (the lowest become zero) at kShift + 16 - n, down by n at kShift + 16 + n.
alignas(16) constexpr uint8_t kShift[48] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                            0x80, 0x80, 0x80, 0x80, 0,    1,    2,    3,    4,    5,    6,    7,
                                            8,    9,    10,   11,   12,   13,   14,   15,   0x80, 0x80, 0x80, 0x80,
                                            0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};

MYKAFKA_TARGET_PCLMUL inline __m128i Load(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

MYKAFKA_TARGET_PCLMUL inline __m128i Fold(__m128i block, __m128i weight) {
  return _mm_xor_si128(_mm_clmulepi64_si128(block, weight, 0x00), _mm_clmulepi64_si128(block, weight, 0x11));
}

MYKAFKA_TARGET_PCLMUL inline __m128i FoldOver(__m128i block, size_t blocks) {
  return Fold(block, Load(&kWeights[blocks]));
}

// 128 bits to 96, to 64, then Barrett's reduction to 32.
MYKAFKA_TARGET_PCLMUL inline uint32_t Reduce(__m128i x) {
  const __m128i low_words = _mm_setr_epi32(-1, 0, -1, 0);
  const __m128i over_half = _mm_set_epi64x(0, static_cast<int64_t>(XPower(64)));
  const __m128i polynomial_and_inverse = _mm_set_epi64x(0x1f7011641, 0x1db710641);
  x = _mm_xor_si128(_mm_srli_si128(x, 8), _mm_clmulepi64_si128(x, Load(&kWeights[1]), 0x10));
  x = _mm_xor_si128(_mm_srli_si128(x, 4), _mm_clmulepi64_si128(_mm_and_si128(x, low_words), over_half, 0x00));
  __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(x, low_words), polynomial_and_inverse, 0x10);
  quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, low_words), polynomial_and_inverse, 0x00);
  return static_cast<uint32_t>(_mm_extract_epi32(_mm_xor_si128(x, quotient), 1));
}

MYKAFKA_TARGET_PCLMUL uint32_t UpdatePclmul(uint32_t crc, const uint8_t* data, size_t length) {
  if (length < 16) return UpdatePortable(crc, data, length);
  // The odd bytes come first, as a block with zeroes before them: zeroes there change nothing. What
  // follows are whole blocks, each of which is weighed by itself; no multiplication waits for another.
  const size_t odd = length % 16;
  size_t blocks = length / 16;
  const __m128i seed = _mm_cvtsi32_si128(static_cast<int>(crc));
  const __m128i head = _mm_shuffle_epi8(_mm_xor_si128(Load(data), seed), Load(kShift + odd));
  data += odd;
  const __m128i first = _mm_xor_si128(Load(data), _mm_shuffle_epi8(seed, Load(kShift + 16 + odd)));
  if (blocks < kMostSummed) {
    __m128i sum = FoldOver(head, blocks);
    __m128i block = first;
    for (size_t behind = blocks - 1; behind > 0; --behind) {
      sum = _mm_xor_si128(sum, FoldOver(block, behind));
      data += 16;
      block = Load(data);
    }
    return Reduce(_mm_xor_si128(sum, block));
  }
  const __m128i by64 = Load(&kWeights[4]);
  __m128i x0 = _mm_xor_si128(first, FoldOver(head, 1));
  __m128i x1 = Load(data + 16);
  __m128i x2 = Load(data + 32);
  __m128i x3 = Load(data + 48);
  for (data += 64, blocks -= 4; blocks >= 4; data += 64, blocks -= 4) {
    x0 = _mm_xor_si128(Fold(x0, by64), Load(data));
    x1 = _mm_xor_si128(Fold(x1, by64), Load(data + 16));
    x2 = _mm_xor_si128(Fold(x2, by64), Load(data + 32));
    x3 = _mm_xor_si128(Fold(x3, by64), Load(data + 48));
  }
  __m128i sum =
      _mm_xor_si128(_mm_xor_si128(FoldOver(x0, blocks + 3), FoldOver(x1, blocks + 2)), FoldOver(x2, blocks + 1));
  __m128i last = x3;
  for (; blocks > 0; data += 16, --blocks) {
    sum = _mm_xor_si128(sum, FoldOver(last, blocks));
    last = Load(data);
  }
  return Reduce(_mm_xor_si128(sum, last));
}

#endif  // MYKAFKA_CRC32_PCLMUL

struct Choice {
  CrcFunction update;
  const char* name;
};

Choice Choose() {
#if defined(MYKAFKA_CRC32_PCLMUL)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1")) return {UpdatePclmul, "pclmul"};
#elif defined(MYKAFKA_CRC_ARM)
  if (ArmHasCrc()) return {ArmCrc32, "armv8"};
#endif
  return {UpdatePortable, "portable"};
}

const Choice kChoice = Choose();

}  // namespace

uint32_t Crc32(uint32_t crc, const void* data, size_t length) {
  return ~kChoice.update(~crc, static_cast<const uint8_t*>(data), length);
}

uint32_t Crc32Portable(uint32_t crc, const void* data, size_t length) {
  return ~UpdatePortable(~crc, static_cast<const uint8_t*>(data), length);
}

const char* Crc32Implementation() {
  return kChoice.name;
}

}  // namespace mykafka
