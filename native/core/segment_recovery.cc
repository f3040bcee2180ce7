#include "core/segment_recovery.h"

#include <errno.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/entry_scanner.h"
#include "core/resync.h"

namespace mykafka {

namespace {

constexpr size_t kCopyChunk = 1u << 20;

// A new file for what is put aside: `path`, or `path.1`, `path.2`... where that exists.
Result<std::shared_ptr<File>> CreateAside(FileSystem& file_system, std::string* path) {
  const std::string first = *path;
  for (int suffix = 1;; ++suffix) {
    Result<std::shared_ptr<File>> file = file_system.Open(*path, OpenMode::kCreateNew);
    if (file.ok() || file.status().sys_errno() != EEXIST) return file;
    *path = first + "." + std::to_string(suffix);
  }
}

Status Copy(File& from, int64_t begin, int64_t end, File& to) {
  std::vector<uint8_t> chunk(kCopyChunk);
  for (int64_t at = begin; at < end;) {
    const auto length = static_cast<size_t>(std::min<int64_t>(static_cast<int64_t>(chunk.size()), end - at));
    MYKAFKA_RETURN_IF_ERROR(ReadFully(from, chunk.data(), length, at, Wait::kAllowed));
    iovec part = {chunk.data(), length};
    MYKAFKA_RETURN_IF_ERROR(WriteFully(to, &part, 1, at - begin));
    at += static_cast<int64_t>(length);
  }
  return to.Sync();
}

// Any offset that the segment could hold.
ResyncBounds AnyOffset(const SegmentOptions& options, int64_t end) {
  return {end, options.base_offset, options.base_offset + kMaxRelativeOffset + 1, options.record_format};
}

// Copies what lies behind a position aside, and only then cuts it off.
Status CutTail(const SegmentOptions& options, const std::string& log_path, File& log, int64_t position, int64_t size,
               RecoveryReport* report) {
  Result<int64_t> entries = CountRightEntries(log, position, AnyOffset(options, size));
  if (!entries.ok()) return entries.status();
  std::string path = log_path + ".cut-" + std::to_string(position);
  Result<std::shared_ptr<File>> aside = CreateAside(*options.file_system, &path);
  if (!aside.ok()) return aside.status();
  Status kept = Copy(log, position, size, **aside);
  if (kept.ok()) kept = options.file_system->SyncDirectory(options.directory);
  if (!kept.ok()) {
    (void)options.file_system->Unlink(path);
    return kept;
  }
  MYKAFKA_RETURN_IF_ERROR(log.Truncate(position));
  report->cut_position = position;
  report->cut_length = size - position;
  report->cut_whole_entries = *entries;
  report->cut_path = path;
  return Status::Ok();
}

// The pass that finds the end of a log.
class EndFinder {
 public:
  EndFinder(const Segment::State& state, File& log, int64_t size, RecoveryMode mode, int64_t recovery_point)
      : base_{0, state.options.base_offset},
        interval_(state.options.index_interval_bytes),
        format_(state.format),
        log_(log),
        size_(size),
        mode_(mode),
        recovery_point_(recovery_point),
        sparse_(state.options.sparse),
        scanner_(log, state.format, 0, size),
        runs_(sparse_) {
    Begin(base_);
  }

  // From where the index says; it is held against the log first.
  void BeginAt(const IndexEntry& indexed) {
    Begin({static_cast<int64_t>(indexed.position), base_.offset + indexed.relative_offset});
    by_index_ = at_ != base_;
    exact_ = by_index_;
    if (by_index_) rule_.StartBehind(indexed);
  }

  Status Run() {
    while (at_.position < size_ && !cut_ && !damaged_tail_) MYKAFKA_RETURN_IF_ERROR(Step());
    // A file that ends too early says nothing against the index, but the place it led to may be a wrong one.
    const bool ends_early = at_.position == size_ && at_.offset < recovery_point_ && !damaged_tail_;
    if (ends_early && sparse_) {
      at_.offset = recovery_point_;
      checked_.to = at_;
    } else if (ends_early) {
      if (by_index_) {
        Begin(base_);
        return Run();
      }
      EndDamaged();
    }
    Flush();
    return Status::Ok();
  }

  bool by_index() const { return by_index_; }
  const Boundary& began() const { return began_; }
  const Boundary& end() const { return at_; }
  bool cut() const { return cut_; }
  bool damaged_tail() const { return damaged_tail_; }
  int64_t next_offset() const { return damaged_tail_ ? std::max(at_.offset, recovery_point_) : at_.offset; }
  int64_t synced_size() const { return synced_size_ >= 0 ? synced_size_ : at_.position; }
  // Of the entries that were looked at.
  const TimeEntry& largest() const { return largest_.largest(); }
  const std::vector<TimeEntry>& time_entries() const { return time_entries_; }
  int64_t entries_checked() const { return entries_checked_; }
  int64_t bytes_checked() const { return bytes_checked_; }
  const std::vector<IndexEntry>& index_entries() const { return index_entries_; }
  const VerifiedRuns& runs() const { return runs_; }
  const std::vector<Damage>& damages() const { return damages_; }

