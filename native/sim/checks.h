// Holds an open partition against the ledger: what it answers, byte for byte, whatever its indexes say.
#ifndef MYKAFKA_SIM_CHECKS_H_
#define MYKAFKA_SIM_CHECKS_H_

#include <functional>

#include "sim/ledger.h"
#include "sim/partition.h"
#include "sim/random.h"
#include "sim/simulated_disk.h"

namespace mykafka::sim {

// Whether reads may fail now.
using MayFail = std::function<bool()>;

// All bytes, and a few questions of each kind. Throws Broken. What may fail at the moment is no answer.
void CheckAnswers(const Partition& partition, const Ledger& ledger, Random* random, const MayFail& may_fail);

// No damage in memory, and none found by the check that reads the files.
void CheckUndamaged(const Partition& partition, const Ledger& ledger, const SimulatedDisk& disk,
                    const PartitionOptions& options);

// What recovery cut was kept, and reported.
void CheckAsides(const Survivors& survivors, const Partition& partition, const SimulatedDisk& disk, bool reported,
                 bool loose_offsets);

}  // namespace mykafka::sim

#endif  // MYKAFKA_SIM_CHECKS_H_
