// What a fuzz target asserts: a property that does not hold ends the process, which libFuzzer takes for a crash.
#ifndef MYKAFKA_FUZZ_CHECK_H_
#define MYKAFKA_FUZZ_CHECK_H_

#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/status.h"

namespace mykafka::fuzz {

[[noreturn]] inline void Broken(const char* file, int line, const std::string& what) {
  fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what.c_str());
  abort();
}

inline std::string Describe(const Status& status) {
  return std::string(CodeName(status.code())) + " " + status.message();
}

#define FUZZ_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::mykafka::fuzz::Broken(__FILE__, __LINE__, #condition))

// A Status that must be Ok.
#define FUZZ_OK(expression)                                                                     \
  do {                                                                                          \
    const ::mykafka::Status status_of_check_ = (expression);                                    \
    if (!status_of_check_.ok()) {                                                               \
      ::mykafka::fuzz::Broken(__FILE__, __LINE__, ::mykafka::fuzz::Describe(status_of_check_)); \
    }                                                                                           \
  } while (0)

}  // namespace mykafka::fuzz

#endif  // MYKAFKA_FUZZ_CHECK_H_
