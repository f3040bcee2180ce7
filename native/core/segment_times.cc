// The time index of a segment: looked at, made anew, asked.
#include <algorithm>
#include <utility>

#include "core/segment_walk.h"

namespace mykafka {

namespace {

// What the time index gets of entries that are seen in their order.
struct TimesOfLog {
  TimesOfLog(uint32_t interval, int64_t base_offset) : base(base_offset), rule(interval), behind({0, base_offset}) {}

  void See(const Boundary& at, const EntryHeader& header) {
    largest.See(header.timestamp, header.offset - base);
    TimeEntry grown;
    if (rule.Takes(at.position) && largest.TakeGrown(&grown)) entries.push_back(grown);
    behind = {at.position + static_cast<int64_t>(header.length), header.next_offset()};
  }

  int64_t base;
  IndexRule rule;
  LargestSoFar largest;
  std::vector<TimeEntry> entries;
  Boundary behind;  // the last one seen
};

}  // namespace

struct Segment::State::TimeSearch {
  TimeSearch(int64_t wanted, int64_t from_offset) : timestamp(wanted), from(from_offset) {}

  const int64_t timestamp;
  int64_t from;  // the offset to begin at
  // What the index says: the entry there, and the offset by which one is found.
  std::optional<TimeEntry> first;
  int64_t found_by = INT64_MAX;

  std::optional<FoundEntry> found;
  bool astray = false;  // it is not as the index says

