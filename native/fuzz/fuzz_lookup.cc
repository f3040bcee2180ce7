// Questions to a segment whose files are any bytes: with whatever index there is, and in whatever order they come, the
// answers are those that the log alone gives. One failing operation changes no later answer. Where others cut the file
// under it, the answers are parts of those from before, or errors.
#include <algorithm>
#include <cstdio>

#include "fuzz/check.h"
#include "fuzz/readable.h"
#include "fuzz/segment_case.h"
#include "fuzz/targets.h"

namespace mykafka::fuzz {

namespace {

void CheckHeaders(Segment* segment, const SegmentCase& files, const Readable& readable, int64_t from, size_t limit) {
  const Result<std::vector<uint8_t>> headers = segment->ReadBatchHeaders(from, limit);
  if (files.format != RecordFormat::kKafka) return FUZZ_CHECK(headers.status().code() == Code::kInvalidArgument);
  if (from > readable.next_offset()) return FUZZ_CHECK(headers.status().code() == Code::kOffsetOutOfRange);
  FUZZ_OK(headers.status());
  Bytes expected;
  for (const reference::Entry& entry : readable.entries()) {
    if (entry.last < from || (!expected.empty() && expected.size() >= limit * 61)) continue;
    const auto at = files.log.begin() + static_cast<std::ptrdiff_t>(entry.position);
    expected.insert(expected.end(), at, at + 61);
  }
  FUZZ_CHECK(*headers == expected);
}

void AskCut(Segment* segment, const SegmentCase& files, const Readable& readable, MemoryFileSystem* file_system,
            Input* questions) {
  const size_t length = std::min<size_t>(questions->Short(), files.log.size());
  file_system->FailAt(0);
  file_system->Cut(files.Path(".log"), length);
  for (int i = 0; i < 8 && (i == 0 || !questions->empty()); ++i) {
    const int64_t offset = files.base + questions->NumberIn(-1, INT32_MAX);
    const int64_t max_bytes = questions->Number();
    const Result<Range> found = segment->FindRange(offset, max_bytes, INT64_MAX, Wait::kAllowed);
    if (!found.ok() || found->length == 0) continue;
    const auto& entries = readable.entries();
    FUZZ_CHECK(std::any_of(entries.begin(), entries.end(), [&](const reference::Entry& entry) {
      return entry.position == found->position && entry.first == found->first_offset && entry.last >= offset;
    }));
    FUZZ_CHECK(std::any_of(entries.begin(), entries.end(), [&](const reference::Entry& entry) {
      return entry.end() == found->position + found->length && entry.last == found->last_offset;
    }));
  }
}

}  // namespace

void FuzzLookup(Input input) {
  SegmentCase segment = SegmentCase::Take(&input);
  Input& questions = segment.questions;
  const int64_t next_offset = std::max(segment.base, segment.next_offset + questions.NumberIn(-64, 1 << 20));
  const Readable readable(segment, next_offset);
  if (IsDeceptive(segment, readable)) return;
  const auto files = segment.Files();
  const Result<std::shared_ptr<Segment>> opened = Segment::OpenSealed(segment.Options(files), next_offset);
  FUZZ_OK(opened.status());
  const uint8_t fault = questions.Byte();
  files->FailAt(fault);
  for (int i = 0; i < 24 && (i == 0 || !questions.empty()); ++i) {
    const uint8_t kind = questions.Byte();
    if (kind == 255) return AskCut(opened->get(), segment, readable, files.get(), &questions);
    const int64_t offset = segment.base + questions.NumberIn(-1, INT32_MAX);
    const int64_t max_bytes = questions.Number();
    const int64_t upper_bound = (kind & 1) != 0 ? segment.base + questions.NumberIn(-1, INT32_MAX) : INT64_MAX;
    const std::string expected = readable.Answer(offset, max_bytes, upper_bound);
    const bool failed_before = files->failed();
    if ((kind & 2) != 0) {
      const Result<Range> at_once = (*opened)->FindRange(offset, max_bytes, upper_bound, Wait::kNever);
      const bool known = at_once.ok() || at_once.status().code() != Code::kWouldBlock;
      const bool failed = files->failed() && !failed_before;
      if (known && !failed) FUZZ_CHECK(Describe(at_once) == expected);
    }
    if ((kind & 12) == 12 && (fault == 0 || files->failed())) {
      CheckHeaders(opened->get(), segment, readable, offset, static_cast<size_t>(1 + (kind >> 4)));
    }
    const bool may_fail = fault > 0 && !files->failed();
    const Result<Range> found = (*opened)->FindRange(offset, max_bytes, upper_bound, Wait::kAllowed);
    if (may_fail && files->failed() && !found.ok()) continue;
    if (Describe(found) != expected) fprintf(stderr, "%s, not %s\n", Describe(found).c_str(), expected.c_str());
    FUZZ_CHECK(Describe(found) == expected);
  }
  files->FailAt(0);
  FUZZ_OK((*opened)->Verify());
  FUZZ_CHECK(Same((*opened)->damages(), readable.damages()));
  CheckHeaders(opened->get(), segment, readable, segment.base + questions.NumberIn(-1, INT32_MAX), 3);
}

}  // namespace mykafka::fuzz
