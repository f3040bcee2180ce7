// Compaction of a partition's log, pass 2: writes what is left of a group of neighbouring segments into one new file,
// `%020d.log.cleaned`, and its indexes into `%020d.index.cleaned` and `%020d.timeindex.cleaned` (20 digits: the group's
// base offset).
//
// Contract
//  * Copy over the segments of the group in the order of their offsets, then Finish; Abort at any time. One call at a
//    time, and none beside one of its Cleaner.
//  * Offsets never change: entries are copied as they are, batches of which records go are written anew.
//  * Compressed batches that may lose records are handed out, as the Cleaner does it. Their records, decompressed,
//    go to Filter, by as many calls as the caller likes; what each of them leaves, compressed again, goes to Append
//    before the next.
//  * A call that fails leaves a file that is good for nothing but Abort.
#ifndef MYKAFKA_CORE_CLEAN_WRITER_H_
#define MYKAFKA_CORE_CLEAN_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/batch_filter.h"
#include "core/clean_reader.h"
#include "core/clean_run.h"
#include "core/cleaner.h"
#include "core/file.h"
#include "core/segment_state.h"
#include "core/status.h"

namespace mykafka {

struct CleanWriterOptions {
  std::shared_ptr<FileSystem> file_system;
  std::string directory;
  int64_t base_offset = 0;
  int64_t end_offset = 0;  // behind all that may become part of the group
  uint32_t index_interval_bytes = 4096;
  // Of kafka logs. Times in ms.
  int64_t now = 0;
  int64_t delete_horizon = 0;       // of batches that get one
  std::vector<int64_t> keep_empty;  // the last offsets of the last batches of producers
};

struct Cleaned {
  int64_t bytes = 0;
  int64_t entries = 0;
  int64_t largest_timestamp = -1;
  CleanCounts counts;
};

// What is left of compressed batches.
struct FilteredRecords {
  std::vector<uint8_t> records;   // uncompressed, of one batch behind those of the other
  std::vector<uint32_t> lengths;  // for each batch that was given: 0 where it is dealt with
  int64_t bytes_written = 0;
};

// Records of a batch, compressed by a codec, which need not be the one that the batch had.
struct CompressedRecords {
  BytesView bytes;
  int codec = 0;
};

class CleanWriter {
 public:
  // Replaces what stands at the paths. The caller syncs the directory.
  static Result<std::shared_ptr<CleanWriter>> Create(std::shared_ptr<Cleaner> cleaner, CleanWriterOptions options);

  ~CleanWriter() = default;
  CleanWriter(const CleanWriter&) = delete;
  CleanWriter& operator=(const CleanWriter&) = delete;

  // The entries from the one that holds the offset on, up to the segment's end. Of mykafka records, tombstones with
  // offsets below drop_tombstones_below go.
  Result<CleanStep> Copy(const std::shared_ptr<Segment>& segment, int64_t from_offset, int64_t drop_tombstones_below,
                         int64_t budget);

  // For the next compressed batches that the last step handed out.
  Result<FilteredRecords> Filter(const std::vector<BytesView>& records);
  // What Filter left. Returns how many bytes were written.
  Result<int64_t> Append(const std::vector<CompressedRecords>& records);

  // How many entries so far are not what they were: dropped, or written anew.
  int64_t changes() const { return changes_; }

  // Everything is on the disk, and the files are closed, when it returns Ok.
  Result<Cleaned> Finish();
  // Removes the files.
  Status Abort();

  const std::string& log_path() const { return log_path_; }
  const std::string& index_path() const { return index_path_; }

 private:
  CleanWriter(std::shared_ptr<Cleaner> cleaner, CleanWriterOptions options);

  // Notes a failure, so that nothing is written behind it.
  template <typename T>
  Result<T> Noted(Result<T> result);
  Status CheckUsable() const;
  Result<CleanStep> CopyEntries(const std::shared_ptr<Segment>& segment, int64_t from_offset,
                                int64_t drop_tombstones_below, int64_t budget);
  Result<FilteredRecords> FilterRun(const std::vector<BytesView>& records);
  Result<int64_t> AppendRun(const std::vector<CompressedRecords>& records);
  // Takes a record into the window, where its slot of the map comes into the cache.
  void Look(const CleanEntry& entry, int64_t drop_tombstones_below);
  // Copies what stays of the window.
  Status CopyWindow();
  // Whether its records are asked for.
  bool IsHandedOut(const BatchHeader& header) const;
  // The records, decompressed. Of one that IsHandedOut, kRewrite leaves its place to Append.
  Result<BatchFilter::Verdict> CopyBatch(const BatchHeader& header, BytesView whole, BytesView records);
  Status CopyWhole(const CleanEntry& entry);
  Status Drop(const BatchHeader& header);
  // In the order of their offsets: behind one that waits for its records the others wait, too.
  Status PutWhole(const BatchHeader& header, BytesView batch);
  Status PutBatch(const BatchHeader& header, BytesView records);
  Status WriteWhole(const BatchHeader& header, BytesView batch);
  Status WriteBatch(const BatchHeader& header, BytesView records);
  int64_t Written() const { return written_ + static_cast<int64_t>(buffered_); }
  // An entry begins that has so many bytes, which Write follows with.
  Status Begin(int64_t offset, size_t length, int64_t timestamp);
  Status Write(const uint8_t* bytes, size_t length);
  Status Flush();
  Status WriteIndexes();

  const std::shared_ptr<Cleaner> cleaner_;
  const CleanWriterOptions options_;
  const std::string log_path_;
  const std::string index_path_;
  const std::string times_path_;
  BatchFilter filter_;
  IndexRule index_rule_;
  std::shared_ptr<File> log_;
  std::shared_ptr<File> index_;
  std::unique_ptr<CleanReader> reader_;
  std::unique_ptr<uint8_t[]> buffer_;
  size_t buffered_ = 0;
  int64_t written_ = 0;  // buffered ones not counted
  std::vector<uint8_t> index_bytes_;
  LargestSoFar largest_;
  std::vector<TimeEntry> times_;
  int64_t copied_to_;    // an offset: what comes next lies behind it
  int64_t next_offset_;  // the least that what comes next may have
  Cleaned cleaned_;
  int64_t changes_ = 0;

  // mykafka records that are looked at together.
  struct Seen {
    CleanEntry entry;
    Hash128 hash;
    enum class Fate : uint8_t { kStays, kGoes, kAsTheMapSays } fate;
  };
  std::vector<Seen> window_;

  // A batch that is written as soon as those before it are.
  struct Held {
    enum class What : uint8_t { kWhole, kRecords, kAwaited } what;
    BatchHeader header;
    BytesView whole;               // in the run
    std::vector<uint8_t> records;  // kRecords
  };
  CleanRun run_;  // handed out
  std::vector<Held> held_;
  size_t awaited_ = 0;  // of them
  Status failed_;
  bool finished_ = false;
};

}  // namespace mykafka

#endif  // MYKAFKA_CORE_CLEAN_WRITER_H_