 private:
  void Begin(const Boundary& from) {
    began_ = at_ = from;
    checked_ = {from, from};
    by_index_ = false;
    exact_ = false;
    rule_ = IndexRule(interval_);
    index_entries_.clear();
    largest_ = LargestSoFar();
    time_entries_.clear();
    synced_size_ = -1;
  }

  Status Step() {
    if (synced_size_ < 0 && at_.offset >= recovery_point_) synced_size_ = at_.position;
    ScannedEntry entry;
    scanner_.Seek(at_.position);
    Result<bool> any = scanner_.Next(&entry);
    if (!any.ok()) return any.status();
    if (entry.verdict != EntryVerdict::kRight || !Follows(entry.header)) return Broken(entry);
    exact_ = false;
    const int64_t relative_offset = entry.header.offset - base_.offset;
    largest_.See(entry.header.timestamp, relative_offset);
    const bool indexed = by_index_ && at_ == began_;
    if (rule_.Takes(at_.position)) {
      index_entries_.push_back({static_cast<uint32_t>(relative_offset), static_cast<uint32_t>(at_.position)});
    } else if (!indexed) {
      return Passed(entry);
    }
    TimeEntry grown;
    if (largest_.TakeGrown(&grown)) time_entries_.push_back(grown);
    return Passed(entry);
  }

  Status Passed(const ScannedEntry& entry) {
    ++entries_checked_;
    bytes_checked_ += static_cast<int64_t>(entry.header.length);
    at_ = {scanner_.position(), entry.header.next_offset()};
    checked_.to = at_;
    return Status::Ok();
  }

  // In a sparse segment entries may be missing before this one. No offset is further from the base than the index can
  // say.
  bool Follows(const EntryHeader& header) const {
    if (!sparse_ || exact_) return header.offset == at_.offset;
    return header.offset >= at_.offset && header.last_offset - base_.offset <= kMaxRelativeOffset;
  }

  Status Broken(const ScannedEntry& entry) {
    if (by_index_) {
      // The index may have led into the inside of a value: only from the start it is certain.
      Begin(base_);
      return Status::Ok();
    }
    if (mode_ == RecoveryMode::kRecovering && at_.offset >= recovery_point_) {
      cut_ = true;
      return Status::Ok();
    }
    // As many offsets as there is room for entries, or as one that is whole says. By nothing that lies behind: what is
    // cut off there must not change what the next start finds here.
    const int64_t highest = base_.offset + kMaxRelativeOffset;
    ResyncBounds bounds = {size_, at_.offset, highest + 1, format_.format, sparse_};
    if (entry.verdict == EntryVerdict::kRight) bounds.missing = std::max<int64_t>(entry.header.offset - at_.offset, 0);
    if (!sparse_) {
      bounds.room_from = at_.position;
      // Which no entry with room reaches: most are told by it at once.
      const int64_t room = format_.most_offsets(size_ - at_.position) + bounds.missing + 2;
      bounds.end_offset = std::min(bounds.end_offset, at_.offset + room);
    }
    Result<std::optional<ScannedEntry>> found = Resync(log_, entry, bounds);
    if (!found.ok()) return found.status();
    if (!found->has_value()) {
      EndDamaged();
      return Status::Ok();
    }
    const Boundary resumed = {(*found)->position, (*found)->header.offset};
    Flush();
    damages_.push_back({at_.position, resumed.position - at_.position, at_.offset, resumed.offset});
    at_ = resumed;
    checked_ = {at_, at_};
    return Status::Ok();
  }

  void EndDamaged() {
    Flush();
    damaged_tail_ = true;
    damages_.push_back({at_.position, size_ - at_.position, at_.offset, next_offset()});
  }

  void Flush() {
    runs_.Add(checked_);
    checked_.from = checked_.to;
  }

