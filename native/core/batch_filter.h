// What is left of a RecordBatch v2 when a compaction has been over its records. The rules are those of Kafka's cleaner
// (KIP-58, KIP-98, KIP-534):
//
//  * A record stays where it is the last of its key, or lies behind what is known. One without a key goes.
//  * The first pass that sees a tombstone gives its batch a delete horizon: attribute bit 6, and the time in place of
//    baseTimestamp, on which the records' timestamps are counted anew. A pass behind this time drops the tombstone.
//  * baseOffset, lastOffsetDelta, the producer's fields and the offset deltas stay what they were. Without a delete
//    horizon baseTimestamp is that of the first record left; maxTimestamp is the largest left, or the LogAppendTime.
//  * The last batch of a producer stays also when nothing is left of it, so that its last sequence is not forgotten.
#ifndef MYKAFKA_CORE_BATCH_FILTER_H_
#define MYKAFKA_CORE_BATCH_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/offset_map.h"
#include "core/record_batch.h"
#include "core/record_reader.h"
#include "core/status.h"

namespace mykafka {

struct CleanCounts {
  int64_t records_read = 0;
  int64_t records_kept = 0;
  int64_t tombstones = 0;  // of the kept ones
};

class BatchFilter {
 public:
  enum class Verdict : uint8_t { kKeep, kDrop, kRewrite };

  // Records with offsets from `known_to` on stay. Times in ms.
  BatchFilter(const OffsetMap& map, int64_t known_to, int64_t now, int64_t delete_horizon)
      : map_(map), known_to_(known_to), now_(now), delete_horizon_(delete_horizon) {}

  // The records of a batch, decompressed. kRewrite: records() are those that are left, and header() says what differs.
  // kCorrupt where they do not parse.
  Result<Verdict> Filter(const BatchHeader& header, const uint8_t* records, size_t length, CleanCounts* counts);

  // Valid until the next call.
  const std::vector<uint8_t>& records() const { return kept_; }
  const BatchHeader& header() const { return header_; }

 private:
  // A record whose slot of the map comes into the cache.
  struct Seen {
    int64_t offset;
    int64_t timestamp_delta;
    Hash128 hash;
    bool has_key;
    bool tombstone;
  };
  // What is left of a batch.
  struct Left {
    size_t count = 0;
    int64_t tombstones = 0;
    bool needs_horizon = false;
    int64_t first_timestamp_delta = 0;
  };

  // Says of each record whether it stays. A compressed batch may have any number: little is remembered of each.
  Status Decide(const BatchHeader& header, const uint8_t* records, size_t length, Left* left);
  void DecideWindow(const BatchHeader& header, Left* left);
  bool Stays(const Seen& record, bool tombstones_go) const;
  void Append(const BatchRecord& record, int64_t timestamp_delta);

  const OffsetMap& map_;
  const int64_t known_to_;
  const int64_t now_;
  const int64_t delete_horizon_;
  std::vector<Seen> window_;
  std::vector<bool> stays_;  // by the number of the record
  std::vector<uint8_t> kept_;
  BatchHeader header_;
};

// A batch's first kBatchHeaderLength bytes by a header whose length() and crc are right.
void WriteBatchHeader(const BatchHeader& header, uint8_t* into);

// The header of a batch (as it is in a log) that holds these records instead, its length and CRC counted anew.
BatchHeader HeaderFor(const BatchHeader& header, const uint8_t* records, size_t length);

// That of a batch of which nothing is left.
BatchHeader EmptyBatch(const BatchHeader& header);

}  // namespace mykafka

#endif  // MYKAFKA_CORE_BATCH_FILTER_H_
