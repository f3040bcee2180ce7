// A segment's files as an input says: a log by a recipe, indexes that are right, nearly so, or any bytes.
#ifndef MYKAFKA_FUZZ_SEGMENT_CASE_H_
#define MYKAFKA_FUZZ_SEGMENT_CASE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/segment.h"
#include "fuzz/input.h"
#include "fuzz/memory_file_system.h"

namespace mykafka::fuzz {

struct SegmentCase {
  RecordFormat format = RecordFormat::kMykafka;
  bool sparse = false;
  int64_t base = 0;
  uint32_t interval = 1;
  int64_t next_offset = 0;  // behind the last entry that was written as a right one
  Bytes log;
  std::optional<Bytes> index;  // nothing: there is no such file
  std::optional<Bytes> times;
  Input questions = Input(nullptr, 0);

  // [flags][base?][index's part][times' part][questions' part][the steps of the log]
  static SegmentCase Take(Input* input);

  SegmentOptions Options(const std::shared_ptr<MemoryFileSystem>& files) const;
  // The files of this case, in a directory of their own.
  std::shared_ptr<MemoryFileSystem> Files() const;
  std::string Path(const char* suffix) const;
};

// What an answer says, to be compared.
std::string Describe(const Result<Range>& range);

}  // namespace mykafka::fuzz

#endif  // MYKAFKA_FUZZ_SEGMENT_CASE_H_
