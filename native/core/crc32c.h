// CRC-32C (Castagnoli, polynomial 0x82F63B78 reflected), the checksum of Kafka record batches.
#ifndef MYKAFKA_CORE_CRC32C_H_
#define MYKAFKA_CORE_CRC32C_H_

#include <cstddef>
#include <cstdint>

namespace mykafka {

// Continues a checksum: Crc32c(Crc32c(0, a), b) == Crc32c(0, ab).
uint32_t Crc32c(uint32_t crc, const void* data, size_t length);

// The portable path (slice-by-8), also what the tests hold the hardware path against.
uint32_t Crc32cPortable(uint32_t crc, const void* data, size_t length);

// "sse4.2", "armv8" or "portable".
const char* Crc32cImplementation();

}  // namespace mykafka

#endif  // MYKAFKA_CORE_CRC32C_H_
