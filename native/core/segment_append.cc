// The writer's half of a segment: everything here runs on one thread at a time.
#include <errno.h>
#include <sys/uio.h>

#include <algorithm>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "core/append_layout.h"
#include "core/segment_state.h"

namespace mykafka {

namespace {

constexpr size_t kLargestKeptScratch = 4u << 20;

// Another with the same entries, in place of what stands at the path, and room for more.
template <typename Index>
Result<std::shared_ptr<Index>> Copied(FileSystem& file_system, const std::string& path, const Index& from,
                                      size_t more) {
  Result<std::shared_ptr<Index>> copy = Index::Create(file_system, path, from.capacity());
  if (!copy.ok()) return copy.status();
  MYKAFKA_RETURN_IF_ERROR((*copy)->Reserve(from.count() + more));
  for (size_t slot = 0; slot < from.count(); ++slot) (*copy)->Append(from.At(slot));
  return copy;
}

// What an append is laid out in. Each thread has its own: that of one log among thousands would be in no cache.
struct Scratch {
  std::unique_ptr<uint8_t[]> bytes;
  size_t capacity = 0;
  std::vector<iovec> parts;
  std::vector<IndexEntry> entries;
  std::vector<TimeEntry> times;
};

thread_local Scratch scratch;

}  // namespace

Status Segment::State::CheckWritable(int64_t first_offset) {
  if (closed) return {Code::kClosed, "the segment is closed"};
  if (sync_failed) return {Code::kIo, "a sync failed before: what is on the disk is unknown", EIO};
  if (append_failed) return {Code::kIo, "a half-written tail could not be cut", EIO};
  if (sealed) return {Code::kInvalidArgument, "the segment is sealed"};
  if (first_offset != next_offset) return {Code::kInvalidArgument, "appends must go on at the next offset"};
  return Status::Ok();
}

Status Segment::State::Append(const PackedBatch* batches, size_t batch_count, int64_t first_offset) {
  std::lock_guard<std::mutex> writing(writer_mutex);
  Result<FilesPointer> acquired = Acquire(Wait::kAllowed);
  if (!acquired.ok()) return acquired.status();
  FilesPointer opened = std::move(*acquired);
  int64_t position;
  TimeEntry seen;
  bool times_right;
  {
    std::lock_guard<std::mutex> lock(mutex);
    MYKAFKA_RETURN_IF_ERROR(CheckWritable(first_offset));
    position = size;
    if (largest_offset >= 0) seen = {largest_timestamp, static_cast<uint32_t>(Relative(largest_offset))};
    times_right = times_state == TimesState::kRight;
  }
  const std::optional<TimeEntry> last_time = opened->times->Last();

  IndexRule rule(options.index_interval_bytes);
  if (std::optional<IndexEntry> last = opened->index->Last()) rule.StartBehind(*last);
  scratch.entries.clear();
  scratch.times.clear();
  scratch.parts.clear();
  AppendPlanner planner(format, {position, Relative(first_offset)}, rule, &scratch.entries,
                        {seen, last_time ? last_time->timestamp : -1}, &scratch.times);
  for (size_t i = 0; i < batch_count; ++i) MYKAFKA_RETURN_IF_ERROR(planner.Add(batches[i]));
  const AppendPlan& plan = planner.plan();
  if (plan.offsets == 0) return Status::Ok();
  const bool too_long = position + plan.length > kMaxSegmentSize;
  if (too_long && position == 0) return {Code::kRecordTooLarge, "a batch that no segment can hold"};
  if (too_long || Relative(first_offset) + plan.offsets - 1 > kMaxRelativeOffset) {
    return {Code::kSegmentFull, "positions or relative offsets have no room"};
  }

  // A time index that does not say all there was before must not go on: it would be believed.
  if (!times_right) scratch.times.clear();

  // Room in the indexes comes first: where it cannot be had, nothing was written.
  const size_t entries = opened->index->count() + scratch.entries.size();
  if (!scratch.entries.empty() && entries > IndexCapacity()) {
    if (position > 0) return {Code::kSegmentFull, "the index has no room"};
    MYKAFKA_RETURN_IF_ERROR(GrowIndex(entries, &opened));
  }
  MYKAFKA_RETURN_IF_ERROR(ReserveInIndexes(scratch.entries.size(), scratch.times.size(), &opened));

  if (scratch.capacity < plan.scratch) {
    scratch.bytes.reset(new uint8_t[plan.scratch]);
    scratch.capacity = plan.scratch;
  }
  AppendLayout layout(format, first_offset, scratch.bytes.get(), plan.scratch, &scratch.parts);
  for (size_t i = 0; i < batch_count; ++i) MYKAFKA_RETURN_IF_ERROR(layout.Add(batches[i]));
  MYKAFKA_RETURN_IF_ERROR(layout.Finish(plan));

  Status written = WriteFully(*opened->log, scratch.parts.data(), scratch.parts.size(), position);
  if (scratch.capacity > kLargestKeptScratch) {
    scratch.bytes.reset();
    scratch.capacity = 0;
  }
  if (!written.ok()) {
    CutBack(*opened->log, position);
    return written;
  }
  for (const IndexEntry& entry : scratch.entries) opened->index->Append(entry);
  for (const TimeEntry& entry : scratch.times) opened->times->Append(entry);

  std::lock_guard<std::mutex> lock(mutex);
  size = position + plan.length;
  next_offset = first_offset + plan.offsets;
  if (planner.largest().timestamp > largest_timestamp) {
    largest_timestamp = planner.largest().timestamp;
    largest_offset = options.base_offset + planner.largest().relative_offset;
  }
  ++changes;
  try {
    runs.Add({{position, first_offset}, {size, next_offset}});
  } catch (const std::bad_alloc&) {
    // It is appended all the same: what is not known to be right is checked before it is sent.
  }
  return Status::Ok();
}

// Cuts off what a failed write has left, on the disk too: nothing else may be synced of this segment any more, and what
// came back behind a crash would end the log before the segments that follow. A sync that fails here may have lost what
// was appended before, and the system tells that once: who syncs next must not take it for written.
void Segment::State::CutBack(File& log, int64_t position) {
  Result<int64_t> length = log.Size();
  if (length.ok() && *length == position) return;
  std::lock_guard<std::mutex> cutting(cut_mutex);
  const bool cut = log.Truncate(position).ok();
  const bool synced = cut && log.Sync().ok();
  std::lock_guard<std::mutex> lock(mutex);
  append_failed = append_failed || !cut;
  sync_failed = sync_failed || (cut && !synced);
}

// Where the file of an index was taken away, copies go on in place of what is mapped.
Status Segment::State::ReserveInIndexes(size_t entries, size_t times, FilesPointer* opened) {
  // What closes it too, so that sealing needs no room of a full disk.
  const size_t with_closing = times > 0 ? times + TimeIndex::kClosing : 0;
  const SegmentFiles& files = **opened;
  Status reserved = files.index->Reserve(entries);
  if (reserved.ok() && with_closing > 0) reserved = files.times->Reserve(with_closing);
  if (!MappedIndex::WasTakenAway(reserved)) return reserved;
  Result<std::shared_ptr<OffsetIndex>> index = Copied(*options.file_system, index_path, *files.index, entries);
  if (!index.ok()) return index.status();
  Result<std::shared_ptr<TimeIndex>> copy = Copied(*options.file_system, times_path, *files.times, with_closing);
  if (!copy.ok()) return copy.status();
  *opened = std::make_shared<SegmentFiles>(SegmentFiles{files.log, *index, *copy});
  Install(*opened);
  return Status::Ok();
}

// The one batch of a segment may need more entries than the index is meant to hold.
Status Segment::State::GrowIndex(size_t entries, FilesPointer* opened) {
  const SegmentFiles& files = **opened;
  const size_t with_closing = entries + TimeIndex::kClosing;
  if (entries <= files.index->capacity() && with_closing <= files.times->capacity()) return Status::Ok();
  Result<std::shared_ptr<OffsetIndex>> larger = OffsetIndex::Create(*options.file_system, index_path, entries);
  if (!larger.ok()) return larger.status();
  Result<std::shared_ptr<TimeIndex>> times = TimeIndex::Create(*options.file_system, times_path, with_closing);
  if (!times.ok()) return times.status();
  auto replaced = std::make_shared<SegmentFiles>(**opened);
  replaced->index = *larger;
  replaced->times = *times;
  *opened = replaced;
  Install(replaced);
  return Status::Ok();
}

Status Segment::State::Seal(bool trim) {
  std::lock_guard<std::mutex> writing(writer_mutex);
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (closed) return {Code::kClosed, "the segment is closed"};
    if (sealed) return Status::Ok();
  }
  Result<FilesPointer> opened = Acquire(Wait::kAllowed);
  if (!opened.ok()) return opened.status();
  {
    std::lock_guard<std::mutex> lock(mutex);
    sealed = true;
  }
  auto without_times = std::make_shared<SegmentFiles>(**opened);
  without_times->times = nullptr;
  CloseTimes(*(*opened)->times, trim);
  Install(std::move(without_times));
  return trim ? (*opened)->index->Trim() : Status::Ok();
}

