#include "core/entry_scanner.h"

#include <algorithm>
#include <cstring>

#include "core/bytes.h"
#include "core/record.h"
#include "core/record_batch.h"

namespace mykafka {

namespace {

constexpr size_t kFirstRead = 16u << 10;
constexpr size_t kLargestRead = 256u << 10;
// A larger entry is checked piece by piece: one of 1 GiB needs no buffer of 1 GiB.
constexpr size_t kLargestBuffered = 64u << 10;

// Where both lengths of a mykafka record are known.
size_t LengthsEnd(const EntryHeader& header) {
  return kStoredHeaderLength + (header.key_length > 0 ? static_cast<size_t>(header.key_length) : 0) + 4;
}

bool AllZero(const uint8_t* data, size_t length) {
  return std::all_of(data, data + length, [](uint8_t byte) { return byte == 0; });
}

}  // namespace

const char* EntryVerdictName(EntryVerdict verdict) {
  switch (verdict) {
    case EntryVerdict::kRight:
      return "right";
    case EntryVerdict::kCrcWrong:
      return "crc-wrong";
    case EntryVerdict::kTorn:
      return "torn";
    case EntryVerdict::kNotAnEntry:
      return "not-an-entry";
  }
  return "unknown";
}

Result<RecordFormat> DetectFormat(File& file) {
  uint8_t byte = 0;
  Result<size_t> read = file.Read(&byte, 1, kBatchMagicAt, Wait::kAllowed);
  if (!read.ok()) return read.status();
  return *read == 1 && byte == kBatchMagic ? RecordFormat::kKafka : RecordFormat::kMykafka;
}

EntryScanner::EntryScanner(File& file, const EntryFormat& format, int64_t from, int64_t end)
    : file_(file), format_(format), position_(from), end_(end), range_crc_(file, format.crc), next_read_(kFirstRead) {}

Result<bool> EntryScanner::Next(ScannedEntry* entry) {
  entry->position = position_;
  entry->header = EntryHeader();
  if (position_ >= end_) return false;
  Result<ParseVerdict> parsed = Parse(&entry->header);
  if (!parsed.ok()) return parsed.status();
  const size_t here = buffer_length_ - static_cast<size_t>(position_ - buffer_position_);
  switch (*parsed) {
    case ParseVerdict::kDamaged:
      entry->verdict = EntryVerdict::kNotAnEntry;
      entry->header.length = 0;
      return true;
    case ParseVerdict::kNeedMore:
      entry->verdict =
          AllZero(Here(), std::min(here, format_.header_length)) ? EntryVerdict::kNotAnEntry : EntryVerdict::kTorn;
      if (entry->verdict == EntryVerdict::kNotAnEntry) entry->header.length = 0;
      return true;
    case ParseVerdict::kWhole:
      break;
  }
  const bool blank = entry->header.length == format_.smallest && AllZero(Here(), format_.smallest);
  Result<bool> right = blank ? Result<bool>(false) : CrcRight(entry->header);
  if (!right.ok()) return right.status();
  if (blank) {
    // Zeroes parse as a record without key or value, but its CRC would not be zero.
    entry->verdict = EntryVerdict::kNotAnEntry;
    entry->header.length = 0;
    return true;
  }
  entry->verdict = *right ? EntryVerdict::kRight : EntryVerdict::kCrcWrong;
  position_ += static_cast<int64_t>(entry->header.length);
  in_order_ = true;
  return true;
}

Result<ParseVerdict> EntryScanner::Parse(EntryHeader* header) {
  const auto available = static_cast<uint64_t>(end_ - position_);
  size_t need = format_.smallest;
  for (;;) {
    Result<size_t> here = Fill(need);
    if (!here.ok()) return here.status();
    const ParseVerdict verdict = format_.parse(Here(), *here, header);
    if (verdict != ParseVerdict::kNeedMore || header->length > available) return verdict;
    if (header->length > kLargestBuffered) {
      // Not to have at hand: the lengths are enough.
      if (!format_.length_behind_key || *here >= LengthsEnd(*header)) return ParseVerdict::kWhole;
      break;
    }
    need = header->length;
  }
  uint8_t value_length[4];
  MYKAFKA_RETURN_IF_ERROR(ReadFully(file_, value_length, sizeof value_length,
                                    position_ + static_cast<int64_t>(LengthsEnd(*header)) - 4, Wait::kAllowed));
  if (!SetValueLength(static_cast<int32_t>(LoadBig32(value_length)), header)) return ParseVerdict::kDamaged;
  return header->length > available ? ParseVerdict::kNeedMore : ParseVerdict::kWhole;
}

Result<bool> EntryScanner::CrcRight(const EntryHeader& header) {
  if (header.length <= kLargestBuffered) {
    Result<size_t> here = Fill(header.length);
    if (!here.ok()) return here.status();
    return format_.CrcRight(Here(), header.length);
  }
  const int64_t from = position_ + static_cast<int64_t>(format_.crc_from);
  const int64_t end = position_ + static_cast<int64_t>(header.length - format_.crc_tail);
  if (in_order_) range_crc_.SkipTo(position_);
  Result<uint32_t> crc = range_crc_.Of(from, end);
  if (!crc.ok()) return crc.status();
  uint8_t stored[4];
  MYKAFKA_RETURN_IF_ERROR(ReadFully(file_, stored, sizeof stored,
                                    position_ + static_cast<int64_t>(format_.StoredCrcAt(header.length)),
                                    Wait::kAllowed));
  return *crc == LoadBig32(stored);
}

Result<size_t> EntryScanner::Fill(size_t length) {
  const auto available = static_cast<size_t>(end_ - position_);
  const size_t need = std::min(length, available);
  const bool inside =
      position_ >= buffer_position_ && position_ <= buffer_position_ + static_cast<int64_t>(buffer_length_);
  size_t kept = 0;
  if (inside) {
    kept = buffer_length_ - static_cast<size_t>(position_ - buffer_position_);
    if (kept >= need) return kept;
    if (kept > 0) memmove(buffer_.data(), Here(), kept);
  } else {
    next_read_ = kFirstRead;
  }
  buffer_position_ = position_;
  buffer_length_ = kept;
  const size_t want = std::min(available, std::max(need, kept + next_read_));
  if (buffer_.size() < want) buffer_.resize(want);
  MYKAFKA_RETURN_IF_ERROR(
      ReadFully(file_, buffer_.data() + kept, want - kept, position_ + static_cast<int64_t>(kept), Wait::kAllowed));
  buffer_length_ = want;
  next_read_ = std::min(next_read_ * 2, kLargestRead);
  return want;
}

}  // namespace mykafka
