// What a segment consists of. Its work is spread over files by subject: segment.cc (opening, files, sync),
// segment_append.cc (the writer), segment_lookup.cc (FindRange), segment_walk.cc (one pass over
// entries), segment_verify.cc (checking what is read, rebuilding the index), segment_search.cc (what is found by
// looking at all entries), segment_times.cc (the time index), segment_recovery.cc (finding the end).
#ifndef MYKAFKA_CORE_SEGMENT_STATE_H_
#define MYKAFKA_CORE_SEGMENT_STATE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/offset_index.h"
#include "core/open_files.h"
#include "core/segment.h"
#include "core/time_index.h"
#include "core/verified_runs.h"

namespace mykafka {

constexpr int64_t kMaxSegmentSize = INT32_MAX;  // positions are 32 bits in the index
constexpr int64_t kMaxRelativeOffset = INT32_MAX;

// Replaced as a whole, never changed: whoever holds a pointer keeps the files open.
struct SegmentFiles {
  std::shared_ptr<File> log;
  std::shared_ptr<OffsetIndex> index;
  std::shared_ptr<TimeIndex> times;  // of a segment that takes appends; null of a sealed one
};
using FilesPointer = std::shared_ptr<const SegmentFiles>;

struct FilesToEnd {
  FilesPointer files;
  Boundary end;  // of what is written
};

// Applies the rule of index entries: the first entry, then one wherever at least interval bytes lie
// behind the last indexed position.
class IndexRule {
 public:
  explicit IndexRule(uint32_t interval) : interval_(interval > 0 ? interval : 1) {}

  void StartBehind(const IndexEntry& last) { last_position_ = last.position; }
  bool Takes(int64_t position) {
    if (last_position_ >= 0 && position - last_position_ < interval_) return false;
    last_position_ = position;
    return true;
  }

 private:
  int64_t interval_;
  int64_t last_position_ = -1;
};

// Where the latest answers ended: that is where most questions go on.
class RangeEnds {
 public:
  void Remember(const Boundary& end) { ends_[Slot(end.offset)] = end; }
  // -1 where it is not known.
  int64_t PositionOf(int64_t offset) const {
    const Boundary& end = ends_[Slot(offset)];
    return end.offset == offset ? end.position : -1;
  }
  void Forget() { ends_.fill({-1, -1}); }

  RangeEnds() { Forget(); }

 private:
  static constexpr size_t kSlots = 16;
  static size_t Slot(int64_t offset) { return static_cast<size_t>(offset) % kSlots; }

  std::array<Boundary, kSlots> ends_;
};

// What is known of a segment's time index.
enum class TimesState : uint8_t {
  kUnread,  // nothing, yet
  kRight,   // this process wrote it or held it against the log
  kWrong,   // it has to be made anew from the log
  kNone,    // it could not be written: searches do without
};

// Is shown right entries in order: where one begins, its header, and the first bytes of it
// (EntryFormat::header_length; null where its length stands behind its key). False ends the pass behind it. In a sparse
// segment the place has the least offset that may stand there, the header that of the entry.
using EntryVisitor = std::function<bool(const Boundary& at, const EntryHeader& header, const uint8_t* bytes)>;

class Segment::State final : public OpenFiles::Owner {
 public:
  explicit State(SegmentOptions segment_options);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // --- segment.cc
  // The open files; opens them where they are closed and wait allows.
  Result<FilesPointer> Acquire(Wait wait);
  Result<FilesPointer> OpenFilesNow(bool for_appends);
  // With verify_mutex, so that it stays as it is: the open files, and where the log ends. kCancelled where it was cut
  // since so many truncations.
  Result<FilesToEnd> AcquireUncut(uint64_t at_truncations);
  // Puts files in use (at birth, or an index in place of another): the log is all that stays open.
  void Install(FilesPointer opened);
  std::shared_ptr<const void> ReleaseIfIdle() override;
  Status Sync();
  void Close();
  size_t IndexCapacity() const { return options.index_max_bytes / OffsetIndex::kEntryLength; }
  size_t TimesCapacity() const { return IndexCapacity() + TimeIndex::kClosing; }
  int64_t Relative(int64_t offset) const { return offset - options.base_offset; }
  bool Clean() const { return synced_changes == changes; }  // with mutex

  // --- segment_append.cc
  Status Append(const PackedBatch* batches, size_t batch_count, int64_t first_offset);
  Status Seal(bool trim);
  Status TruncateTo(int64_t offset);

