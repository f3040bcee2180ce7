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

// What 16 bytes weigh when `distance` more follow them: x^(8*distance+32) and x^(8*distance-32) mod P,
// reflected. Multiplying an accumulator by these moves it past the next block.
MYKAFKA_TARGET_PCLMUL inline __m128i Fold(__m128i accumulator, __m128i weights) {
  return _mm_xor_si128(_mm_clmulepi64_si128(accumulator, weights, 0x00),
                       _mm_clmulepi64_si128(accumulator, weights, 0x11));
}

MYKAFKA_TARGET_PCLMUL inline __m128i Load(const uint8_t* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}

// The 16 accumulated bytes, then `count` (1..15) more, as 16: the bytes shifted out are folded in.
// `end` is behind the last byte; at least 16 bytes lie before it.
MYKAFKA_TARGET_PCLMUL inline __m128i FoldTail(__m128i accumulator, const uint8_t* end, size_t count, __m128i weights) {
  alignas(16) static constexpr uint8_t kShift[48] = {
      0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
      0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,   15,
      0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
  const __m128i up = Load(kShift + count);
  const __m128i first = _mm_shuffle_epi8(accumulator, up);
  const __m128i rest = _mm_shuffle_epi8(accumulator, Load(kShift + 16 + count));
  // The bytes of the last 16 that are new are those where `up` does not clear.
  const __m128i last = _mm_blendv_epi8(Load(end - 16), rest, up);
  return _mm_xor_si128(Fold(first, weights), last);
}

MYKAFKA_TARGET_PCLMUL uint32_t UpdatePclmul(uint32_t crc, const uint8_t* data, size_t length) {
  if (length < 16) return UpdatePortable(crc, data, length);
  const __m128i by16 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
  const uint8_t* const end = data + length;
  __m128i x = _mm_xor_si128(Load(data), _mm_cvtsi32_si128(static_cast<int>(crc)));
  if (length >= 64) {
    const __m128i by64 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
    __m128i x1 = Load(data + 16);
    __m128i x2 = Load(data + 32);
    __m128i x3 = Load(data + 48);
    for (data += 64; end - data >= 64; data += 64) {
      x = _mm_xor_si128(Fold(x, by64), Load(data));
      x1 = _mm_xor_si128(Fold(x1, by64), Load(data + 16));
      x2 = _mm_xor_si128(Fold(x2, by64), Load(data + 32));
      x3 = _mm_xor_si128(Fold(x3, by64), Load(data + 48));
    }
    x = _mm_xor_si128(Fold(x, by16), x1);
    x = _mm_xor_si128(Fold(x, by16), x2);
    x = _mm_xor_si128(Fold(x, by16), x3);
  } else {
    data += 16;
  }
  for (; end - data >= 16; data += 16) x = _mm_xor_si128(Fold(x, by16), Load(data));
  if (data != end) x = FoldTail(x, end, static_cast<size_t>(end - data), by16);

  // 128 bits to 96, to 64, then Barrett's reduction to 32.
  const __m128i low_words = _mm_setr_epi32(-1, 0, -1, 0);
  x = _mm_xor_si128(_mm_srli_si128(x, 8), _mm_clmulepi64_si128(x, by16, 0x10));
  const __m128i by8 = _mm_set_epi64x(0, 0x163cd6124);
  x = _mm_xor_si128(_mm_srli_si128(x, 4), _mm_clmulepi64_si128(_mm_and_si128(x, low_words), by8, 0x00));
  const __m128i polynomial_and_inverse = _mm_set_epi64x(0x1f7011641, 0x1db710641);
  __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(x, low_words), polynomial_and_inverse, 0x10);
  quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, low_words), polynomial_and_inverse, 0x00);
  return static_cast<uint32_t>(_mm_extract_epi32(_mm_xor_si128(x, quotient), 1));
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
