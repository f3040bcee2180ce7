// Big-endian integers at any address.
#ifndef MYKAFKA_CORE_BYTES_H_
#define MYKAFKA_CORE_BYTES_H_

#include <cstdint>
#include <cstring>

namespace mykafka {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a big-endian host needs these without the swaps");

inline uint16_t LoadBig16(const void* from) {
  uint16_t value;
  memcpy(&value, from, sizeof value);
  return __builtin_bswap16(value);
}

inline uint32_t LoadBig32(const void* from) {
  uint32_t value;
  memcpy(&value, from, sizeof value);
  return __builtin_bswap32(value);
}

inline uint64_t LoadBig64(const void* from) {
  uint64_t value;
  memcpy(&value, from, sizeof value);
  return __builtin_bswap64(value);
}

inline void StoreBig16(void* to, uint16_t value) {
  value = __builtin_bswap16(value);
  memcpy(to, &value, sizeof value);
}

inline void StoreBig32(void* to, uint32_t value) {
  value = __builtin_bswap32(value);
  memcpy(to, &value, sizeof value);
}

inline void StoreBig64(void* to, uint64_t value) {
  value = __builtin_bswap64(value);
  memcpy(to, &value, sizeof value);
}

}  // namespace mykafka

#endif  // MYKAFKA_CORE_BYTES_H_