  const Boundary base_;
  const uint32_t interval_;
  const EntryFormat& format_;
  File& log_;
  const int64_t size_;
  const RecoveryMode mode_;
  const int64_t recovery_point_;
  const bool sparse_;
  EntryScanner scanner_;
  IndexRule rule_{0};
  Boundary began_;
  Boundary at_;
  mykafka::Run checked_;
  bool by_index_ = false;
  bool exact_ = false;  // what the index names has the very offset that it says
  bool cut_ = false;
  bool damaged_tail_ = false;
  int64_t synced_size_ = -1;
  LargestSoFar largest_;
  std::vector<TimeEntry> time_entries_;
  int64_t entries_checked_ = 0;
  int64_t bytes_checked_ = 0;
  std::vector<IndexEntry> index_entries_;
  VerifiedRuns runs_;
  std::vector<Damage> damages_;
};

// Makes the index the first `kept` entries of what it was, and then these. It is disposable: where there
// is no room for it, lookups do without.
Result<std::shared_ptr<OffsetIndex>> FitIndex(const Segment::State& state, const std::shared_ptr<OffsetIndex>& index,
                                              size_t kept, const std::vector<IndexEntry>& entries) {
  std::shared_ptr<OffsetIndex> fitted = index;
  if (kept + entries.size() > index->capacity()) {
    Result<std::shared_ptr<OffsetIndex>> larger =
        OffsetIndex::Create(*state.options.file_system, state.index_path, kept + entries.size());
    if (!larger.ok()) return larger.status();
    fitted = *larger;
    if (!fitted->Reserve(kept).ok()) return fitted;
    for (size_t slot = 0; slot < kept; ++slot) fitted->Append(index->At(slot));
  }
  fitted->CutTo(kept);
  if (!fitted->Reserve(entries.size()).ok()) return fitted;
  for (const IndexEntry& entry : entries) fitted->Append(entry);
  return fitted;
}

// Whether the entry that the time index names is there and has that time.
Result<bool> IsRight(const Segment::State& state, const SegmentFiles& files, const TimeEntry& named, int64_t size) {
  const std::optional<IndexEntry> start = files.index->FloorByOffset(named.relative_offset);
  if (!start) return false;
  const int64_t wanted = state.options.base_offset + named.relative_offset;
  EntryScanner scanner(*files.log, state.format, start->position, size);
  for (;;) {
    ScannedEntry entry;
    Result<bool> any = scanner.Next(&entry);
    if (!any.ok()) return any.status();
    if (!*any || entry.verdict != EntryVerdict::kRight || entry.header.offset > wanted) return false;
    if (entry.header.offset == wanted) return entry.header.timestamp == named.timestamp;
  }
}

// Fits the time index to what was found. It is right where the log was looked at from its start, and where its last
// entry speaks of all of the log and the rest bears that out.
Status FitTimes(Segment::State& state, const EndFinder& finder, const SegmentFiles& files, int64_t size) {
  TimeIndex& times = *files.times;
  MYKAFKA_RETURN_IF_ERROR(times.ForgetFrom(state.Relative(finder.next_offset())));
  TimeEntry largest = finder.largest();
  size_t kept = 0;
  bool right = !finder.damaged_tail();
  if (finder.by_index() && right) {
    const std::optional<TimeEntry> closing = times.Last();
    kept = times.count();
    const int64_t from = state.Relative(finder.began().offset);
    while (kept > 0 && times.At(kept - 1).relative_offset >= from) --kept;
    if (kept > 0 && times.At(kept - 1).timestamp >= largest.timestamp) {
      largest = times.At(kept - 1);
      Result<bool> named = IsRight(state, files, largest, size);
      if (!named.ok()) return named.status();
      right = *named;
    }
    right = right && !finder.cut() && closing && closing->timestamp == largest.timestamp &&
            closing->relative_offset == state.Relative(finder.end().offset) - 1;
  }
  if (!right) {
    largest = finder.largest();
    state.KnowLargest(largest, TimesState::kWrong);
    state.timestamps_known = false;
    return Status::Ok();
  }
  times.CutTo(kept);
  std::vector<TimeEntry> entries = finder.time_entries();
  if (kept > 0) {
    const int64_t recorded = times.At(kept - 1).timestamp;
    entries.erase(std::remove_if(entries.begin(), entries.end(),
                                 [&](const TimeEntry& entry) { return entry.timestamp <= recorded; }),
                  entries.end());
  }
  const bool room = times.Reserve(entries.size() + TimeIndex::kClosing).ok();
  for (size_t i = 0; room && i < entries.size(); ++i) times.Append(entries[i]);
  state.KnowLargest(largest, room ? TimesState::kRight : TimesState::kWrong);
  return Status::Ok();
}

Result<std::shared_ptr<Segment>> OpenLast(const SegmentOptions& options, RecoveryMode mode, int64_t recovery_point,
                                          RecoveryReport* report) {
  auto state = std::make_unique<Segment::State>(options);
  *report = RecoveryReport();
  MYKAFKA_RETURN_IF_ERROR(RecoverSegment(*state, mode, recovery_point, report));
  return std::make_shared<Segment>(std::move(state));
}

}  // namespace

Status RecoverSegment(Segment::State& state, RecoveryMode mode, int64_t recovery_point, RecoveryReport* report) {
  Result<FilesPointer> opened = state.OpenFilesNow(true);
  if (!opened.ok()) return opened.status();
  File& log = *(*opened)->log;
  if (mode == RecoveryMode::kRecovering) log.DropCache();
  Result<int64_t> size = log.Size();
  if (!size.ok()) return size.status();

  const std::shared_ptr<OffsetIndex>& index = (*opened)->index;
  std::optional<IndexEntry> start;
  if (mode == RecoveryMode::kClean) {
    start = index->Last();
  } else if (recovery_point > state.options.base_offset) {
    start = index->FloorByOffset(state.Relative(recovery_point));
  }
  EndFinder finder(state, log, *size, mode, recovery_point);
  if (start && static_cast<int64_t>(start->position) < *size) finder.BeginAt(*start);
  MYKAFKA_RETURN_IF_ERROR(finder.Run());

  size_t kept = 0;
  if (finder.by_index()) {
    kept = index->count();
    while (kept > 0 && static_cast<int64_t>(index->At(kept - 1).position) > finder.began().position) --kept;
  }
  Result<std::shared_ptr<OffsetIndex>> fitted = FitIndex(state, index, kept, finder.index_entries());
  if (!fitted.ok()) return fitted.status();
  if (finder.cut()) {
    MYKAFKA_RETURN_IF_ERROR(CutTail(state.options, state.log_path, log, finder.end().position, *size, report));
  }

  report->next_offset = finder.next_offset();
  report->entries_checked = finder.entries_checked();
  report->bytes_checked = finder.bytes_checked();
  report->damaged_tail = finder.damaged_tail();
  state.size = finder.damaged_tail() ? *size : finder.end().position;
  state.next_offset = finder.next_offset();
  state.synced_size = mode == RecoveryMode::kClean ? state.size : finder.synced_size();
  // The caller syncs what was accepted: also where all of it is on the disk, a cut may be in the cache alone that the
  // process before this one did not live to sync.
  state.changes = mode == RecoveryMode::kClean ? 0 : 1;
  state.runs = finder.runs();
  state.damages = finder.damages();
  state.sealed = finder.damaged_tail();
  auto files = std::make_shared<SegmentFiles>(**opened);
  files->index = *fitted;
  MYKAFKA_RETURN_IF_ERROR(FitTimes(state, finder, *files, finder.end().position));
  if (state.sealed) files->times = nullptr;
  state.Install(std::move(files));
  OpenFiles::Instance().Add(&state);
  return Status::Ok();
}

Result<std::shared_ptr<Segment>> Segment::OpenClean(const SegmentOptions& options, int64_t recovery_point,
                                                    RecoveryReport* report) {
  return OpenLast(options, RecoveryMode::kClean, recovery_point, report);
}

Result<std::shared_ptr<Segment>> Segment::OpenRecovering(const SegmentOptions& options, int64_t recovery_point,
                                                         RecoveryReport* report) {
  return OpenLast(options, RecoveryMode::kRecovering, recovery_point, report);
}

Status Segment::SetAside(const SegmentOptions& options, RecoveryReport* report) {
  *report = RecoveryReport();
  const std::string log_path = SegmentPath(options, ".log");
  Result<std::shared_ptr<File>> log = options.file_system->Open(log_path, OpenMode::kReadOnly);
  if (!log.ok()) return log.status();
  Result<int64_t> size = (*log)->Size();
  if (!size.ok()) return size.status();
  Result<int64_t> entries = CountRightEntries(**log, 0, AnyOffset(options, *size));
  if (!entries.ok()) return entries.status();
  MYKAFKA_RETURN_IF_ERROR((*log)->Sync());

  std::string path = log_path + ".cut-0";
  Result<std::shared_ptr<File>> reserved = CreateAside(*options.file_system, &path);
  if (!reserved.ok()) return reserved.status();
  Status moved = options.file_system->Rename(log_path, path);
  if (!moved.ok()) {
    (void)options.file_system->Unlink(path);
    return moved;
  }
  report->next_offset = options.base_offset;
  report->cut_position = 0;
  report->cut_length = *size;
  report->cut_whole_entries = *entries;
  report->cut_path = path;
  for (const char* suffix : {".index", ".timeindex"}) {
    Status removed = options.file_system->Unlink(SegmentPath(options, suffix));
    if (!removed.ok() && removed.sys_errno() != ENOENT) return removed;
  }
  return options.file_system->SyncDirectory(options.directory);
}

}  // namespace mykafka
