// What the simulation plays, by name.
#ifndef MYKAFKA_SIM_SCENARIOS_H_
#define MYKAFKA_SIM_SCENARIOS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "sim/promise.h"

namespace mykafka::sim {

struct Scenario {
  const char* name;
  bool fails;  // operations fail beside the crashes
  void (*run)(uint64_t seed, Tally* tally, std::vector<std::string>* trace);
};

const std::vector<Scenario>& Scenarios();

// One round: of the scenario that the seed says, or of the given one. What broke, or nothing.
struct Outcome {
  const Scenario* scenario;
  std::string broken;
};
Outcome RunRound(uint64_t seed, const Scenario* scenario, Tally* tally, std::vector<std::string>* trace = nullptr);

}  // namespace mykafka::sim

#endif  // MYKAFKA_SIM_SCENARIOS_H_
