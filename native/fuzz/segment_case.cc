#include "fuzz/segment_case.h"

#include <cstdio>
#include <vector>

#include "fuzz/check.h"
#include "fuzz/log_recipe.h"
#include "fuzz/reference.h"

namespace mykafka::fuzz {

namespace {

enum Flags : uint8_t { kKafka = 1, kSparse = 2, kBase = 4, kIntervals = 24 };

// By the rule: the first entry, then one wherever `interval` bytes lie behind the last indexed.
struct RightIndexes {
  Bytes index;
  Bytes times;

  RightIndexes(const SegmentCase& segment) {  // NOLINT(google-explicit-constructor)
    int64_t last = -1;
    int64_t largest = -1;
    int64_t largest_offset = 0;
    int64_t recorded = -1;
    int64_t end = segment.base;
    for (const reference::Entry& entry : reference::ReadChain(segment.log, segment.format, 0)) {
      if (entry.timestamp > largest) {
        largest = entry.timestamp;
        largest_offset = entry.first - segment.base;
      }
      end = entry.last;
      if (last >= 0 && entry.position - last < segment.interval) continue;
      last = entry.position;
      reference::PutBig(&index, static_cast<uint64_t>(entry.first - segment.base), 4);
      reference::PutBig(&index, static_cast<uint64_t>(entry.position), 4);
      if (largest > recorded) Time(recorded = largest, largest_offset);
    }
    if (largest > recorded) Time(largest, largest_offset);
    Time(largest, end - segment.base);
  }

 private:
  void Time(int64_t timestamp, int64_t relative_offset) {
    reference::PutBig(&times, static_cast<uint64_t>(timestamp), 8);
    reference::PutBig(&times, static_cast<uint64_t>(relative_offset), 4);
  }
};

// [kind][places to change or bytes]: none, any bytes, the right one, or that with changes.
std::optional<Bytes> IndexAs(Input input, const Bytes& right) {
  const uint8_t kind = input.Byte();
  if ((kind & 3) == 0) return std::nullopt;
  if ((kind & 3) == 1) return input.Rest();
  Bytes bytes = right;
  while ((kind & 3) == 3 && !input.empty() && !bytes.empty()) {
    const auto at = static_cast<size_t>(input.NumberIn(0, static_cast<int64_t>(bytes.size()) - 1));
    const uint8_t change = input.Byte();
    if (change == 0) bytes.resize(at);
    if (change == 1) bytes.resize(bytes.size() + at % 64);
    if (change > 1) bytes[at] ^= change;
  }
  return bytes;
}

}  // namespace

SegmentCase SegmentCase::Take(Input* input) {
  SegmentCase made;
  const uint8_t flags = input->Byte();
  made.format = (flags & kKafka) != 0 ? RecordFormat::kKafka : RecordFormat::kMykafka;
  made.sparse = (flags & kSparse) != 0;
  if ((flags & kBase) != 0) made.base = input->NumberIn(0, (int64_t{1} << 53) - 1 - INT32_MAX);
  static constexpr uint32_t kEach[] = {1, 100, 4096, 300};
  made.interval = kEach[(flags & kIntervals) >> 3];
  const Input index = input->Part();
  const Input times = input->Part();
  made.questions = input->Part();
  LogRecipe recipe(made.format, made.base);
  recipe.Follow(input);
  made.log = recipe.log();
  made.next_offset = recipe.next_offset();
  const RightIndexes right(made);
  made.index = IndexAs(index, right.index);
  made.times = IndexAs(times, right.times);
  return made;
}

SegmentOptions SegmentCase::Options(const std::shared_ptr<MemoryFileSystem>& files) const {
  SegmentOptions options;
  options.file_system = files;
  options.directory = "/log";
  options.base_offset = base;
  options.index_interval_bytes = interval;
  options.index_max_bytes = 1 << 16;
  options.record_format = format;
  options.sparse = sparse;
  return options;
}

std::string SegmentCase::Path(const char* suffix) const {
  char name[32];
  snprintf(name, sizeof name, "/log/%020lld", static_cast<long long>(base));
  return std::string(name) + suffix;
}

std::shared_ptr<MemoryFileSystem> SegmentCase::Files() const {
  auto files = std::make_shared<MemoryFileSystem>();
  files->Put(Path(".log"), log);
  if (index) files->Put(Path(".index"), *index);
  if (times) files->Put(Path(".timeindex"), *times);
  return files;
}

std::string Describe(const Result<Range>& range) {
  if (!range.ok()) return CodeName(range.status().code());
  return std::to_string(range->position) + "+" + std::to_string(range->length) + " " +
         std::to_string(range->first_offset) + ".." + std::to_string(range->last_offset) + " (" +
         std::to_string(range->count) + ")";
}

}  // namespace mykafka::fuzz
