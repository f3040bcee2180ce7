#include "core/header_walk.h"

#include <algorithm>

#include "core/bytes.h"
#include "core/record.h"
#include "core/record_batch.h"

namespace mykafka {

namespace {

// One header more than asked for: the entry that ends a walk begins right behind.
constexpr int64_t kMargin = 64;
static_assert(kMargin >= static_cast<int64_t>(kBatchHeaderLength));
constexpr int64_t kSmallestBlock = 512;

}  // namespace

HeaderWalk::HeaderWalk(File& file, const EntryFormat& format, int64_t end, int64_t block_length, Wait wait)
    : file_(file),
      format_(format),
      end_(end),
      block_length_(
          static_cast<size_t>(std::clamp(block_length + kMargin, kSmallestBlock, static_cast<int64_t>(kLargestBlock)))),
      next_read_(block_length_),
      wait_(wait) {}

void HeaderWalk::Expect(int64_t length) {
  next_read_ = static_cast<size_t>(std::clamp<int64_t>(length + kMargin, kMargin, static_cast<int64_t>(block_length_)));
}

bool HeaderWalk::At(int64_t position, EntryHeader* header) {
  const uint8_t* fixed = Bytes(position, format_.header_length);
  if (fixed == nullptr) return false;
  bytes_ = format_.length_behind_key ? nullptr : fixed;
  if (format_.parse(fixed, format_.header_length, header) == ParseVerdict::kDamaged) return NoEntry();
  if (format_.length_behind_key) {
    const uint8_t* value_length = Bytes(position + static_cast<int64_t>(header->length) - 4, 4);
    if (value_length == nullptr) return false;
    if (!SetValueLength(static_cast<int32_t>(LoadBig32(value_length)), header)) return NoEntry();
  }
  return static_cast<int64_t>(header->length) <= end_ - position || NoEntry();
}

const uint8_t* HeaderWalk::Bytes(int64_t position, size_t length) {
  if (position >= block_position_ &&
      position + static_cast<int64_t>(length) <= block_position_ + static_cast<int64_t>(block_filled_)) {
    return block_ + (position - block_position_);
  }
  if (position < 0 || end_ - position < static_cast<int64_t>(length)) {
    NoEntry();
    return nullptr;
  }
  const auto want = static_cast<size_t>(std::min<int64_t>(static_cast<int64_t>(next_read_), end_ - position));
  next_read_ = block_length_;
  block_filled_ = 0;
  Result<size_t> got = file_.Read(block_, want, position, wait_);
  if (!got.ok()) {
    status_ = got.status();
    return nullptr;
  }
  block_position_ = position;
  block_filled_ = *got;
  if (*got < length) {
    NoEntry();
    return nullptr;
  }
  return block_;
}

bool HeaderWalk::NoEntry() {
  status_ = Status(Code::kCorrupt, "no entry where one was expected");
  return false;
}

}  // namespace mykafka
