// Steps over entries by their lengths alone, without reading values or checking CRCs: for regions that
// are verified. Lives on the stack of one lookup.
#ifndef MYKAFKA_CORE_HEADER_WALK_H_
#define MYKAFKA_CORE_HEADER_WALK_H_

#include <cstddef>
#include <cstdint>

#include "core/entry.h"
#include "core/file.h"
#include "core/status.h"

namespace mykafka {

class HeaderWalk {
 public:
  // Nothing at or above end is read. Reads blocks of about block_length bytes, so that a walk over one
  // index interval is one read.
  HeaderWalk(File& file, const EntryFormat& format, int64_t end, int64_t block_length, Wait wait);

  // About how many bytes from the next read on are of interest: copying more costs more than the call.
  void Expect(int64_t length);

  // The header of the entry at this position. False where there is none that ends by end (status() is
  // kCorrupt then) or it could not be read (status() says why).
  bool At(int64_t position, EntryHeader* header);

  // The same, and the entry begins with this offset.
  bool At(int64_t position, int64_t offset, EntryHeader* header) {
    if (!At(position, header)) return false;
    return header->offset == offset || NoEntry();
  }

  // The same, and the entry is the first from this offset on.
  bool From(int64_t position, int64_t offset, EntryHeader* header) {
    if (!At(position, header)) return false;
    return header->offset >= offset || NoEntry();
  }

  // The first header_length bytes of the entry found last; null where its length stands behind its key.
  const uint8_t* bytes() const { return bytes_; }

  const Status& status() const { return status_; }

 private:
  static constexpr size_t kLargestBlock = 8192;

  // A pointer to `length` bytes of the file at this position, or null.
  const uint8_t* Bytes(int64_t position, size_t length);
  bool NoEntry();

  File& file_;
  const EntryFormat& format_;
  const int64_t end_;
  const size_t block_length_;
  size_t next_read_;
  const Wait wait_;
  Status status_;
  const uint8_t* bytes_ = nullptr;
  int64_t block_position_ = 0;
  size_t block_filled_ = 0;
  uint8_t block_[kLargestBlock];
};

}  // namespace mykafka

#endif  // MYKAFKA_CORE_HEADER_WALK_H_
