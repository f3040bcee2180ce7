// Slice-by-8 for any reflected 32-bit CRC: eight bytes a step through eight tables, made at compile time.
#ifndef MYKAFKA_CORE_CRC_TABLE_H_
#define MYKAFKA_CORE_CRC_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace mykafka {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "slice-by-8 as written here loads little-endian words");

struct CrcTable {
  // by[k][b]: the CRC register after byte b and k zero bytes.
  uint32_t by[8][256];
};

constexpr CrcTable MakeCrcTable(uint32_t polynomial) {
  CrcTable table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? polynomial : 0);
    table.by[0][byte] = crc;
  }
  for (int slice = 1; slice < 8; ++slice) {
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = table.by[slice - 1][byte];
      table.by[slice][byte] = (before >> 8) ^ table.by[0][before & 0xff];
    }
  }
  return table;
}

// On the register itself, without the inversions before and after.
inline uint32_t CrcByTable(const CrcTable& table, uint32_t crc, const uint8_t* data, size_t length) {
  for (; length >= 8; data += 8, length -= 8) {
    uint32_t low;
    uint32_t high;
    memcpy(&low, data, 4);
    memcpy(&high, data + 4, 4);
    low ^= crc;
    crc = table.by[7][low & 0xff] ^ table.by[6][(low >> 8) & 0xff] ^ table.by[5][(low >> 16) & 0xff] ^
          table.by[4][low >> 24] ^ table.by[3][high & 0xff] ^ table.by[2][(high >> 8) & 0xff] ^
          table.by[1][(high >> 16) & 0xff] ^ table.by[0][high >> 24];
  }
  for (; length > 0; ++data, --length) crc = (crc >> 8) ^ table.by[0][(crc ^ *data) & 0xff];
  return crc;
}

}  // namespace mykafka

#endif  // MYKAFKA_CORE_CRC_TABLE_H_
