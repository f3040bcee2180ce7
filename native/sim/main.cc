// core_sim [--seed S] [--rounds N] [--scenario NAME] [--trace]: plays rounds of the simulation, the i-th with seed S +
// i. Says what broke, with what led there; the last line is JSON. Ends with 1 where anything broke.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <map>
#include <string>
#include <vector>

#include "sim/scenarios.h"

namespace {

using mykafka::sim::Outcome;
using mykafka::sim::RunRound;
using mykafka::sim::Scenario;
using mykafka::sim::Scenarios;
using mykafka::sim::Tally;

constexpr int kMostReported = 10;
constexpr size_t kTraced = 80;

int Usage() {
  fprintf(stderr, "usage: core_sim [--seed S] [--rounds N] [--scenario NAME] [--trace]\nNAME:");
  for (const Scenario& scenario : Scenarios()) fprintf(stderr, " %s", scenario.name);
  fprintf(stderr, "\n");
  return 2;
}

std::string Escaped(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') escaped += '\\';
    escaped += letter;
  }
  return escaped;
}

void PrintTrace(const std::vector<std::string>& trace) {
  const size_t from = trace.size() > kTraced ? trace.size() - kTraced : 0;
  for (size_t i = from; i < trace.size(); ++i) printf("    %s\n", trace[i].c_str());
}

void PrintTally(const char* kind, const Tally& tally) {
  printf(
      "\"%s\":{\"rounds\":%lld,\"synced\":%lld,\"written\":%lld,\"syncedLost\":%lld,\"writtenLost\":%lld,"
      "\"wrong\":%lld,\"crashes\":%lld,\"failures\":%lld}",
      kind, static_cast<long long>(tally.rounds), static_cast<long long>(tally.synced),
      static_cast<long long>(tally.written), static_cast<long long>(tally.synced_lost),
      static_cast<long long>(tally.written_lost), static_cast<long long>(tally.wrong),
      static_cast<long long>(tally.crashes), static_cast<long long>(tally.failures));
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t seed = 1;
  uint64_t rounds = 1000;
  const Scenario* scenario = nullptr;
  bool traced = false;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--trace") {
      traced = true;
      continue;
    }
    if (i + 1 == argc) return Usage();
    const char* value = argv[++i];
    if (option == "--seed") {
      seed = strtoull(value, nullptr, 10);
    } else if (option == "--rounds") {
      rounds = strtoull(value, nullptr, 10);
    } else if (option == "--scenario") {
      for (const Scenario& each : Scenarios()) {
        if (strcmp(each.name, value) == 0) scenario = &each;
      }
      if (scenario == nullptr) return Usage();
    } else {
      return Usage();
    }
  }

  Tally torn;
  Tally failing;
  std::vector<std::string> broken;
  for (uint64_t i = 0; i < rounds; ++i) {
    const uint64_t at = seed + i;
    const Scenario& played = scenario != nullptr ? *scenario : Scenarios()[at % Scenarios().size()];
    const Outcome outcome = RunRound(at, &played, played.fails ? &failing : &torn);
    if (traced || !outcome.broken.empty()) {
      std::vector<std::string> trace;
      Tally again;
      RunRound(at, &played, &again, &trace);
      printf("seed %llu (%s): %s\n", static_cast<unsigned long long>(at), played.name,
             outcome.broken.empty() ? "holds" : outcome.broken.c_str());
      PrintTrace(trace);
      fflush(stdout);
    }
    if (outcome.broken.empty()) continue;
    broken.push_back("seed " + std::to_string(at) + " (" + played.name + "): " + outcome.broken);
    if (broken.size() == kMostReported) break;
  }
  printf("{");
  PrintTally("torn", torn);
  printf(",");
  PrintTally("failing", failing);
  printf(",\"broken\":[");
  for (size_t i = 0; i < broken.size(); ++i) printf("%s\"%s\"", i > 0 ? "," : "", Escaped(broken[i]).c_str());
  printf("]}\n");
  return broken.empty() ? 0 : 1;
}
