#include "core/clean_reader.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "core/bytes.h"
#include "core/record.h"

namespace mykafka {

namespace {

constexpr size_t kBufferLength = 1u << 20;
// A larger entry is checked piece by piece before memory is taken for it, so that a wrong length takes none.
constexpr size_t kLargeEntry = 2 * kBufferLength;

}  // namespace

Result<std::unique_ptr<CleanReader>> CleanReader::Open(const std::shared_ptr<Segment>& segment, RecordFormat format,
                                                       int64_t from_offset) {
  Result<std::shared_ptr<File>> file = segment->PinFile();
  if (!file.ok()) return file.status();
  std::unique_ptr<CleanReader> reader(new CleanReader(segment, *file, EntryFormat::Of(format)));
  if (!segment->damages().empty()) return reader->Damaged("is known to be damaged");
  reader->end_ = segment->size();
  reader->end_offset_ = segment->next_offset();
  reader->least_offset_ = segment->base_offset();
  if (from_offset <= segment->base_offset()) return reader;
  reader->next_position_ = reader->end_;
  reader->least_offset_ = reader->end_offset_;
  if (from_offset >= reader->end_offset_) return reader;
  Result<Range> found = segment->FindRange(from_offset, 1, INT64_MAX, Wait::kAllowed);
  if (!found.ok()) return found.status();
  if (found->length == 0) return reader;
  reader->next_position_ = found->position;
  reader->least_offset_ = found->first_offset;
  return reader;
}

Status CleanReader::Damaged(const std::string& what) const {
  return {Code::kCorrupt, segment_->log_path() + " " + what};
}

Result<bool> CleanReader::Next(CleanEntry* entry) {
  position_ = next_position_;
  *entry = CleanEntry();
  if (position_ >= end_) {
    if (!segment_->sparse() && least_offset_ < end_offset_) return Damaged("ends before its last entry");
    return false;
  }
  MYKAFKA_RETURN_IF_ERROR(Parse(entry));
  MYKAFKA_RETURN_IF_ERROR(CheckCrc(*entry));
  const EntryHeader& header = entry->header;
  if (header.length > kLargeEntry && format_.format == RecordFormat::kKafka) {
    Result<size_t> here = Fill(header.length);
    if (!here.ok()) return here.status();
    entry->available = *here;
  }
  entry->bytes = Here();
  const bool fits = segment_->sparse() ? header.offset >= least_offset_ : header.offset == least_offset_;
  if (!fits || header.last_offset >= end_offset_) {
    return Damaged("has an entry at " + std::to_string(position_) + " with the offsets " +
                   std::to_string(header.offset) + " to " + std::to_string(header.last_offset) + ", where " +
                   std::to_string(least_offset_) + (segment_->sparse() ? " is the least" : " is due") + " and " +
                   std::to_string(end_offset_) + " the end");
  }
  next_position_ = position_ + static_cast<int64_t>(header.length);
  least_before_ = std::exchange(least_offset_, header.next_offset());
  return true;
}

bool CleanReader::NextIsAtHand() const {
  const int64_t buffer_end = buffer_position_ + static_cast<int64_t>(buffer_length_);
  if (next_position_ < buffer_position_ || next_position_ >= buffer_end) return false;
  EntryHeader header;
  return format_.parse(buffer_.get() + (next_position_ - buffer_position_),
                       static_cast<size_t>(buffer_end - next_position_), &header) == ParseVerdict::kWhole;
}

Status CleanReader::Parse(CleanEntry* entry) {
  const auto left = static_cast<uint64_t>(end_ - position_);
  size_t need = format_.smallest;
  for (;;) {
    Result<size_t> here = Fill(need);
    if (!here.ok()) return here.status();
    EntryHeader& header = entry->header;
    const ParseVerdict verdict = format_.parse(Here(), *here, &header);
    if (verdict == ParseVerdict::kDamaged || (verdict == ParseVerdict::kNeedMore && header.length > left)) {
      return Damaged("has no entry at " + std::to_string(position_));
    }
    entry->available = std::min(*here, header.length);
    if (verdict == ParseVerdict::kWhole) return Status::Ok();
    const size_t key = header.key_length > 0 ? static_cast<size_t>(header.key_length) : 0;
    const bool length_known = !format_.length_behind_key || *here >= kStoredHeaderLength + key + 4;
    if (length_known && header.length > kLargeEntry) return Status::Ok();
    need = header.length;
  }
}

Status CleanReader::CheckCrc(const CleanEntry& entry) {
  const size_t length = entry.header.length;
  bool right;
  if (entry.whole()) {
    right = format_.CrcRight(Here(), length);
  } else {
    uint32_t crc = 0;
    uint8_t stored[sizeof crc];
    const size_t stored_at = format_.StoredCrcAt(length);
    const size_t covered_end = length - format_.crc_tail;
    size_t at = 0;
    MYKAFKA_RETURN_IF_ERROR(EachPart(entry, [&](const uint8_t* bytes, size_t count) {
      const size_t from = std::clamp(format_.crc_from, at, at + count);
      const size_t to = std::clamp(covered_end, at, at + count);
      if (to > from) crc = format_.crc.update(crc, bytes + (from - at), to - from);
      for (size_t i = 0; i < sizeof stored; ++i) {
        if (stored_at + i >= at && stored_at + i < at + count) stored[i] = bytes[stored_at + i - at];
      }
      at += count;
      return Status::Ok();
    }));
    right = crc == LoadBig32(stored);
  }
  if (!right) return Damaged("has a wrong CRC at " + std::to_string(position_));
  return Status::Ok();
}

Status CleanReader::EachPart(const CleanEntry& entry, const PartVisitor& visitor) {
  if (entry.whole()) return visitor(Here(), entry.header.length);
  std::unique_ptr<uint8_t[]> part(new uint8_t[kBufferLength]);
  size_t done = 0;
  while (done < entry.header.length) {
    const size_t length = std::min(kBufferLength, entry.header.length - done);
    MYKAFKA_RETURN_IF_ERROR(
        ReadFully(*file_, part.get(), length, position_ + static_cast<int64_t>(done), Wait::kAllowed));
    MYKAFKA_RETURN_IF_ERROR(visitor(part.get(), length));
    done += length;
  }
  return Status::Ok();
}

Result<size_t> CleanReader::Fill(size_t length) {
  const auto left = static_cast<size_t>(end_ - position_);
  const size_t need = std::min(length, left);
  size_t kept = 0;
  if (position_ >= buffer_position_ && position_ <= buffer_position_ + static_cast<int64_t>(buffer_length_)) {
    kept = buffer_length_ - static_cast<size_t>(position_ - buffer_position_);
  }
  if (kept > 0 && kept >= need) return kept;
  const size_t capacity = std::max(kBufferLength, need);
  if (capacity > capacity_ || capacity_ > kLargeEntry) {
    std::unique_ptr<uint8_t[]> buffer(new uint8_t[capacity]);
    kept = std::min(kept, capacity);
    if (kept > 0) memcpy(buffer.get(), Here(), kept);
    buffer_ = std::move(buffer);
    capacity_ = capacity;
  } else if (kept > 0) {
    memmove(buffer_.get(), Here(), kept);
  }
  buffer_position_ = position_;
  buffer_length_ = kept;
  const size_t want = std::min(left, capacity_);
  MYKAFKA_RETURN_IF_ERROR(
      ReadFully(*file_, buffer_.get() + kept, want - kept, position_ + static_cast<int64_t>(kept), Wait::kAllowed));
  buffer_length_ = want;
  return want;
}

}  // namespace mykafka
