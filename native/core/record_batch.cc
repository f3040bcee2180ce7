#include "core/record_batch.h"

#include <algorithm>
#include <string>

#include "core/bytes.h"
#include "core/crc32c.h"
#include "core/record_reader.h"

namespace mykafka {

namespace {

constexpr size_t kLengthAt = 8;
constexpr size_t kEpochAt = 12;
constexpr size_t kAttributesAt = 21;
constexpr size_t kLastOffsetDeltaAt = 23;
constexpr size_t kMaxTimestampAt = 35;
constexpr size_t kCountAt = 57;
constexpr uint16_t kLogAppendTimeBit = 8;
constexpr int kLastCompression = 4;  // zstd
constexpr int64_t kMaxSafeInteger = (int64_t{1} << 53) - 1;

// Whether JavaScript has a number for it. A time without one could not be looked for.
bool IsSafe(int64_t value) {
  return value >= -kMaxSafeInteger && value <= kMaxSafeInteger;
}

void StoreCrc(uint8_t* batch, size_t length) {
  StoreBig32(batch + kBatchCrcAt, Crc32c(0, batch + kBatchCrcFrom, length - kBatchCrcFrom));
}

Status Invalid(const std::string& what) {
  return {Code::kInvalidRecord, what};
}

// Walks the records of an uncompressed batch: header.count of them, numbered from 0, nothing behind them.
Status WalkRecords(const uint8_t* records, size_t length, const BatchHeader& header, int64_t* max_timestamp) {
  FieldReader all(records, length);
  *max_timestamp = -1;
  for (int32_t i = 0; i < header.count; ++i) {
    BatchRecord record;
    int64_t timestamp = 0;
    const bool right = record.Read(&all) && record.HeadersRight() &&
                       !__builtin_add_overflow(header.base_timestamp, record.timestamp_delta, &timestamp) &&
                       IsSafe(timestamp);
    if (!right) return Invalid("record " + std::to_string(i) + " does not parse");
    if (record.offset_delta != i) return Invalid("record " + std::to_string(i) + " has another number");
    *max_timestamp = std::max(*max_timestamp, timestamp);
  }
  if (all.left() > 0) return Invalid("there are bytes behind the last record");
  return Status::Ok();
}

Status CheckHeader(const BatchHeader& header) {
  if (header.compression() > kLastCompression) return Invalid("an unknown compression");
  if (header.control()) return Invalid("clients write no control batches");
  // Compaction would drop its tombstones when it first sees them.
  if (header.has_delete_horizon()) return Invalid("clients give a batch no delete horizon");
  if (header.last_offset_delta < 0 || header.count <= 0 || header.count - 1 != header.last_offset_delta) {
    return Invalid("a batch of " + std::to_string(header.count) + " records with the last offset delta " +
                   std::to_string(header.last_offset_delta));
  }
  if (header.producer_id < -1 || header.producer_id > kMaxSafeInteger || header.producer_epoch < -1) {
    return Invalid("an impossible producer id or epoch");
  }
  if (!IsSafe(header.base_timestamp) || !IsSafe(header.max_timestamp)) return Invalid("an impossible timestamp");
  // Some clients send epoch 0 and sequence 0 without an id: only with one they mean anything.
  if (header.producer_id >= 0 && (header.producer_epoch < 0 || header.base_sequence < 0)) {
    return Invalid("a producer id without an epoch and a sequence");
  }
  return Status::Ok();
}

}  // namespace

BatchHeader BatchHeader::Read(const uint8_t* data) {
  BatchHeader header;
  header.base_offset = static_cast<int64_t>(LoadBig64(data));
  header.batch_length = static_cast<int32_t>(LoadBig32(data + kLengthAt));
  header.leader_epoch = static_cast<int32_t>(LoadBig32(data + kEpochAt));
  header.magic = data[kBatchMagicAt];
  header.crc = LoadBig32(data + kBatchCrcAt);
  header.attributes = LoadBig16(data + kAttributesAt);
  header.last_offset_delta = static_cast<int32_t>(LoadBig32(data + kLastOffsetDeltaAt));
  header.base_timestamp = static_cast<int64_t>(LoadBig64(data + 27));
  header.max_timestamp = static_cast<int64_t>(LoadBig64(data + kMaxTimestampAt));
  header.producer_id = static_cast<int64_t>(LoadBig64(data + 43));
  header.producer_epoch = static_cast<int16_t>(LoadBig16(data + 51));
  header.base_sequence = static_cast<int32_t>(LoadBig32(data + 53));
  header.count = static_cast<int32_t>(LoadBig32(data + kCountAt));
  return header;
}

ParseVerdict ParseBatch(const uint8_t* data, size_t available, EntryHeader* header) {
  *header = EntryHeader();
  header->length = kBatchHeaderLength;
  if (available < kBatchHeaderLength) return ParseVerdict::kNeedMore;
  const auto length = static_cast<int64_t>(kBatchLengthEnd) + static_cast<int32_t>(LoadBig32(data + kLengthAt));
  const auto last_offset_delta = static_cast<int32_t>(LoadBig32(data + kLastOffsetDeltaAt));
  header->offset = static_cast<int64_t>(LoadBig64(data));
  header->last_offset = header->offset;
  const bool possible = data[kBatchMagicAt] == kBatchMagic && header->offset >= 0 && last_offset_delta >= 0 &&
                        length >= static_cast<int64_t>(kBatchHeaderLength) &&
                        length <= static_cast<int64_t>(kMaxEntryLength) &&
                        !__builtin_add_overflow(header->offset, last_offset_delta, &header->last_offset);
  if (!possible) {
    header->last_offset = header->offset;
    header->length = 0;
    return ParseVerdict::kDamaged;
  }
  header->timestamp = static_cast<int64_t>(LoadBig64(data + kMaxTimestampAt));
  header->records = std::max(static_cast<int32_t>(LoadBig32(data + kCountAt)), 0);
  header->length = static_cast<size_t>(length);
  return available < header->length ? ParseVerdict::kNeedMore : ParseVerdict::kWhole;
}

Result<BatchHeader> CheckBatch(uint8_t* data, size_t length, size_t max_length) {
  if (length == 0) return Invalid("there is no batch");
  // Also older messages have their magic there.
  if (length > kBatchMagicAt && data[kBatchMagicAt] != kBatchMagic) {
    return Invalid("magic " + std::to_string(data[kBatchMagicAt]) + ", where only 2 is accepted");
  }
  if (length < kBatchHeaderLength) return Status(Code::kCorrupt, "shorter than the header of a batch");
  const BatchHeader header = BatchHeader::Read(data);
  if (header.length() < static_cast<int64_t>(kBatchHeaderLength) || header.length() > static_cast<int64_t>(length)) {
    return Status(Code::kCorrupt, "a batch that does not lie within its bytes");
  }
  if (header.length() < static_cast<int64_t>(length)) return Invalid("there is more than one batch");
  if (const size_t most = std::min(max_length, kMaxEntryLength); length > most) {
    return Status(Code::kRecordTooLarge, "a batch of " + std::to_string(length) + " bytes, where at most " +
                                             std::to_string(most) + " are allowed");
  }
  if (!EntryFormat::Of(RecordFormat::kKafka).CrcRight(data, length))
    return Status(Code::kCorrupt, "the CRC of the batch is wrong");
  MYKAFKA_RETURN_IF_ERROR(CheckHeader(header));
  if (header.compression() != 0) {
    if (length == kBatchHeaderLength) return Invalid("a compressed batch without bytes");
    return header;
  }
  int64_t max_timestamp;
  MYKAFKA_RETURN_IF_ERROR(WalkRecords(data + kBatchHeaderLength, length - kBatchHeaderLength, header, &max_timestamp));
  if (header.log_append_time() || max_timestamp == header.max_timestamp) return header;
  StoreBig64(data + kMaxTimestampAt, static_cast<uint64_t>(max_timestamp));
  StoreCrc(data, length);
  return BatchHeader::Read(data);
}

void StampBatch(uint8_t* batch, int64_t base_offset, int32_t leader_epoch) {
  StoreBig64(batch, static_cast<uint64_t>(base_offset));
  StoreBig32(batch + kEpochAt, static_cast<uint32_t>(leader_epoch));
}

void StampLogAppendTime(uint8_t* batch, size_t length, int64_t timestamp) {
  StoreBig16(batch + kAttributesAt, static_cast<uint16_t>(LoadBig16(batch + kAttributesAt) | kLogAppendTimeBit));
  StoreBig64(batch + kMaxTimestampAt, static_cast<uint64_t>(timestamp));
  StoreCrc(batch, length);
}

}  // namespace mykafka
