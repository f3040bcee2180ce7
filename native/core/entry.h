// What the engine knows of the entries of a log, whatever their format: their offsets, largest timestamp and
// length, and whether their CRC is right. A log holds entries of one format (docs/disk-format.md):
//
//   mykafka  a record (record.h), one offset
//   kafka    a RecordBatch v2 (record_batch.h), as many offsets as it says
//
// Byte 16 tells them apart. An entry of the other format is no entry.
#ifndef MYKAFKA_CORE_ENTRY_H_
#define MYKAFKA_CORE_ENTRY_H_

#include <cstddef>
#include <cstdint>

namespace mykafka {

enum class RecordFormat : uint8_t { kMykafka = 0, kKafka = 1 };

constexpr size_t kMaxEntryLength = 1u << 30;  // above any frame: a longer claim is damage

// As far as it can be known from an entry's bytes.
struct EntryHeader {
  int64_t offset = 0;  // its first
  int64_t last_offset = 0;
  int64_t timestamp = 0;   // its largest
  size_t length = 0;       // of the whole entry
  int32_t records = 0;     // fewer than offsets where compaction has removed some
  int32_t key_length = 0;  // of a mykafka record
  int32_t value_length = 0;

  int64_t next_offset() const { return last_offset + 1; }
  int64_t offsets() const { return last_offset - offset + 1; }
};

enum class ParseVerdict : uint8_t {
  kWhole,     // header parsed, the entry lies within the bytes given (its CRC not checked)
  kNeedMore,  // plausible so far: header.length bytes are needed
  kDamaged,   // no entry begins like this
};

// The checksum of a format, and what moves one over bytes that follow (range_crc.h).
struct CrcKind {
  uint32_t (*update)(uint32_t crc, const void* data, size_t length);
  uint32_t polynomial;  // reflected
};

struct EntryFormat {
  static const EntryFormat& Of(RecordFormat format);

  RecordFormat format;
  size_t smallest;       // the shortest entry there can be
  size_t header_length;  // what every entry begins with
  // Parses the entry that begins at data. With kNeedMore, header.length is the number of bytes that the next attempt
  // needs (at least): the whole entry's, unless length_behind_key.
  ParseVerdict (*parse)(const uint8_t* data, size_t available, EntryHeader* header);
  // From header_length bytes that parse did not refuse, length is known but for the value's, which stands in the
  // last four of header.length bytes (SetValueLength completes the header).
  bool length_behind_key;
  // What most positions that no entry begins at fail at, from 20 bytes alone.
  bool (*worth_a_look)(const uint8_t* data);
  const CrcKind& crc;
  size_t crc_from;  // the crc counts from here...
  size_t crc_tail;  // ...to so many bytes before the end
  // Whether the CRC covers the offset: where not, one that does not fit is no better than damage.
  bool offset_in_crc;
  // How many offsets so many bytes can hold at the most.
  int64_t (*most_offsets)(int64_t bytes);

  size_t StoredCrcAt(size_t length) const { return crc_tail > 0 ? length - crc_tail : crc_from - sizeof(uint32_t); }
  // Whether the crc of a whole entry of this length is right.
  bool CrcRight(const uint8_t* entry, size_t length) const;
};

}  // namespace mykafka

#endif  // MYKAFKA_CORE_ENTRY_H_
