// Reads the entries of a segment one after another, for the log cleaner: sequentially, through a buffer of its own, and
// checks each. What is not right ends it: a segment with damage is not cleaned.
#ifndef MYKAFKA_CORE_CLEAN_READER_H_
#define MYKAFKA_CORE_CLEAN_READER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "core/entry.h"
#include "core/file.h"
#include "core/segment.h"
#include "core/status.h"

namespace mykafka {

// An entry whose CRC is right. The bytes are valid until the next call.
struct CleanEntry {
  EntryHeader header;
  const uint8_t* bytes = nullptr;
  // Of a large mykafka record only the part up to its value: EachPart has the rest.
  size_t available = 0;

  bool whole() const { return available >= header.length; }
};

class CleanReader {
 public:
  // At the entry that holds the offset, or the first one behind it. kCorrupt where the segment is known to have damage.
  static Result<std::unique_ptr<CleanReader>> Open(const std::shared_ptr<Segment>& segment, RecordFormat format,
                                                   int64_t from_offset);

  // The next entry, or false at the end. kCorrupt where there are bytes that are none, or where its offset does not
  // fit behind the last one's.
  Result<bool> Next(CleanEntry* entry);
  // Whether Next finds an entry that is in memory already: the bytes of those before stay valid then.
  bool NextIsAtHand() const;
  // Next finds the same entry again.
  void Unread() {
    next_position_ = position_;
    least_offset_ = least_before_;
  }

  // The bytes of the entry that Next found last, in order.
  using PartVisitor = std::function<Status(const uint8_t* bytes, size_t length)>;
  Status EachPart(const CleanEntry& entry, const PartVisitor& visitor);

  // Whether what Next finds from here on is what follows from_offset in this segment.
  bool GoesOnAt(const std::shared_ptr<Segment>& segment, int64_t from_offset) const {
    return segment == segment_ && from_offset == least_offset_ && segment->size() == end_;
  }
  // Behind all that the segment may hold.
  int64_t end_offset() const { return end_offset_; }

 private:
  CleanReader(std::shared_ptr<Segment> segment, std::shared_ptr<File> file, const EntryFormat& format)
      : segment_(std::move(segment)), file_(std::move(file)), format_(format) {}

  // Makes so many bytes from position_ on available, as far as the end allows. Returns how many are.
  Result<size_t> Fill(size_t length);
  const uint8_t* Here() const { return buffer_.get() + (position_ - buffer_position_); }
  Status Parse(CleanEntry* entry);
  Status CheckCrc(const CleanEntry& entry);
  Status Damaged(const std::string& what) const;

  const std::shared_ptr<Segment> segment_;
  const std::shared_ptr<File> file_;
  const EntryFormat& format_;
  int64_t end_ = 0;  // a position
  int64_t end_offset_ = 0;
  int64_t position_ = 0;       // of the entry found last
  int64_t next_position_ = 0;  // of the one to find next
  int64_t least_offset_ = 0;   // that the entry to find next may have
  int64_t least_before_ = 0;   // ... that the one found last might have had
  std::unique_ptr<uint8_t[]> buffer_;
  size_t capacity_ = 0;
  int64_t buffer_position_ = 0;
  size_t buffer_length_ = 0;
};

}  // namespace mykafka

#endif  // MYKAFKA_CORE_CLEAN_READER_H_
