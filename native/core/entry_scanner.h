// Walks the entries of a log file in order, through a buffer of its own, checking each CRC.
// Used by recovery, verification, index rebuilds and `mykafka dump-log`.
#ifndef MYKAFKA_CORE_ENTRY_SCANNER_H_
#define MYKAFKA_CORE_ENTRY_SCANNER_H_

#include <cstdint>
#include <vector>

#include "core/entry.h"
#include "core/file.h"
#include "core/range_crc.h"
#include "core/status.h"

namespace mykafka {

enum class EntryVerdict : uint8_t {
  kRight,       // whole, its CRC right
  kCrcWrong,    // whole by its own lengths, its CRC wrong
  kTorn,        // begins like an entry but claims more bytes than there are
  kNotAnEntry,  // no entry begins like this (zeroes, garbage, an entry of another format)
};

const char* EntryVerdictName(EntryVerdict verdict);

// The format of a log by its first entry, which has the magic of a batch there or not.
Result<RecordFormat> DetectFormat(File& file);

struct ScannedEntry {
  int64_t position = 0;
  EntryHeader header;  // what could be parsed; header.length is 0 behind kNotAnEntry
  EntryVerdict verdict = EntryVerdict::kRight;
};

class EntryScanner {
 public:
  // Scans [from, end) of a file that outlives the scanner. No position at or above end is read.
  EntryScanner(File& file, const EntryFormat& format, int64_t from, int64_t end);

  // The entry at the current position, or false at the end. Moves behind it where its verdict is
  // kRight or kCrcWrong; stays where it is otherwise.
  Result<bool> Next(ScannedEntry* entry);

  // The first header_length bytes of the whole entry that Next found last.
  const uint8_t* BytesOf(const ScannedEntry& entry) const {
    return format_.length_behind_key ? nullptr : buffer_.data() + (entry.position - buffer_position_);
  }

  int64_t position() const { return position_; }
  void Seek(int64_t position) {
    in_order_ = in_order_ && position == position_;
    position_ = position;
  }

 private:
  // Makes [position_, position_ + length) available in the buffer, as far as end_ allows. Returns how
  // many bytes from position_ on are in it.
  Result<size_t> Fill(size_t length);
  const uint8_t* Here() const { return buffer_.data() + (position_ - buffer_position_); }
  // Parses the header at position_, reading on as far as that needs.
  Result<ParseVerdict> Parse(EntryHeader* header);
  Result<bool> CrcRight(const EntryHeader& header);

  File& file_;
  const EntryFormat& format_;
  int64_t position_;
  int64_t end_;
  std::vector<uint8_t> buffer_;
  int64_t buffer_position_ = 0;
  size_t buffer_length_ = 0;
  RangeCrc range_crc_;
  bool in_order_ = true;  // since the last entry: no seek
  size_t next_read_;      // small behind a seek, larger as the scan goes on
};

}  // namespace mykafka

#endif  // MYKAFKA_CORE_ENTRY_SCANNER_H_
