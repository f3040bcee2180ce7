// Kafka's RecordBatch v2, big-endian: an entry of a kafka log, and what a Produce request carries.
//
//   [baseOffset:8][batchLength:4][partitionLeaderEpoch:4][magic:1][crc:4][attributes:2][lastOffsetDelta:4]
//   [baseTimestamp:8][maxTimestamp:8][producerId:8][producerEpoch:2][baseSequence:4][recordsCount:4][records]
//
// batchLength counts what follows it. crc is CRC-32C from attributes on: baseOffset and
// partitionLeaderEpoch lie outside of it, so that the broker can write them into the bytes as they came.
#ifndef MYKAFKA_CORE_RECORD_BATCH_H_
#define MYKAFKA_CORE_RECORD_BATCH_H_

#include <cstddef>
#include <cstdint>

#include "core/entry.h"
#include "core/status.h"

namespace mykafka {

constexpr size_t kBatchHeaderLength = 61;
constexpr size_t kBatchLengthEnd = 12;  // batchLength counts from here
constexpr size_t kBatchMagicAt = 16;
constexpr size_t kBatchCrcAt = 17;
constexpr size_t kBatchCrcFrom = 21;
constexpr uint8_t kBatchMagic = 2;
constexpr int kCodecMask = 7;  // of the attributes

struct BatchHeader {
  int64_t base_offset = 0;
  int32_t batch_length = 0;
  int32_t leader_epoch = 0;
  uint8_t magic = 0;
  uint32_t crc = 0;
  uint16_t attributes = 0;
  int32_t last_offset_delta = 0;
  int64_t base_timestamp = 0;
  int64_t max_timestamp = 0;
  int64_t producer_id = 0;
  int16_t producer_epoch = 0;
  int32_t base_sequence = 0;
  int32_t count = 0;

  // From kBatchHeaderLength bytes, whatever they say.
  static BatchHeader Read(const uint8_t* data);

  int64_t length() const { return static_cast<int64_t>(kBatchLengthEnd) + batch_length; }
  int compression() const { return attributes & kCodecMask; }
  bool log_append_time() const { return (attributes & 8) != 0; }
  bool control() const { return (attributes & 32) != 0; }
  bool has_delete_horizon() const { return (attributes & 64) != 0; }
};

// EntryFormat::parse for kafka. Of a batch in a log, control batches and such without records included.
ParseVerdict ParseBatch(const uint8_t* data, size_t available, EntryHeader* header);

// Checks what a client sent as the records of one partition: exactly one batch, whole, right and not a control
// batch; the records of an uncompressed one are walked. A maxTimestamp that they contradict is put right in the
// bytes, as Kafka does. kCorrupt for sizes that do not fit and a wrong CRC, kRecordTooLarge above max_length, else
// kInvalidRecord.
Result<BatchHeader> CheckBatch(uint8_t* data, size_t length, size_t max_length);

// What the broker writes into a whole batch. The CRC stays right.
void StampBatch(uint8_t* batch, int64_t base_offset, int32_t leader_epoch);

// Makes the time of the append that of the batch and of every record in it: attribute bit 3, maxTimestamp, a new
// CRC.
void StampLogAppendTime(uint8_t* batch, size_t length, int64_t timestamp);

}  // namespace mykafka

#endif  // MYKAFKA_CORE_RECORD_BATCH_H_
