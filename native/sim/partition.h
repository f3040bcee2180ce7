// A row of segments as src/log keeps it, with its order of operations: log-recovery.ts, segment-appender.ts,
// flusher.ts, log-truncation.ts. What these do beside is the concern of test/faults/disk.
#ifndef MYKAFKA_SIM_PARTITION_H_
#define MYKAFKA_SIM_PARTITION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/segment.h"
#include "sim/ledger.h"
#include "sim/simulated_disk.h"
#include "sim/simulated_file_system.h"

namespace mykafka::sim {

struct PartitionOptions {
  SegmentOptions segment;
  int64_t segment_bytes = 16 << 10;
};

// The base offsets of the `.log` files that there are.
std::vector<int64_t> BaseOffsets(const SimulatedDisk& disk);
Image ImageOf(const SimulatedDisk& disk);

class Partition {
 public:
  Partition(PartitionOptions options, SimulatedDisk* disk) : options_(std::move(options)), disk_(disk) {}

  Status Open(int64_t recovery_point, bool clean);
  // A roll where they do not fit comes first.
  Status Append(std::vector<Batch>* batches);
  // Into the active segment; kSegmentFull where it takes no more.
  Status Write(std::vector<Batch>* batches);
  Status Roll();
  // Syncs what was appended before. *reached: up to here it is on the disk.
  Status Flush(int64_t* reached);
  Status TruncateTo(int64_t offset);
  // Behind a Flush.
  void Close(bool trims);

  const std::vector<std::shared_ptr<Segment>>& segments() const { return segments_; }
  Segment& active() const { return *segments_.back(); }
  int64_t end() const { return active().next_offset(); }
  int64_t flushed() const { return flushed_; }
  // Of the segments that the opening went over or put aside, by their `.log`.
  const std::vector<std::pair<std::string, RecoveryReport>>& reports() const { return reports_; }

 private:
  Status OpenClean(int64_t recovery_point);
  Status OpenUnclean(int64_t recovery_point);
  Status GoOnBehindDamage(int64_t base, const RecoveryReport& report);
  Status SetAsideFrom(size_t index);
  Status SyncAccepted(int64_t recovery_point);
  Status Create(int64_t base);
  Status OpenSealed(int64_t base, int64_t next);
  SegmentOptions At(int64_t base) const;
  Status RemoveOrphans();
  Status RemoveIndexes(int64_t base);
  Status Unlink(const std::string& path);

  const PartitionOptions options_;
  SimulatedDisk* const disk_;
  std::vector<int64_t> bases_;
  std::vector<std::shared_ptr<Segment>> segments_;
  std::vector<std::shared_ptr<Segment>> recovered_;
  std::vector<std::pair<std::string, RecoveryReport>> reports_;
  bool names_changed_ = false;
  int64_t flushed_ = 0;
};

}  // namespace mykafka::sim

#endif  // MYKAFKA_SIM_PARTITION_H_
