#include "core/batch_filter.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/bytes.h"
#include "core/crc32c.h"
#include "core/record_reader.h"

namespace mykafka {

namespace {

constexpr uint16_t kCompressionBits = 7;
constexpr uint16_t kDeleteHorizonBit = 64;
constexpr int64_t kNoTimestamp = -1;
constexpr size_t kLongestVarlong = 10;
constexpr size_t kWindow = 32;

// Times far outside of any calendar wrap, as they do in Java, and come out right again where they are read.
int64_t Plus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t Minus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

}  // namespace

Status BatchFilter::Decide(const BatchHeader& header, const uint8_t* records, size_t length, Left* left) {
  window_.clear();
  stays_.clear();
  FieldReader all(records, length);
  BatchRecord record;
  int64_t next_delta = 0;
  for (int32_t i = 0; i < header.count; ++i) {
    if (!record.Read(&all) || record.offset_delta < next_delta || record.offset_delta > header.last_offset_delta) {
      return {Code::kCorrupt, "record " + std::to_string(i) + " of the batch at offset " +
                                  std::to_string(header.base_offset) + " does not parse"};
    }
    next_delta = int64_t{record.offset_delta} + 1;
    Seen seen = {header.base_offset + record.offset_delta,
                 record.timestamp_delta,
                 {},
                 record.key_length >= 0,
                 record.value_length < 0};
    if (seen.has_key && seen.offset < known_to_) {
      seen.hash = map_.HashOf(record.key, static_cast<size_t>(record.key_length));
      map_.Prefetch(seen.hash);
    }
    window_.push_back(seen);
    if (window_.size() == kWindow) DecideWindow(header, left);
  }
  if (all.left() > 0) {
    return {Code::kCorrupt, "bytes behind the records of the batch at offset " + std::to_string(header.base_offset)};
  }
  DecideWindow(header, left);
  return Status::Ok();
}

void BatchFilter::DecideWindow(const BatchHeader& header, Left* left) {
  const bool tombstones_go = header.has_delete_horizon() && header.base_timestamp <= now_;
  for (const Seen& record : window_) {
    stays_.push_back(Stays(record, tombstones_go));
    if (!stays_.back()) continue;
    if (left->count++ == 0) left->first_timestamp_delta = record.timestamp_delta;
    left->tombstones += record.tombstone ? 1 : 0;
    // One that lies behind what is known has not met the older values of its key yet.
    left->needs_horizon |= record.tombstone && record.offset < known_to_ && !header.has_delete_horizon();
  }
  window_.clear();
}

bool BatchFilter::Stays(const Seen& record, bool tombstones_go) const {
  if (record.offset >= known_to_) return true;
  if (!record.has_key || (record.tombstone && tombstones_go)) return false;
  return record.offset >= map_.Find(record.hash);
}

void BatchFilter::Append(const BatchRecord& record, int64_t timestamp_delta) {
  if (timestamp_delta == record.timestamp_delta) {
    kept_.insert(kept_.end(), record.begin, record.end);
    return;
  }
  uint8_t delta[kLongestVarlong];
  struct {
    uint8_t* at;
    void push_back(uint8_t byte) { *at++ = byte; }
  } delta_end = {delta};
  PutVarlong(&delta_end, timestamp_delta);
  const auto rest = static_cast<int64_t>(record.end - record.behind_timestamp);
  PutVarlong(&kept_, 1 + (delta_end.at - delta) + rest);
  kept_.push_back(*record.body);
  kept_.insert(kept_.end(), delta, delta_end.at);
  kept_.insert(kept_.end(), record.behind_timestamp, record.end);
}

Result<BatchFilter::Verdict> BatchFilter::Filter(const BatchHeader& header, const uint8_t* records, size_t length,
                                                 CleanCounts* counts) {
  Left left;
  MYKAFKA_RETURN_IF_ERROR(Decide(header, records, length, &left));
  counts->records_read += static_cast<int64_t>(stays_.size());
  counts->records_kept += static_cast<int64_t>(left.count);
  counts->tombstones += left.tombstones;
  if (left.count == 0) return Verdict::kDrop;
  if (left.count == stays_.size() && !left.needs_horizon) return Verdict::kKeep;

  const auto timestamp_of = [&header](int64_t timestamp_delta) {
    return header.log_append_time() ? header.max_timestamp : Plus(header.base_timestamp, timestamp_delta);
  };
  kept_.clear();
  header_ = header;
  header_.count = static_cast<int32_t>(left.count);
  if (left.needs_horizon) {
    header_.attributes |= kDeleteHorizonBit;
    header_.base_timestamp = delete_horizon_;
  } else if (!header.has_delete_horizon()) {
    header_.base_timestamp = timestamp_of(left.first_timestamp_delta);
  }
  int64_t largest = kNoTimestamp;
  FieldReader all(records, length);
  BatchRecord record;
  for (const bool stays : stays_) {
    (void)record.Read(&all);
    if (!stays) continue;
    const int64_t timestamp = timestamp_of(record.timestamp_delta);
    largest = std::max(largest, timestamp);
    Append(record, Minus(timestamp, header_.base_timestamp));
  }
  header_.max_timestamp = header.log_append_time() ? header.max_timestamp : largest;
  return Verdict::kRewrite;
}

void WriteBatchHeader(const BatchHeader& header, uint8_t* into) {
  StoreBig64(into, static_cast<uint64_t>(header.base_offset));
  StoreBig32(into + 8, static_cast<uint32_t>(header.batch_length));
  StoreBig32(into + 12, static_cast<uint32_t>(header.leader_epoch));
  into[kBatchMagicAt] = header.magic;
  StoreBig32(into + kBatchCrcAt, header.crc);
  StoreBig16(into + 21, header.attributes);
  StoreBig32(into + 23, static_cast<uint32_t>(header.last_offset_delta));
  StoreBig64(into + 27, static_cast<uint64_t>(header.base_timestamp));
  StoreBig64(into + 35, static_cast<uint64_t>(header.max_timestamp));
  StoreBig64(into + 43, static_cast<uint64_t>(header.producer_id));
  StoreBig16(into + 51, static_cast<uint16_t>(header.producer_epoch));
  StoreBig32(into + 53, static_cast<uint32_t>(header.base_sequence));
  StoreBig32(into + 57, static_cast<uint32_t>(header.count));
}

BatchHeader HeaderFor(const BatchHeader& header, const uint8_t* records, size_t length) {
  BatchHeader made = header;
  made.batch_length = static_cast<int32_t>(kBatchHeaderLength - kBatchLengthEnd + length);
  uint8_t bytes[kBatchHeaderLength];
  WriteBatchHeader(made, bytes);
  const uint32_t crc = Crc32c(0, bytes + kBatchCrcFrom, kBatchHeaderLength - kBatchCrcFrom);
  made.crc = Crc32c(crc, records, length);
  return made;
}

BatchHeader EmptyBatch(const BatchHeader& header) {
  BatchHeader empty = header;
  empty.attributes &= static_cast<uint16_t>(~(kCompressionBits | kDeleteHorizonBit));
  empty.base_timestamp = kNoTimestamp;
  empty.count = 0;
  return HeaderFor(empty, nullptr, 0);
}

}  // namespace mykafka