  // --- segment_lookup.cc
  Result<Range> FindRange(int64_t offset, int64_t max_bytes, int64_t upper_bound, Wait wait);

  // --- segment_verify.cc
  // Checks what an answer to FindRange needs and is not checked yet. start is the position of the entry
  // with this offset, or -1 where that is not known.
  Status VerifyFor(int64_t offset, int64_t start, int64_t max_bytes, int64_t upper_bound);
  Status VerifyAll();
  // A pass from a certain place to the end, in pieces, so that others get to what they need meanwhile. *to_end: it got
  // there, and the visitor (where there is one) saw the last entry. kCancelled where the log was cut since so many
  // truncations.
  Status WalkInChunks(Boundary at, uint64_t at_truncations, const EntryVisitor* visitor, bool* to_end);
  // Writes the index anew from the log, unless another did since `seen` was found wrong.
  Status RebuildIndex(const FilesPointer& seen);

  // --- segment_times.cc
  Result<std::optional<FoundEntry>> FindTimestamp(int64_t timestamp, int64_t from_offset);
  // The largest timestamp of all there is: by the end of the time index, or by a pass that makes it anew.
  Status LoadTimestamps();
  // With writer_mutex: the last entries of a segment that is sealed now. It can do without them.
  void CloseTimes(TimeIndex& times, bool trim);
  // What the largest timestamp will be when the log ends at the boundary, where that is known from the time index.
  std::optional<TimeEntry> LargestBefore(const Boundary& end);
  // With verify_mutex and writer_mutex: fits the time index to a log that was cut to end there.
  Status CutTimes(TimeIndex& times, const Boundary& end, const std::optional<TimeEntry>& largest);
  // With mutex: this is the largest timestamp of all there is.
  void KnowLargest(const TimeEntry& largest, TimesState state);

  // --- segment_search.cc
  Result<std::vector<uint8_t>> ReadBatchHeaders(int64_t from_offset, size_t limit);

  const SegmentOptions options;
  const EntryFormat& format;
  const std::string log_path;
  const std::string index_path;
  const std::string times_path;

  // Order of locks: times_mutex, verify_mutex, writer_mutex, sync_mutex, cut_mutex, open_mutex, mutex. All but the last
  // are held across file operations; mutex never is, and no lock is taken under it.
  std::mutex times_mutex;   // one thread at a time looks at the end of the time index or makes it anew
  std::mutex verify_mutex;  // one thread at a time checks the log or replaces the index
  std::mutex writer_mutex;  // the writer, and whoever must keep it still for a moment
  std::mutex sync_mutex;    // one fdatasync at a time: a failure is told to one caller of two
  std::mutex cut_mutex;     // while a cut is synced: a sync beside it ends behind that, for the same reason
  std::mutex open_mutex;

  std::mutex mutex;  // what follows
  FilesPointer files;
  int64_t size = 0;
  int64_t next_offset = 0;
  int64_t synced_size = 0;
  int64_t largest_timestamp = -1;
  int64_t largest_offset = -1;    // of the first entry that has it
  bool timestamps_known = false;  // they are those of all there is
  TimesState times_state = TimesState::kUnread;
  uint64_t changes = 0;  // to the log file; those up to synced_changes are on the disk
  uint64_t synced_changes = 0;
  uint64_t truncations = 0;
  VerifiedRuns runs;
  std::vector<Damage> damages;  // by position
  RangeEnds range_ends;
  bool closed = false;
  bool sealed = false;
  bool append_failed = false;  // and the half-written tail could not be cut
  bool sync_failed = false;

 private:
  void CutBlank(const SegmentFiles& opened);
  struct Lookup;  // segment_lookup.cc
  Status Visit(int64_t from_offset, const EntryVisitor& visitor, bool* to_end);
  Status CheckWritable(int64_t first_offset);
  void CutBack(File& log, int64_t position);
  Status GrowIndex(size_t entries, FilesPointer* opened);
  Status ReserveInIndexes(size_t entries, size_t times, FilesPointer* opened);
  struct TimeSearch;  // segment_times.cc
  Status LookAtTimes();
  Status MakeTimes();
  Status WriteTimes(const FilesPointer& opened, std::vector<TimeEntry>* entries, const TimeEntry& largest);
  void BeginByIndex(TimeSearch* search);
  Result<TimeFloor> FloorInTimes(int64_t timestamp);
};

// `<directory>/<20 digits><suffix>`
std::string SegmentPath(const SegmentOptions& options, const char* suffix);

}  // namespace mykafka

#endif  // MYKAFKA_CORE_SEGMENT_STATE_H_
