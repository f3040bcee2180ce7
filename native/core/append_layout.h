// Turns the batches of an append into entries: first a plan (lengths, offsets, index entries), by which room is made,
// then the parts of one write.
#ifndef MYKAFKA_CORE_APPEND_LAYOUT_H_
#define MYKAFKA_CORE_APPEND_LAYOUT_H_

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/entry.h"
#include "core/record.h"
#include "core/segment_state.h"
#include "core/status.h"

namespace mykafka {

struct AppendPlan {
  int64_t offsets = 0;
  int64_t length = 0;
  size_t scratch = 0;  // bytes that are not written from where the caller has them
};

// The place of an append in its segment.
struct AppendPlace {
  int64_t position;
  int64_t relative_offset;
};

class AppendPlanner {
 public:
  // Fills the lists of what the indexes get.
  AppendPlanner(const EntryFormat& format, AppendPlace place, IndexRule rule, std::vector<IndexEntry>* entries,
                const LargestSoFar& largest, std::vector<TimeEntry>* times)
      : format_(format), place_(place), rule_(rule), entries_(entries), largest_(largest), times_(times) {}

  // kInvalidRecord for what is not as CheckPacked or CheckBatch accept it.
  Status Add(const PackedBatch& batch);
  const AppendPlan& plan() const { return plan_; }
  const TimeEntry& largest() const { return largest_.largest(); }

 private:
  Status AddRecords(const PackedBatch& batch);
  Status AddRecordBatch(const PackedBatch& batch);
  void AddEntry(size_t length, int64_t offsets, int64_t timestamp);

  const EntryFormat& format_;
  const AppendPlace place_;
  IndexRule rule_;
  std::vector<IndexEntry>* entries_;
  LargestSoFar largest_;
  std::vector<TimeEntry>* times_;
  AppendPlan plan_;
};

class AppendLayout {
 public:
  // scratch has as many bytes as the plan asked for.
  AppendLayout(const EntryFormat& format, int64_t first_offset, uint8_t* scratch, size_t scratch_length,
               std::vector<iovec>* parts)
      : format_(format),
        first_offset_(first_offset),
        at_(scratch),
        begun_(scratch),
        scratch_length_(scratch_length),
        parts_(parts) {}

  Status Add(const PackedBatch& batch);
  // kInvalidRecord where it is not what was planned.
  Status Finish(const AppendPlan& plan);

 private:
  void AddRecord(const uint8_t* packed, const PackedRecord& record, int64_t offset, int64_t timestamp);
  void Copy(const uint8_t* data, size_t length);
  void Place(const uint8_t* data, size_t length);
  void EndPart();

  const EntryFormat& format_;
  const int64_t first_offset_;
  uint8_t* at_;
  uint8_t* begun_;  // of the scratch bytes that are in no part yet
  const size_t scratch_length_;
  std::vector<iovec>* parts_;
  AppendPlan done_;
};

}  // namespace mykafka

#endif  // MYKAFKA_CORE_APPEND_LAYOUT_H_