  // Whether the pass goes on.
  bool See(const EntryHeader& header) {
    if (first && (header.offset != from || header.timestamp != first->timestamp)) astray = true;
    if (header.offset > found_by) astray = true;
    if (astray) return false;
    first.reset();
    const bool is_largest = timestamp == kLargestTimestamp;
    if (header.timestamp < (is_largest ? 0 : timestamp)) return true;
    found_by = INT64_MAX;
    // A batch that lost its records to compaction keeps their time, and is not what is looked for.
    if (header.records == 0 || (is_largest && found && header.timestamp <= found->timestamp)) return true;
    found = {header.offset, header.last_offset, header.timestamp};
    return is_largest;
  }
};

Result<std::optional<FoundEntry>> Segment::State::FindTimestamp(int64_t timestamp, int64_t from_offset) {
  bool by_index = true;
  for (bool made_anew = false;;) {
    MYKAFKA_RETURN_IF_ERROR(LoadTimestamps());
    TimeSearch search(timestamp, from_offset);
    {
      std::lock_guard<std::mutex> lock(mutex);
      const bool none = timestamp == kLargestTimestamp ? largest_offset < 0 : largest_timestamp < timestamp;
      if (timestamps_known && none) return std::optional<FoundEntry>();
    }
    if (by_index) BeginByIndex(&search);
    bool to_end = false;
    const bool direct = timestamp == kLargestTimestamp && search.first;
    const EntryVisitor see = [&](const Boundary&, const EntryHeader& header, const uint8_t*) {
      return search.See(header) && !direct;
    };
    Status status = search.astray ? Status::Ok() : Visit(search.from, see, &to_end);
    const bool cut = status.code() == Code::kOffsetOutOfRange && search.from != from_offset;
    if (status.code() == Code::kCancelled || cut) continue;
    if (!status.ok()) return status;
    // The log ended before the entry that the index promises.
    if (to_end && search.found_by != INT64_MAX) search.astray = true;
    if (!search.astray && (search.found || !direct)) return search.found;
    by_index = search.astray && !made_anew;
    if (!by_index) continue;
    made_anew = true;
    std::lock_guard<std::mutex> lock(mutex);
    if (times_state == TimesState::kRight) times_state = TimesState::kWrong;
  }
}

void Segment::State::BeginByIndex(TimeSearch* search) {
  int64_t next;
  {
    std::lock_guard<std::mutex> lock(mutex);
    next = next_offset;
    if (times_state != TimesState::kRight) return;
    if (search->timestamp == kLargestTimestamp) {
      if (largest_offset < search->from) return;
      search->from = largest_offset;
      search->first = TimeEntry{largest_timestamp, static_cast<uint32_t>(Relative(largest_offset))};
      return;
    }
  }
  Result<TimeFloor> floor = FloorInTimes(search->timestamp);
  const int64_t base = options.base_offset;
  if (!floor.ok() || (floor->below && base + floor->below->relative_offset >= next)) {
    search->astray = true;
    return;
  }
  if (floor->next && base + floor->next->relative_offset >= search->from) {
    search->found_by = base + floor->next->relative_offset;
  }
  if (floor->below && base + floor->below->relative_offset >= search->from) {
    search->from = base + floor->below->relative_offset;
    search->first = floor->below;
  }
}

Result<TimeFloor> Segment::State::FloorInTimes(int64_t timestamp) {
  std::lock_guard<std::mutex> verifying(verify_mutex);  // it is not cut meanwhile
  Result<FilesPointer> opened = Acquire(Wait::kAllowed);
  if (!opened.ok()) return opened.status();
  if ((*opened)->times != nullptr) return FloorByTimestamp(*(*opened)->times, timestamp);
  Result<TimeIndexFile> file = TimeIndexFile::Open(*options.file_system, times_path);
  if (!file.ok()) return file.status();
  return file->FloorByTimestamp(timestamp);
}

Status Segment::State::LoadTimestamps() {
  const auto loaded = [&] {
    std::lock_guard<std::mutex> lock(mutex);
    return times_state == TimesState::kRight || times_state == TimesState::kNone;
  };
  if (loaded()) return Status::Ok();
  std::lock_guard<std::mutex> loading(times_mutex);
  MYKAFKA_RETURN_IF_ERROR(LookAtTimes());
  for (;;) {
    if (loaded()) return Status::Ok();
    Status made = MakeTimes();
    if (!made.ok() && made.code() != Code::kCancelled) return made;
  }
}

// Whether the time index of a sealed segment is right: its last entry speaks of all of the log, and the largest
// timestamp is that of the entry that it names.
Status Segment::State::LookAtTimes() {
  int64_t end;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (times_state != TimesState::kUnread) return Status::Ok();
    if (size == 0) {
      KnowLargest({}, TimesState::kRight);
      return Status::Ok();
    }
    times_state = TimesState::kWrong;
    end = Relative(next_offset);
  }
  Result<TimeIndexFile> file = TimeIndexFile::Open(*options.file_system, times_path);
  if (!file.ok() || file->count() == 0) return Status::Ok();
  const Result<TimeEntry> closing = file->At(file->count() - 1);
  if (!closing.ok() || closing->relative_offset != end - 1 || closing->timestamp < 0) return Status::Ok();
  TimeEntry largest = *closing;
  if (file->count() > 1) {
    const Result<TimeEntry> before = file->At(file->count() - 2);
    if (!before.ok()) return Status::Ok();
    if (before->timestamp == closing->timestamp) largest = *before;
    if (before->relative_offset >= closing->relative_offset) return Status::Ok();
  }
  TimeSearch search(largest.timestamp, options.base_offset + largest.relative_offset);
  search.first = largest;
  bool seen = false;
  bool to_end = false;
  const EntryVisitor see = [&](const Boundary&, const EntryHeader& header, const uint8_t*) {
    seen = true;
    (void)search.See(header);
    return false;
  };
  Status status = Visit(search.from, see, &to_end);
  if (status.code() == Code::kCancelled) return Status::Ok();
  MYKAFKA_RETURN_IF_ERROR(status);
  std::lock_guard<std::mutex> lock(mutex);
  if (seen && !search.astray && sealed) KnowLargest(largest, TimesState::kRight);
  return Status::Ok();
}

void Segment::State::KnowLargest(const TimeEntry& largest, TimesState state) {
  largest_timestamp = largest.timestamp;
  largest_offset = largest.timestamp < 0 ? -1 : options.base_offset + largest.relative_offset;
  timestamps_known = true;
  times_state = state;
}

// A pass over the log. kCancelled where that was cut meanwhile.
Status Segment::State::MakeTimes() {
  uint64_t at_truncations;
  {
    std::lock_guard<std::mutex> lock(mutex);
    at_truncations = truncations;
  }
  TimesOfLog times(options.index_interval_bytes, options.base_offset);
  const EntryVisitor see = [&](const Boundary& at, const EntryHeader& header, const uint8_t*) {
    times.See(at, header);
    return true;
  };
  bool to_end = false;
  MYKAFKA_RETURN_IF_ERROR(Visit(options.base_offset, see, &to_end));

  // What was appended meanwhile is little; the writer waits for it.
  std::lock_guard<std::mutex> verifying(verify_mutex);
  std::lock_guard<std::mutex> writing(writer_mutex);
  Result<FilesToEnd> opened = AcquireUncut(at_truncations);
  if (!opened.ok()) return opened.status();
  SegmentWalk rest(*this, *opened->files->log, opened->end);
  rest.StartAt(times.behind);
  rest.Show(&see);
  MYKAFKA_RETURN_IF_ERROR(rest.Run());
  const Status written = WriteTimes(opened->files, &times.entries, times.largest.largest());
  std::lock_guard<std::mutex> lock(mutex);
  KnowLargest(times.largest.largest(), written.ok() ? TimesState::kRight : TimesState::kNone);
  return Status::Ok();
}

