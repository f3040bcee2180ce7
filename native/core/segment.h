// One segment of a partition log: `%020d.log`, its sparse, memory-mapped `%020d.index`, and `%020d.timeindex`.
//
// Contract
//  * One writer: Append, Seal, TruncateTo and Recover are called by one thread at a time (the log's
//    append queue sees to it). FindRange, Read, Sync, Verify, the getters and the pins are safe on any
//    thread beside it.
//  * An append is published (visible to FindRange) only when it is written whole. One that fails
//    leaves size, next offset and index as they were, and the half-written tail is cut, on the disk too; where
//    even that fails, the segment refuses further appends (kIo) until it is opened anew.
//  * Room in the indexes is reserved, with real blocks, before a byte of the log is written.
//  * The index is disposable: every lookup checks that the entry at the position it names bears the
//    offset it names (and the CRC, where that region is not verified). What is missing, short, zeroed
//    or wrong is rebuilt from the log. So is the time index (time_index.h).
//  * Verified regions: what this process appended or has checked. Nothing outside of them is handed out.
//  * Behind a damaged entry, reading resumes at the next right one; the offsets between are kCorrupt.
//  * In a sparse segment (what compaction left of others) missing offsets are no damage: each question about one is
//    answered by the first entry behind it.
//  * Files are opened on demand and closed by least recent use (open_files.h) while clean and unpinned.
#ifndef MYKAFKA_CORE_SEGMENT_H_
#define MYKAFKA_CORE_SEGMENT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/entry.h"
#include "core/file.h"
#include "core/status.h"

namespace mykafka {

// What gets consecutive offsets. For a mykafka log, packed records (record.h) with one timestamp. For a kafka log,
// one RecordBatch v2 that CheckBatch has accepted, which is stamped where it lies and written from there; count is
// that of its offsets, and timestamp is that of the append, or -1 where the records keep theirs.
struct PackedBatch {
  const uint8_t* data = nullptr;
  size_t length = 0;
  uint32_t count = 0;
  int64_t timestamp = 0;
};

// A run of whole entries, contiguous in the file.
struct Range {
  int64_t position = 0;
  int64_t length = 0;  // 0: nothing to read below the bound
  // The first entry's: it may begin below the offset that was asked for, in a sparse segment also above it.
  int64_t first_offset = -1;
  int64_t last_offset = -1;  // the last entry's
  int64_t count = 0;         // of offsets; of a sparse segment, of records
};

// Bytes that are no right entries, and the offsets [first_offset, next_offset) lost with them. A length of 0
// is a gap: the entries around it are right, those between are not there.
struct Damage {
  int64_t position = 0;
  int64_t length = 0;
  int64_t first_offset = 0;
  int64_t next_offset = 0;
};

// One entry, as a search finds it.
struct FoundEntry {
  int64_t offset = -1;
  int64_t last_offset = -1;
  int64_t timestamp = -1;  // its largest
};

constexpr int64_t kLargestTimestamp = INT64_MAX;  // FindTimestamp

struct SegmentOptions {
  std::shared_ptr<FileSystem> file_system;
  std::string directory;
  int64_t base_offset = 0;
  uint32_t index_interval_bytes = 4096;
  uint32_t index_max_bytes = 10u << 20;  // segment.index.bytes
  RecordFormat record_format = RecordFormat::kMykafka;
  // What compaction left: offsets may be missing before, between and behind its entries.
  bool sparse = false;
};

struct RecoveryReport {
  int64_t next_offset = 0;  // the offset behind the last accepted entry
  int64_t entries_checked = 0;
  int64_t bytes_checked = 0;
  int64_t cut_position = -1;  // -1: nothing was cut
  int64_t cut_length = 0;
  int64_t cut_whole_entries = 0;  // right entries found in what was cut
  std::string cut_path;           // `<segment>.log.cut-<position>`
  bool damaged_tail = false;      // the end is damaged below the recovery point: append elsewhere
};

class Segment {
 public:
  // New and empty; the files must not exist. The caller syncs the directory.
  static Result<std::shared_ptr<Segment>> Create(const SegmentOptions& options);

  // A segment whose end is known: next_offset is the base of the segment behind it. Reads nothing but
  // the file's size.
  static Result<std::shared_ptr<Segment>> OpenSealed(const SegmentOptions& options, int64_t next_offset);

  // The last segment, behind a clean stop: finds its end from the last index entry on. An end that is
  // damaged is below the recovery point by definition: nothing is cut, report->damaged_tail is set and
  // report->next_offset is max(what was found, recovery_point); that of a sparse one is so in any case.
  static Result<std::shared_ptr<Segment>> OpenClean(const SegmentOptions& options, int64_t recovery_point,
                                                    RecoveryReport* report);

