#include "sim/scenarios.h"

#include "sim/compaction_life.h"
#include "sim/log_life.h"

namespace mykafka::sim {

namespace {

using Trace = std::vector<std::string>;

void Play(uint64_t seed, const Habits& habits, Tally* tally, Trace* trace) {
  LogLife(seed, habits, trace).Run(tally);
}

void Appends(uint64_t seed, Tally* tally, Trace* trace) {
  Habits habits;
  habits.truncate = habits.roll = habits.stop = 0;
  habits.flush = 20;
  Play(seed, habits, tally, trace);
}

void Rolls(uint64_t seed, Tally* tally, Trace* trace) {
  Habits habits;
  habits.roll = 15;
  habits.segment_bytes = 3000;
  Play(seed, habits, tally, trace);
}

// Small records and many: the indexes grow by steps, and beyond what they are meant to hold.
void IndexGrowth(uint64_t seed, Tally* tally, Trace* trace) {
  Habits habits;
  habits.steps = 10;
  habits.shape = {250, 8};
  habits.index_interval = 40;
  habits.index_bytes = 20000;
  habits.segment_bytes = 60000;
  Play(seed, habits, tally, trace);
}

void Truncations(uint64_t seed, Tally* tally, Trace* trace) {
  Habits habits;
  habits.truncate = 25;
  habits.roll = 6;
  habits.segment_bytes = 5000;
  habits.index_interval = 200;
  Play(seed, habits, tally, trace);
}

void Stops(uint64_t seed, Tally* tally, Trace* trace) {
  Habits habits;
  habits.stop = 15;
  habits.index_interval = 200;
  Play(seed, habits, tally, trace);
}

// The start finds much to do, and is interrupted.
void Recoveries(uint64_t seed, Tally* tally, Trace* trace) {
  Habits habits;
  habits.flush = 4;
  habits.roll = 8;
  habits.segment_bytes = 4000;
  habits.recovery_crashes = 4;
  Play(seed, habits, tally, trace);
}

void Failures(uint64_t seed, Tally* tally, Trace* trace) {
  Habits habits;
  habits.failure = 25;
  habits.roll = 8;
  habits.truncate = 6;
  habits.stop = 5;
  habits.segment_bytes = 6000;
  habits.index_interval = 300;
  Play(seed, habits, tally, trace);
}

void Compactions(uint64_t seed, Tally* tally, Trace* trace) {
  CompactionLife(seed, false, trace).Run(tally);
}

void FailingCompactions(uint64_t seed, Tally* tally, Trace* trace) {
  CompactionLife(seed, true, trace).Run(tally);
}

}  // namespace

const std::vector<Scenario>& Scenarios() {
  static const std::vector<Scenario> scenarios = {
      {"append", false, Appends},         {"roll", false, Rolls},      {"index-growth", false, IndexGrowth},
      {"truncation", false, Truncations}, {"stop", false, Stops},      {"recovery", false, Recoveries},
      {"compaction", false, Compactions}, {"failure", true, Failures}, {"compaction-failure", true, FailingCompactions},
  };
  return scenarios;
}

Outcome RunRound(uint64_t seed, const Scenario* scenario, Tally* tally, Trace* trace) {
  const auto& all = Scenarios();
  if (scenario == nullptr) scenario = &all[seed % all.size()];
  ++tally->rounds;
  try {
    scenario->run(seed, tally, trace);
  } catch (const Broken& broken) {
    tally->synced_lost += broken.lost();
    tally->wrong += broken.lost() > 0 ? 0 : 1;
    return {scenario, broken.what()};
  }
  return {scenario, ""};
}

}  // namespace mykafka::sim
