// A few rounds of the simulation (native/sim) under whatever watches the tests; `npm run faults -- simulator` plays
// more. Not under TSan: all of it is one thread, whose simulated fdatasync calls back into the segment, so that it
// takes locks in an order that threads never do.
#if defined(__linux__) && !defined(__SANITIZE_THREAD__)
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/scenarios.h"

namespace mykafka::sim {
namespace {

class Simulation : public ::testing::TestWithParam<const Scenario*> {};

TEST_P(Simulation, KeepsWhatWasPromised) {
  Tally tally;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const Outcome outcome = RunRound(seed, GetParam(), &tally);
    ASSERT_EQ(outcome.broken, "") << "core_sim --scenario " << GetParam()->name << " --rounds 1 --seed " << seed;
  }
  EXPECT_GT(tally.crashes, 0);
  EXPECT_GT(tally.synced, 0);
}

std::vector<const Scenario*> All() {
  std::vector<const Scenario*> all;
  for (const Scenario& scenario : Scenarios()) all.push_back(&scenario);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Simulation, ::testing::ValuesIn(All()), [](const auto& info) {
  std::string name = info.param->name;
  name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
  return name;
});

}  // namespace
}  // namespace mykafka::sim
#endif