  // Behind an unclean stop: drops cached pages, checks every entry from recovery_point up and ends the
  // segment at the first that is not whole and right (offsets must run on, without a gap unless it is sparse); what is
  // cut is copied to `.log.cut-<position>` and synced before the file is truncated. Below recovery_point nothing is cut
  // (see damaged_tail). The index is made to fit. The caller syncs what was accepted.
  static Result<std::shared_ptr<Segment>> OpenRecovering(const SegmentOptions& options, int64_t recovery_point,
                                                         RecoveryReport* report);

  // Puts a whole segment aside as `.log.cut-0` (it lies behind a cut) and removes its index.
  // Fills report's cut_ fields.
  static Status SetAside(const SegmentOptions& options, RecoveryReport* report);

  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  // Writes the batches as consecutive entries from first_offset (which must be next_offset()) in one
  // pwritev, as far as IOV_MAX allows. All or nothing.
  Status Append(const PackedBatch* batches, size_t batch_count, int64_t first_offset);

  // The entries from the one that holds the offset on: as many whole ones as fit max_bytes and lie whole
  // below upper_bound (an exclusive offset), but one at least where one is below the bound. Of a sparse segment, from
  // the first entry behind a missing offset on, and a few MiB at the most; nothing where there is none.
  // With Wait::kNever, kWouldBlock where the disk is needed or the region is not verified; with
  // kAllowed it verifies first. kCorrupt where the offset lies in a damage, kOffsetOutOfRange
  // outside [base_offset, next_offset].
  Result<Range> FindRange(int64_t offset, int64_t max_bytes, int64_t upper_bound, Wait wait);

  // Bytes of the published part of the log, verified or not.
  Result<size_t> Read(void* into, size_t length, int64_t position, Wait wait);

  // fdatasync of the log. Everything published before the call is on the disk when it returns Ok.
  Status Sync();

  // No more appends: trims the indexes to their size.
  Status Seal();

  // The same where the process lets go of the log, which will be appended to again: the indexes keep what is allocated.
  // Trimming thousands of them takes longer than all the rest of a stop.
  Status SealUntrimmed();

  // Cuts off every entry with an offset >= offset (not kept aside). Entries are whole: a batch that holds
  // the offset goes with all its records, as in Kafka. kCorrupt, with nothing cut, inside of a damage. The segment
  // then ends at the offset, or where that batch began.
  // The cut is on the disk when it returns, and a sealed segment takes appends again.
  Status TruncateTo(int64_t offset);

  // The first entry whose largest timestamp is this one or above, of those that hold from_offset or a higher one;
  // with kLargestTimestamp, the first of those with the largest. Nothing where there is none; batches without records
  // do not count. Begins where the time index says; the first question behind an opening may have to make it anew.
  Result<std::optional<FoundEntry>> FindTimestamp(int64_t timestamp, int64_t from_offset);

  // The largest timestamp of all entries, -1 where none has any; timestamps_known() from here on. By the last entries
  // of the time index; where these are not right, by a pass over the log, which makes it anew.
  Result<int64_t> LoadTimestamps();

  // Of a kafka log: the headers (kBatchHeaderLength) of at most `limit` batches, one behind the other, from the one
  // that holds from_offset on. Damaged ones are left out. Empty at the end.
  Result<std::vector<uint8_t>> ReadBatchHeaders(int64_t from_offset, size_t limit);

  // Checks every entry that is not verified yet. The damages then are complete.
  Status Verify();

  int64_t base_offset() const;
  bool sparse() const;
  int64_t next_offset() const;
  bool files_open() const;  // false: the next use opens them, which may wait for the disk
  int64_t size() const;
  int64_t synced_size() const;
  int64_t largest_timestamp() const;    // of what was appended, or seen by the opening; -1 where nothing was
  bool timestamps_known() const;        // largest_timestamp() is that of all there is
  std::vector<Damage> damages() const;  // known so far
  const std::string& log_path() const;

  // The open log file. It stays open while the pointer lives, whatever becomes of the segment.
  Result<std::shared_ptr<File>> PinFile();

  // Closes the files. Later calls are kClosed; pins live on.
  void Close();

  class State;  // segment_state.h
  explicit Segment(std::unique_ptr<State> state);

 private:
  const std::unique_ptr<State> state_;
};

}  // namespace mykafka

#endif  // MYKAFKA_CORE_SEGMENT_H_
