// The two forms of a record (docs/protocol.md, docs/disk-format.md), big-endian:
//
//   packed  [keyLen:4][key][valueLen:4][value]                                   as PRODUCE carries it
//   stored  [offset:8][timestamp:8][keyLen:4][key][valueLen:4][value][crc:4]     an entry of a log
//
// keyLen -1 is a null key, valueLen -1 a null value (a tombstone). crc is CRC-32 (zlib's) over
// everything before it. A key is limited to 16 MiB, so that byte 16 of a stored record is 0x00 or 0xFF
// and never 2, the magic of a Kafka batch.
#ifndef MYKAFKA_CORE_RECORD_H_
#define MYKAFKA_CORE_RECORD_H_

#include <cstddef>
#include <cstdint>

#include "core/entry.h"
#include "core/status.h"

namespace mykafka {

constexpr uint32_t kMaxKeyLength = 16u << 20;
constexpr size_t kStoredOverhead = 28;      // offset, timestamp, both lengths, crc
constexpr size_t kStoredHeaderLength = 20;  // up to and with keyLen
constexpr size_t kPackedOverhead = 8;

// A packed record by its lengths.
struct PackedRecord {
  enum class Verdict : uint8_t { kParsed, kUnparsable, kKeyTooLong, kTooLong };

  size_t key = 0;
  size_t value = 0;

  // kUnparsable where it does not lie within the bytes there are.
  Verdict Parse(const uint8_t* data, size_t available);
  size_t length() const { return kPackedOverhead + key + value; }
  size_t stored() const { return kStoredOverhead + key + value; }
};

// What a walk over packed records found.
struct PackedSummary {
  uint32_t count = 0;
  uint64_t stored_length = 0;   // of all the records, as entries
  uint32_t largest_stored = 0;  // of one record
};

// Walks the packed records in [data, data + length): exactly count of them, nothing behind them.
// kInvalidRecord where they do not parse, and for one without a key where keys are required; kRecordTooLarge for a key
// above kMaxKeyLength.
Result<PackedSummary> CheckPacked(const uint8_t* data, size_t length, uint32_t count, bool keys_required = false);

// EntryFormat::parse for mykafka.
ParseVerdict ParseStored(const uint8_t* data, size_t available, EntryHeader* header);

// For an entry whose key is too large to have at hand: completes the header with the value's length
// as read from behind the key. Returns false where no record has such a value.
bool SetValueLength(int32_t value_length, EntryHeader* header);

// Writes a packed record as an entry to `into` (packed_length - kPackedOverhead + kStoredOverhead
// bytes). Returns the number of bytes written.
size_t EncodeStored(const uint8_t* packed, size_t packed_length, int64_t offset, int64_t timestamp, uint8_t* into);

}  // namespace mykafka

#endif  // MYKAFKA_CORE_RECORD_H_