Status Segment::State::TruncateTo(int64_t offset) {
  const int64_t base = options.base_offset;
  Boundary end = {0, base};
  int64_t size_before;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (closed) return {Code::kClosed, "the segment is closed"};
    if (sync_failed) return {Code::kIo, "a sync failed before: what is on the disk is unknown", EIO};
    if (offset < base) return {Code::kOffsetOutOfRange, "below the segment's base"};
    if (offset >= next_offset) return Status::Ok();
    size_before = size;
  }
  if (offset > base) {
    Result<Range> found = FindRange(offset, 1, INT64_MAX, Wait::kAllowed);
    if (!found.ok()) return found.status();
    // Behind the last entry of a sparse segment there may be offsets to cut.
    if (found->length > 0) {
      end = {found->position, std::min(found->first_offset, offset)};
    } else if (options.sparse) {
      end = {size_before, offset};
    } else {
      return Status::Ok();  // it was cut off meanwhile
    }
  }
  const std::optional<TimeEntry> largest = LargestBefore(end);
  std::lock_guard<std::mutex> verifying(verify_mutex);
  std::lock_guard<std::mutex> writing(writer_mutex);
  Result<FilesPointer> acquired = Acquire(Wait::kAllowed);
  if (!acquired.ok()) return acquired.status();
  FilesPointer opened = std::move(*acquired);
  {
    std::lock_guard<std::mutex> lock(mutex);
    size = end.position;
    next_offset = end.offset;
    synced_size = std::min(synced_size, size);
    largest_timestamp = -1;
    largest_offset = -1;
    timestamps_known = false;
    times_state = TimesState::kWrong;  // until it is cut
    ++changes;
    ++truncations;
    runs.CutAt(end);
    range_ends.Forget();
    damages.erase(std::remove_if(damages.begin(), damages.end(),
                                 [&](const Damage& damage) { return damage.first_offset >= end.offset; }),
                  damages.end());
    append_failed = true;  // until the file is as short as it should be
  }
  MYKAFKA_RETURN_IF_ERROR(opened->log->Truncate(end.position));

  // A lookup that is under way and meets a slot that was cut holds it against the log, as ever.
  size_t kept = opened->index->count();
  while (kept > 0 && opened->index->At(kept - 1).position >= end.position) --kept;
  opened->index->CutTo(kept);
  if (opened->times == nullptr) {  // it was sealed: from now on it grows again
    auto replaced = std::make_shared<SegmentFiles>(*opened);
    if (opened->index->capacity() < IndexCapacity()) {
      Result<std::shared_ptr<OffsetIndex>> index = OffsetIndex::Open(*options.file_system, index_path, IndexCapacity());
      if (!index.ok()) return index.status();
      replaced->index = *index;
      if (end.position == 0) replaced->index->CutTo(0);
    }
    Result<std::shared_ptr<TimeIndex>> times = TimeIndex::Open(*options.file_system, times_path, TimesCapacity());
    if (!times.ok()) return times.status();
    replaced->times = *times;
    opened = replaced;
    Install(opened);
  }
  MYKAFKA_RETURN_IF_ERROR(CutTimes(*opened->times, end, largest));
  {
    std::lock_guard<std::mutex> lock(mutex);
    append_failed = false;
    sealed = false;
  }
  // Positions are about to be used again: the cut must not come back undone.
  return Sync();
}

}  // namespace mykafka
