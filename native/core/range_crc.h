// The CRC (of either kind) of any stretch of a file, however long, for about the price of two blocks: the checksums of
// all prefixes that end at a block are computed once, and a stretch is the difference of two prefixes.
//
// So a search for entries stays linear where a value is full of headers that each claim to be the
// beginning of something huge.
#ifndef MYKAFKA_CORE_RANGE_CRC_H_
#define MYKAFKA_CORE_RANGE_CRC_H_

#include <cstdint>
#include <vector>

#include "core/entry.h"
#include "core/file.h"
#include "core/status.h"

namespace mykafka {

class RangeCrc {
 public:
  RangeCrc(File& file, const CrcKind& crc);

  // Of the bytes in [from, to).
  Result<uint32_t> Of(int64_t from, int64_t to);

  // A scan in order has come to this position, and does not come back: where it is far ahead of what is
  // computed, what lies between is left out.
  void SkipTo(int64_t position);

 private:
  static constexpr int64_t kBlock = 4096;

  // The last block read behind each of the two ends.
  struct Edge {
    int64_t position = -1;
    size_t length = 0;
    uint8_t bytes[kBlock];
  };

  // Of the bytes in [begin_, at).
  Result<uint32_t> Prefix(int64_t at, Edge* edge);
  Status Extend(size_t blocks);
  // The checksum of what is before, as it counts when `length` bytes follow.
  uint32_t MoveOver(uint32_t crc, uint64_t length) const;

  File& file_;
  const CrcKind& crc_;
  uint32_t powers_[40];  // x^(8 * 2^i): what moves a checksum over 2^i bytes
  int64_t begin_ = -1;
  std::vector<uint32_t> prefixes_;  // of [begin_, begin_ + i * kBlock)
  std::vector<uint8_t> chunk_;
  Edge front_;
  Edge back_;
};

}  // namespace mykafka

#endif  // MYKAFKA_CORE_RANGE_CRC_H_
