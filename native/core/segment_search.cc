// What is found by looking at entries one after another.
#include <algorithm>
#include <utility>

#include "core/record_batch.h"
#include "core/segment_walk.h"

namespace mykafka {

// Shows the entries from the one that holds the offset on, behind a damage from the first that is right. *to_end:
// the visitor saw the last one. kCancelled where the log was cut meanwhile.
Status Segment::State::Visit(int64_t from_offset, const EntryVisitor& visitor, bool* to_end) {
  *to_end = false;
  Boundary at = {0, options.base_offset};
  uint64_t at_truncations;
  {
    std::lock_guard<std::mutex> lock(mutex);
    at_truncations = truncations;
  }
  if (from_offset > options.base_offset) {
    Result<Range> found = FindRange(from_offset, 1, INT64_MAX, Wait::kAllowed);
    if (found.ok() && found->length == 0) return Status::Ok();
    if (!found.ok() && found.status().code() != Code::kCorrupt) return found.status();
    std::lock_guard<std::mutex> lock(mutex);
    if (found.ok()) at = {found->position, found->first_offset};
    for (const Damage& damage : damages) {
      const bool holds = damage.first_offset <= from_offset && from_offset < damage.next_offset;
      if (!found.ok() && holds) at = {damage.position + damage.length, damage.next_offset};
    }
  }
  return WalkInChunks(at, at_truncations, &visitor, to_end);
}

Result<std::vector<uint8_t>> Segment::State::ReadBatchHeaders(int64_t from_offset, size_t limit) {
  if (options.record_format != RecordFormat::kKafka) {
    return Status(Code::kInvalidArgument, "records have no batch headers");
  }
  for (;;) {
    std::vector<uint8_t> headers;
    bool to_end = false;
    const EntryVisitor visitor = [&](const Boundary&, const EntryHeader&, const uint8_t* bytes) {
      headers.insert(headers.end(), bytes, bytes + kBatchHeaderLength);
      return headers.size() < limit * kBatchHeaderLength;
    };
    Status status = Visit(from_offset, visitor, &to_end);
    if (status.code() == Code::kCancelled) continue;
    if (!status.ok()) return status;
    return headers;
  }
}

}  // namespace mykafka
