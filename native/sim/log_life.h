// The life of one log on a simulated disk: it is written, rolled, cut, synced, closed and opened; the process dies and
// the power goes at any operation, also while it is recovered; and what is left is held against the ledger.
#ifndef MYKAFKA_SIM_LOG_LIFE_H_
#define MYKAFKA_SIM_LOG_LIFE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/checks.h"
#include "sim/ledger.h"
#include "sim/partition.h"
#include "sim/promise.h"
#include "sim/random.h"
#include "sim/simulated_disk.h"
#include "sim/simulated_file_system.h"

namespace mykafka::sim {

// What happens how often, in parts of a hundred.
struct Habits {
  uint32_t flush = 15;
  uint32_t roll = 3;
  uint32_t truncate = 3;
  uint32_t ask = 5;
  uint32_t stop = 3;     // clean, and opened again
  uint32_t failure = 0;  // the next operation of some kind fails
  uint32_t steps = 30;   // of a life
  uint32_t batches = 3;  // of an append, at the most
  BatchShape shape;
  int64_t segment_bytes = 16 << 10;
  uint32_t index_interval = 1000;  // at the most
  uint32_t index_bytes = 8192;     // at the most
  uint32_t recovery_crashes = 2;
};

class LogLife {
 public:
  LogLife(uint64_t seed, const Habits& habits, std::vector<std::string>* trace);
  ~LogLife();

  // Throws Broken. Adds to the tally in any case.
  void Run(Tally* tally);

 private:
  void Begin();
  void Live();
  void Step();
  void Append();
  void AppendBatches(bool beside_sync);
  void Flush();
  void Roll();
  void Truncate();
  void Ask();
  void Stop();
  void PlanFailure();
  void Die();
  // Returns whether what was written may be gone meanwhile, the power with it or a failed sync.
  bool Recover(bool power_lost);
  void CheckRefusal(const Status& status, const char* what);
  void ExpectRefusals();
  void Note(const std::string& what) { file_system_->Note(what); }
  // The recovery point that a start finds lags behind.
  void Checkpoint();
  void Acknowledge(int64_t synced);
  bool dead() const { return file_system_->dead(); }

  Random random_;
  const Habits habits_;
  SimulatedDisk disk_;
  std::shared_ptr<SimulatedFileSystem> file_system_;
  PartitionOptions options_;
  Ledger ledger_;
  std::unique_ptr<Partition> partition_;
  int64_t checkpoint_ = 0;
  bool clean_ = false;  // the last stop was
  bool over_ = false;   // this life: nothing is to be written any more
  bool cutting_ = false;
  Tally* tally_ = nullptr;
};

}  // namespace mykafka::sim

#endif  // MYKAFKA_SIM_LOG_LIFE_H_
