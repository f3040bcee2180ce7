// The CRC instructions of ARMv8, on the register itself. Optional in ARMv8.0: asked for at run time.
#ifndef MYKAFKA_CORE_CRC_ARM_H_
#define MYKAFKA_CORE_CRC_ARM_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__aarch64__) && (defined(__linux__) || defined(__APPLE__))
#define MYKAFKA_CRC_ARM 1

#ifdef __linux__
#include <sys/auxv.h>
#endif

namespace mykafka {

inline bool ArmHasCrc() {
#ifdef __linux__
  constexpr unsigned long kHwcapCrc32 = 1ul << 7;
  return (getauxval(AT_HWCAP) & kHwcapCrc32) != 0;
#else
  return true;  // every 64-bit Mac
#endif
}

// In assembly, so that the compiler needs no flag and no header for an instruction that is optional.
#define MYKAFKA_ARM_CRC_STEP(name, instruction, type, width)                                         \
  inline uint32_t name(uint32_t crc, type word) {                                                    \
    __asm__(".arch_extension crc\n\t" instruction " %w0, %w0, %" width "1" : "+r"(crc) : "r"(word)); \
    return crc;                                                                                      \
  }

MYKAFKA_ARM_CRC_STEP(ArmCrc32Step8, "crc32x", uint64_t, "x")
MYKAFKA_ARM_CRC_STEP(ArmCrc32Step1, "crc32b", uint32_t, "w")
MYKAFKA_ARM_CRC_STEP(ArmCrc32cStep8, "crc32cx", uint64_t, "x")
MYKAFKA_ARM_CRC_STEP(ArmCrc32cStep1, "crc32cb", uint32_t, "w")

#undef MYKAFKA_ARM_CRC_STEP

template <uint32_t (*Step8)(uint32_t, uint64_t), uint32_t (*Step1)(uint32_t, uint32_t)>
uint32_t ArmCrc(uint32_t crc, const uint8_t* data, size_t length) {
  for (; length >= 8; data += 8, length -= 8) {
    uint64_t word;
    memcpy(&word, data, sizeof word);
    crc = Step8(crc, word);
  }
  for (; length > 0; ++data, --length) crc = Step1(crc, *data);
  return crc;
}

inline uint32_t ArmCrc32(uint32_t crc, const uint8_t* data, size_t length) {
  return ArmCrc<ArmCrc32Step8, ArmCrc32Step1>(crc, data, length);
}

inline uint32_t ArmCrc32c(uint32_t crc, const uint8_t* data, size_t length) {
  return ArmCrc<ArmCrc32cStep8, ArmCrc32cStep1>(crc, data, length);
}

}  // namespace mykafka

#endif
#endif  // MYKAFKA_CORE_CRC_ARM_H_
