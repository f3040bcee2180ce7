// A log's bytes by a list of steps, so that a fuzzer gets behind the checksums: right entries, some of them large or
// behind gaps, and all that can become of them on a disk: damaged, cut, copied, written to the wrong place. A step is a
// byte, with what belongs to it behind it. Steps that take bytes as they are make a seed of any log.
#ifndef MYKAFKA_FUZZ_LOG_RECIPE_H_
#define MYKAFKA_FUZZ_LOG_RECIPE_H_

#include <cstdint>
#include <string>

#include "core/entry.h"
#include "fuzz/input.h"

namespace mykafka::fuzz {

class LogRecipe {
 public:
  LogRecipe(RecordFormat format, int64_t base_offset) : format_(format), next_(base_offset) {}

  // All steps that the input has, as far as there is room.
  void Follow(Input* input);

  const Bytes& log() const { return log_; }
  // Behind the last entry that was written as a right one.
  int64_t next_offset() const { return next_; }

 private:
  static constexpr size_t kMostBytes = 1 << 19;
  static constexpr int kMostSteps = 200;

  void Step(Input* input);
  // An entry with this value behind so many missing offsets.
  void Entry(Input* input, int64_t gap, const Bytes& value);
  void Record(Input* input, int64_t offset, const Bytes& value);
  void Batch(Input* input, int64_t offset, const Bytes& value);
  // Raw bytes as an entry: what a checksum is over is theirs, the checksum is right.
  void Mend(Bytes bytes);
  void Large(Input* input);
  void LieAboutLength(Input* input);
  // A part of the log so far.
  Bytes Copied(Input* input) const;
  size_t Place(Input* input) const;
  void Append(const Bytes& bytes) { log_.insert(log_.end(), bytes.begin(), bytes.end()); }

  const RecordFormat format_;
  Bytes log_;
  int64_t next_;
  size_t last_ = 0;  // where the last entry begins
  int64_t timestamp_ = 1000;
};

}  // namespace mykafka::fuzz

#endif  // MYKAFKA_FUZZ_LOG_RECIPE_H_
