// The cleaner's writer on a simulated disk: what it says is finished is on the disk, what it leaves unfinished harms
// nothing, and a segment of its making answers rightly whatever became of its indexes. (How the file takes the place of
// others is TypeScript's: test/faults/disk plays that.)
#ifndef MYKAFKA_SIM_COMPACTION_LIFE_H_
#define MYKAFKA_SIM_COMPACTION_LIFE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/clean_writer.h"
#include "sim/ledger.h"
#include "sim/partition.h"
#include "sim/promise.h"
#include "sim/random.h"
#include "sim/simulated_disk.h"
#include "sim/simulated_file_system.h"

namespace mykafka::sim {

class CompactionLife {
 public:
  CompactionLife(uint64_t seed, bool fails, std::vector<std::string>* trace);

  // Throws Broken.
  void Run(Tally* tally);

 private:
  void Fill();
  // The group's last segment, and what stays of the group.
  void Choose();
  Status Clean();
  Status Write(const std::shared_ptr<Cleaner>& cleaner);
  Status BeginSwap();
  Status FinishSwap();
  void GoOn();
  void CheckLeft(Tally* tally);
  void CheckCompacted();
  void CheckSegment(Segment* segment);
  std::string PathOf(const char* ending) const;

  Random random_;
  const bool fails_;
  SimulatedDisk disk_;
  std::shared_ptr<SimulatedFileSystem> file_system_;
  PartitionOptions options_;
  Ledger ledger_;
  std::unique_ptr<Partition> partition_;
  size_t group_ = 0;  // so many segments
  int64_t group_end_ = 0;
  std::vector<EntryPointer> kept_;
  Bytes kept_bytes_;
  bool begun_ = false;  // the swap is on the disk
};

}  // namespace mykafka::sim

#endif  // MYKAFKA_SIM_COMPACTION_LIFE_H_
