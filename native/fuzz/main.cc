// One binary for all targets: their code is built once, which is what takes time.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fuzz/targets.h"

namespace {

const mykafka::fuzz::Target* target = nullptr;

}  // namespace

// libFuzzer leaves arguments with two dashes alone, and hands them on to processes that it starts.
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  constexpr char kFlag[] = "--target=";
  for (int i = 1; i < *argc; ++i) {
    const char* argument = (*argv)[i];
    if (strncmp(argument, kFlag, sizeof kFlag - 1) != 0) continue;
    for (const mykafka::fuzz::Target& each : mykafka::fuzz::kTargets) {
      if (strcmp(each.name, argument + sizeof kFlag - 1) == 0) target = &each;
    }
  }
  if (target != nullptr) return 0;
  fprintf(stderr, "%sNAME, where NAME is one of\n", kFlag);
  for (const mykafka::fuzz::Target& each : mykafka::fuzz::kTargets) printf("%s\n", each.name);
  exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t length) {
  target->run(mykafka::fuzz::Input(data, length));
  return 0;
}
