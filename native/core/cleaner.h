// Compaction of a partition's log, pass 1: which is the last offset of each key.
//
// Contract
//  * One run over one partition: Index over the dirty segments in the order of their offsets, then a CleanWriter
//    (clean_writer.h) for each group of segments that is written anew.
//  * One call at a time, those of its writers included; Close is safe on any thread beside it.
//  * What is at or behind indexed_to() is unknown and kept by pass 2. What is below is kept where its offset is not
//    below the one that the map has for its key: a key that the map does not have loses nothing.
//  * Records without a key are not in the map, and pass 2 drops them, as Kafka's cleaner does.
//  * Compressed batches are handed out, up to `run_bytes` of them at once (or a larger one), with what lies between
//    them. Their records, decompressed by the caller, come back in order, by as many calls as the caller likes.
//  * Memory: the map, a buffer of a MiB for each pass, and beside them the largest batch of a kafka log, or run_bytes.
//  * Bytes that are not right are kCorrupt. What lies before them is indexed.
#ifndef MYKAFKA_CORE_CLEANER_H_
#define MYKAFKA_CORE_CLEANER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/clean_reader.h"
#include "core/clean_run.h"
#include "core/entry.h"
#include "core/offset_map.h"
#include "core/record_batch.h"
#include "core/segment.h"
#include "core/status.h"

namespace mykafka {

enum class CleanStop : uint8_t {
  kEnd,         // of the segment or of what was asked for
  kFull,        // the map takes no further key: next_offset is the first that is not in it
  kBudget,      // as many bytes were read as the call may
  kCompressed,  // a run with compressed batches, behind which next_offset lies, must be dealt with first
};

// Where a call ended.
struct CleanStep {
  int64_t next_offset = 0;
  CleanStop stop = CleanStop::kEnd;
  std::shared_ptr<const HandedOut> run;  // kCompressed
  int64_t bytes_read = 0;
  int64_t bytes_written = 0;  // of pass 2
};

class Cleaner {
 public:
  Cleaner(RecordFormat format, size_t map_bytes, double load_factor, size_t run_bytes = 0)
      : format_(format), run_bytes_(run_bytes), map_(map_bytes, load_factor), run_(run_bytes) {}
  Cleaner(const Cleaner&) = delete;
  Cleaner& operator=(const Cleaner&) = delete;

  // Records with offsets in [from_offset, to_offset). The budget ends a call behind the entry that exceeds it.
  Result<CleanStep> Index(const std::shared_ptr<Segment>& segment, int64_t from_offset, int64_t to_offset,
                          int64_t budget);
  // The decompressed records of the next compressed batches that the last step handed out. kCorrupt where they are
  // none: what lies before them is indexed.
  Result<CleanStep> IndexRecords(const std::vector<BytesView>& records);

  // Pass 2 asks for this one. -1 before the first Index.
  int64_t indexed_to() const { return indexed_to_; }
  const OffsetMap& map() const { return map_; }
  RecordFormat format() const { return format_; }
  size_t run_bytes() const { return run_bytes_; }

  // Calls under way end with kCancelled, as later ones do.
  void Close() { closed_.store(true, std::memory_order_relaxed); }
  Status CheckOpen() const;
  // Behind Close, once no call is under way: gives the memory of the map back, and lets go of the segment.
  void Release() {
    map_.Clear();
    reader_.reset();
    run_.Clear();
  }

 private:
  // Puts that wait until their slots have come into the cache.
  class Puts {
   public:
    explicit Puts(OffsetMap& map) : map_(map) {}
    void Add(const uint8_t* key, size_t length, int64_t offset);
    size_t count() const { return waiting_.size(); }
    // False where the map is full, from refused() on: then for ever.
    bool Flush();
    int64_t refused() const { return refused_; }

   private:
    struct Entry {
      Hash128 hash;
      int64_t offset;
    };
    OffsetMap& map_;
    std::vector<Entry> waiting_;
    int64_t refused_ = -1;
  };

  Status AddBatch(const BatchHeader& header, const uint8_t* records, size_t length, Puts* puts);
  Result<CleanStep> HandOut(CleanStep step);
  Result<CleanStep> Full(const Puts& puts, CleanStep step);

  const RecordFormat format_;
  const size_t run_bytes_;
  OffsetMap map_;
  int64_t from_offset_ = 0;  // of the last Index
  int64_t to_offset_ = 0;
  int64_t indexed_to_ = -1;
  std::unique_ptr<CleanReader> reader_;
  CleanRun run_;  // handed out
  std::atomic<bool> closed_{false};
};

}  // namespace mykafka

#endif  // MYKAFKA_CORE_CLEANER_H_