// With verify_mutex and writer_mutex.
Status Segment::State::WriteTimes(const FilesPointer& opened, std::vector<TimeEntry>* entries,
                                  const TimeEntry& largest) {
  int64_t end;
  bool is_sealed;
  {
    std::lock_guard<std::mutex> lock(mutex);
    end = Relative(next_offset);
    is_sealed = sealed;
  }
  if (is_sealed) {
    const std::optional<TimeEntry> last = entries->empty() ? std::nullopt : std::optional(entries->back());
    for (const TimeEntry& closing : ClosingEntries(last, largest, end - 1)) entries->push_back(closing);
    return TimeIndexFile::Write(*options.file_system, times_path, *entries);
  }
  const size_t capacity = std::max(TimesCapacity(), entries->size() + TimeIndex::kClosing);
  Result<std::shared_ptr<TimeIndex>> index = TimeIndex::Create(*options.file_system, times_path, capacity);
  if (!index.ok()) return index.status();
  MYKAFKA_RETURN_IF_ERROR((*index)->Reserve(entries->size() + TimeIndex::kClosing));
  for (const TimeEntry& entry : *entries) (*index)->Append(entry);
  auto replaced = std::make_shared<SegmentFiles>(*opened);
  replaced->times = *index;
  Install(std::move(replaced));
  return Status::Ok();
}

void Segment::State::CloseTimes(TimeIndex& times, bool trim) {
  TimeEntry largest;
  int64_t end;
  bool right;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (largest_offset >= 0) largest = {largest_timestamp, static_cast<uint32_t>(Relative(largest_offset))};
    end = Relative(next_offset);
    right = times_state == TimesState::kRight && size > 0;
  }
  if (right) {
    const std::vector<TimeEntry> closing = ClosingEntries(times.Last(), largest, end - 1);
    right = times.Reserve(closing.size()).ok();
    for (size_t i = 0; right && i < closing.size(); ++i) times.Append(closing[i]);
    if (trim) right = right && times.Trim().ok();
  }
  if (right) return;
  // What it says must not be taken for all there is to say.
  (void)options.file_system->Unlink(times_path);
  std::lock_guard<std::mutex> lock(mutex);
  if (size > 0) times_state = TimesState::kWrong;
}

std::optional<TimeEntry> Segment::State::LargestBefore(const Boundary& end) {
  if (end.position == 0) return TimeEntry();
  int64_t from = options.base_offset;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (times_state != TimesState::kRight) return std::nullopt;
  }
  {
    std::lock_guard<std::mutex> verifying(verify_mutex);
    Result<FilesPointer> opened = Acquire(Wait::kAllowed);
    if (!opened.ok() || (*opened)->times == nullptr) return std::nullopt;
    const TimeIndex& times = *(*opened)->times;
    size_t kept = times.count();
    while (kept > 0 && times.At(kept - 1).relative_offset >= Relative(end.offset)) --kept;
    if (kept > 0) from += times.At(kept - 1).relative_offset;
  }
  // What the index says ends at that entry.
  LargestSoFar largest;
  const EntryVisitor see = [&](const Boundary& at, const EntryHeader& header, const uint8_t*) {
    if (at.position >= end.position) return false;
    largest.See(header.timestamp, Relative(header.offset));
    return true;
  };
  bool to_end = false;
  if (!Visit(from, see, &to_end).ok()) return std::nullopt;
  return largest.largest();
}

Status Segment::State::CutTimes(TimeIndex& times, const Boundary& end, const std::optional<TimeEntry>& largest) {
  MYKAFKA_RETURN_IF_ERROR(times.ForgetFrom(Relative(end.offset)));
  if (!largest) times.CutTo(0);
  std::lock_guard<std::mutex> lock(mutex);
  if (largest) KnowLargest(*largest, TimesState::kRight);
  return Status::Ok();
}

}  // namespace mykafka
