#include "core/record.h"

#include <algorithm>

#include "core/bytes.h"
#include "core/crc32.h"

namespace mykafka {

PackedRecord::Verdict PackedRecord::Parse(const uint8_t* data, size_t available) {
  if (available < kPackedOverhead) return Verdict::kUnparsable;
  const auto key_length = static_cast<int32_t>(LoadBig32(data));
  key = key_length > 0 ? static_cast<size_t>(key_length) : 0;
  if (key_length < -1 || key > available - kPackedOverhead) return Verdict::kUnparsable;
  if (key > kMaxKeyLength) return Verdict::kKeyTooLong;
  const auto value_length = static_cast<int32_t>(LoadBig32(data + 4 + key));
  value = value_length > 0 ? static_cast<size_t>(value_length) : 0;
  if (value_length < -1 || value > available - kPackedOverhead - key) return Verdict::kUnparsable;
  return stored() > kMaxEntryLength ? Verdict::kTooLong : Verdict::kParsed;
}

Result<PackedSummary> CheckPacked(const uint8_t* data, size_t length, uint32_t count, bool keys_required) {
  PackedSummary summary;
  size_t at = 0;
  for (uint32_t i = 0; i < count; ++i) {
    PackedRecord record;
    switch (record.Parse(data + at, length - at)) {
      case PackedRecord::Verdict::kParsed:
        break;
      case PackedRecord::Verdict::kUnparsable:
        return Status(Code::kInvalidRecord, "record " + std::to_string(i) + " does not parse");
      case PackedRecord::Verdict::kKeyTooLong:
        return Status(Code::kRecordTooLarge, "record " + std::to_string(i) + " has a key above 16 MiB");
      case PackedRecord::Verdict::kTooLong:
        return Status(Code::kRecordTooLarge, "record " + std::to_string(i) + " is above 1 GiB");
    }
    // The first byte of a keyLen of -1.
    if (keys_required && data[at] == 0xff) {
      return Status(Code::kInvalidRecord, "record " + std::to_string(i) + " has no key, which a compacted topic needs");
    }
    summary.stored_length += record.stored();
    summary.largest_stored = std::max(summary.largest_stored, static_cast<uint32_t>(record.stored()));
    at += record.length();
  }
  if (at != length) return Status(Code::kInvalidRecord, "there are bytes behind the last record");
  summary.count = count;
  return summary;
}

ParseVerdict ParseStored(const uint8_t* data, size_t available, EntryHeader* header) {
  *header = EntryHeader();
  header->length = kStoredHeaderLength;
  if (available < kStoredHeaderLength) return ParseVerdict::kNeedMore;
  header->offset = static_cast<int64_t>(LoadBig64(data));
  header->last_offset = header->offset;
  header->records = 1;
  header->timestamp = static_cast<int64_t>(LoadBig64(data + 8));
  header->key_length = static_cast<int32_t>(LoadBig32(data + 16));
  if (header->offset < 0 || header->key_length < -1 || header->key_length > static_cast<int32_t>(kMaxKeyLength)) {
    header->length = 0;
    return ParseVerdict::kDamaged;
  }
  const size_t key = header->key_length > 0 ? static_cast<size_t>(header->key_length) : 0;
  header->length = kStoredHeaderLength + key + 4;
  if (available < header->length) return ParseVerdict::kNeedMore;
  if (!SetValueLength(static_cast<int32_t>(LoadBig32(data + kStoredHeaderLength + key)), header)) {
    return ParseVerdict::kDamaged;
  }
  return available < header->length ? ParseVerdict::kNeedMore : ParseVerdict::kWhole;
}

bool SetValueLength(int32_t value_length, EntryHeader* header) {
  const size_t key = header->key_length > 0 ? static_cast<size_t>(header->key_length) : 0;
  const size_t value = value_length > 0 ? static_cast<size_t>(value_length) : 0;
  const bool possible = value_length >= -1 && kStoredOverhead + key + value <= kMaxEntryLength;
  header->value_length = value_length;
  header->length = possible ? kStoredOverhead + key + value : 0;
  return possible;
}

size_t EncodeStored(const uint8_t* packed, size_t packed_length, int64_t offset, int64_t timestamp, uint8_t* into) {
  StoreBig64(into, static_cast<uint64_t>(offset));
  StoreBig64(into + 8, static_cast<uint64_t>(timestamp));
  memcpy(into + 16, packed, packed_length);
  StoreBig32(into + 16 + packed_length, Crc32(0, into, 16 + packed_length));
  return 16 + packed_length + 4;
}

}  // namespace mykafka
