// Searches by time in a segment whose files are any bytes: whatever its time index says, the answer is what a look at
// every entry gives. Also when it is cut, and when it is sealed.
#include <cstdio>

#include "fuzz/check.h"
#include "fuzz/readable.h"
#include "fuzz/segment_case.h"
#include "fuzz/targets.h"

namespace mykafka::fuzz {

namespace {

std::string Answer(const Readable& readable, int64_t timestamp, int64_t from) {
  const bool largest = timestamp == kLargestTimestamp;
  const reference::Entry* found = nullptr;
  for (const reference::Entry& entry : readable.entries()) {
    if (entry.last < from || entry.records == 0) continue;
    if (entry.timestamp < (largest ? 0 : timestamp)) continue;
    if (found != nullptr && (!largest || entry.timestamp <= found->timestamp)) continue;
    found = &entry;
  }
  if (found == nullptr) return "none";
  return std::to_string(found->first) + ".." + std::to_string(found->last) + " at " + std::to_string(found->timestamp);
}

std::string Describe(const Result<std::optional<FoundEntry>>& found) {
  if (!found.ok()) return Describe(found.status());
  if (!found->has_value()) return "none";
  return std::to_string((*found)->offset) + ".." + std::to_string((*found)->last_offset) + " at " +
         std::to_string((*found)->timestamp);
}

void Ask(Segment* segment, const SegmentCase& files, const Readable& readable, Input* questions, int most) {
  for (int i = 0; i < most && (i == 0 || !questions->empty()); ++i) {
    const uint8_t kind = questions->Byte();
    const int64_t timestamp = (kind & 1) != 0 ? kLargestTimestamp : questions->Number();
    const int64_t from = (kind & 2) != 0 ? files.base + questions->NumberIn(0, INT32_MAX) : files.base;
    if (from > readable.next_offset()) continue;
    const std::string found = Describe(segment->FindTimestamp(timestamp, from));
    const std::string expected = Answer(readable, timestamp, from);
    if (found != expected) fprintf(stderr, "%s, not %s\n", found.c_str(), expected.c_str());
    FUZZ_CHECK(found == expected);
  }
  const Result<int64_t> loaded = segment->LoadTimestamps();
  FUZZ_OK(loaded.status());
  int64_t largest = -1;
  for (const reference::Entry& entry : readable.entries()) largest = std::max(largest, entry.timestamp);
  FUZZ_CHECK(*loaded == largest && segment->timestamps_known());
}

}  // namespace

void FuzzTimes(Input input) {
  SegmentCase segment = SegmentCase::Take(&input);
  Input& questions = segment.questions;
  const uint8_t kind = questions.Byte();
  const auto files = segment.Files();
  if ((kind & 1) == 0) {
    const int64_t next_offset = std::max(segment.base, segment.next_offset + questions.NumberIn(-64, 1 << 20));
    const Readable readable(segment, next_offset);
    if (IsDeceptive(segment, readable)) return;
    const Result<std::shared_ptr<Segment>> opened = Segment::OpenSealed(segment.Options(files), next_offset);
    FUZZ_OK(opened.status());
    return Ask(opened->get(), segment, readable, &questions, 16);
  }
  RecoveryReport report;
  const int64_t recovery_point = segment.base + questions.NumberIn(0, INT32_MAX);
  const auto open = (kind & 2) != 0 ? Segment::OpenClean : Segment::OpenRecovering;
  const Result<std::shared_ptr<Segment>> opened = open(segment.Options(files), recovery_point, &report);
  FUZZ_OK(opened.status());
  SegmentCase now = segment;
  const auto read = [&] {
    now.log = files->Get(segment.Path(".log"));
    return Readable(now, (*opened)->next_offset());
  };
  // Of several damages, who knows where the log ends may believe less of what lies between them.
  FUZZ_OK((*opened)->Verify());
  if (!(*opened)->damages().empty() || IsDeceptive(segment, read())) return;
  Ask(opened->get(), now, read(), &questions, 4);
  if ((kind & 4) != 0) {
    const Status cut = (*opened)->TruncateTo(segment.base + questions.NumberIn(-1, INT32_MAX));
    FUZZ_CHECK(cut.ok() || cut.code() == Code::kCorrupt || cut.code() == Code::kOffsetOutOfRange);
    Ask(opened->get(), now, read(), &questions, 4);
  }
  if ((kind & 8) != 0) {
    FUZZ_OK((kind & 16) != 0 ? (*opened)->Seal() : (*opened)->SealUntrimmed());
    Ask(opened->get(), now, read(), &questions, 4);
    const Result<std::shared_ptr<Segment>> again =
        Segment::OpenSealed(segment.Options(files), (*opened)->next_offset());
    FUZZ_OK(again.status());
    Ask(again->get(), now, read(), &questions, 4);
  }
}

}  // namespace mykafka::fuzz
