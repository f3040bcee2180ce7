// Checking what this process did not write itself: on reads, on request, and to rebuild an index.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/segment_walk.h"

namespace mykafka {

namespace {

// From what is certain to a place this near, the log itself leads: no index can lie about the way.
constexpr int64_t kNear = 256 << 10;
constexpr int64_t kChunk = 8 << 20;  // between two chances for others to verify what they need

}  // namespace

Status Segment::State::VerifyFor(int64_t offset, int64_t start, int64_t max_bytes, int64_t upper_bound) {
  std::lock_guard<std::mutex> verifying(verify_mutex);
  Result<FilesPointer> opened = Acquire(Wait::kAllowed);
  if (!opened.ok()) return opened.status();
  Boundary end;
  Boundary certain = {0, options.base_offset};
  bool held = false;
  {
    std::lock_guard<std::mutex> lock(mutex);
    end = {size, next_offset};
    if (const mykafka::Run* run = runs.LastFromOffset(offset)) {
      certain = run->to;
      held = run->to.offset > offset;
    }
    for (const Damage& damage : damages) {
      const Boundary behind = {damage.position + damage.length, damage.next_offset};
      if (behind.offset <= offset && behind.position >= certain.position && behind.offset > certain.offset) {
        certain = behind;
      }
    }
  }
  SegmentWalk walk(*this, *(*opened)->log, end);
  walk.StartAt(certain);
  if (!held) {
    const std::optional<IndexEntry> floor = (*opened)->index->FloorByOffset(Relative(offset));
    const Boundary indexed = floor ? Boundary{floor->position, options.base_offset + floor->relative_offset} : certain;
    if (indexed.position > certain.position + kNear && indexed.offset > certain.offset &&
        indexed.position < end.position) {
      walk.StartAt(indexed, certain);
    }
  }
  walk.StopBehind(offset, start, max_bytes, upper_bound);
  return walk.Run();
}

Status Segment::State::WalkInChunks(Boundary at, uint64_t at_truncations, const EntryVisitor* visitor, bool* to_end) {
  *to_end = false;
  for (;;) {
    std::lock_guard<std::mutex> verifying(verify_mutex);
    Result<FilesToEnd> opened = AcquireUncut(at_truncations);
    if (!opened.ok()) return opened.status();
    SegmentWalk walk(*this, *opened->files->log, opened->end);
    walk.StartAt(at);
    walk.Show(visitor);
    walk.StopAtPosition(at.position + kChunk);
    MYKAFKA_RETURN_IF_ERROR(walk.Run());
    *to_end = walk.AtEnd() && !walk.ended();
    if (*to_end || walk.ended()) return Status::Ok();
    at = walk.at();
  }
}

Status Segment::State::VerifyAll() {
  for (;;) {
    uint64_t at_truncations;
    {
      std::lock_guard<std::mutex> lock(mutex);
      at_truncations = truncations;
    }
    bool to_end;
    Status status = WalkInChunks({0, options.base_offset}, at_truncations, nullptr, &to_end);
    if (status.code() != Code::kCancelled) return status;
  }
}

Status Segment::State::RebuildIndex(const FilesPointer& seen) {
  std::lock_guard<std::mutex> verifying(verify_mutex);
  Result<FilesPointer> opened = Acquire(Wait::kAllowed);
  if (!opened.ok()) return opened.status();
  if ((*opened)->index != seen->index) return Status::Ok();
  File& log = *(*opened)->log;
  Boundary end;
  const auto look_at_end = [&] {
    std::lock_guard<std::mutex> lock(mutex);
    end = {size, next_offset};
  };
  look_at_end();

  IndexRule rule(options.index_interval_bytes);
  std::vector<IndexEntry> entries;
  const EntryVisitor collect = [&](const Boundary& at, const EntryHeader& header, const uint8_t*) {
    if (rule.Takes(at.position)) {
      entries.push_back({static_cast<uint32_t>(Relative(header.offset)), static_cast<uint32_t>(at.position)});
    }
    return true;
  };
  SegmentWalk walk(*this, log, end);
  walk.StartAt({0, options.base_offset});
  walk.Show(&collect);
  MYKAFKA_RETURN_IF_ERROR(walk.Run());

  // What was appended meanwhile is little; the writer waits for it.
  std::lock_guard<std::mutex> writing(writer_mutex);
  const Boundary reached = end;
  look_at_end();
  SegmentWalk rest(*this, log, end);
  rest.StartAt(reached);
  rest.Show(&collect);
  MYKAFKA_RETURN_IF_ERROR(rest.Run());

  bool for_appends;
  {
    std::lock_guard<std::mutex> lock(mutex);
    for_appends = !sealed;
  }
  const size_t capacity = std::max(for_appends ? IndexCapacity() : 0, entries.size());
  Result<std::shared_ptr<OffsetIndex>> index = OffsetIndex::Create(*options.file_system, index_path, capacity);
  if (!index.ok()) return index.status();
  MYKAFKA_RETURN_IF_ERROR((*index)->Reserve(entries.size()));
  for (const IndexEntry& entry : entries) (*index)->Append(entry);
  if (!for_appends) MYKAFKA_RETURN_IF_ERROR((*index)->Trim());
  auto replaced = std::make_shared<SegmentFiles>(**opened);
  replaced->index = *index;
  Install(std::move(replaced));
  return Status::Ok();
}

}  // namespace mykafka
