// CRC-32 as zlib computes it (polynomial 0xEDB88320 reflected), the checksum of mykafka records.
#ifndef MYKAFKA_CORE_CRC32_H_
#define MYKAFKA_CORE_CRC32_H_

#include <cstddef>
#include <cstdint>

namespace mykafka {

// Continues a checksum: Crc32(Crc32(0, a), b) == Crc32(0, ab).
uint32_t Crc32(uint32_t crc, const void* data, size_t length);

// The portable path (slice-by-8), also what the tests hold the hardware path against.
uint32_t Crc32Portable(uint32_t crc, const void* data, size_t length);

// "pclmul", "armv8" or "portable".
const char* Crc32Implementation();

}  // namespace mykafka

#endif  // MYKAFKA_CORE_CRC32_H_
