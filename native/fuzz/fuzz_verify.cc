// A log and its indexes held against each other, as `mykafka verify` does: what is said of each damage, of each entry
// and of each slot of an index is so.
#include <algorithm>

#include "core/log_check.h"
#include "fuzz/check.h"
#include "fuzz/readable.h"
#include "fuzz/segment_case.h"
#include "fuzz/targets.h"

namespace mykafka::fuzz {

namespace {

// Each slot that is right names an entry; each that is wrong does not, or does not ascend.
void CheckIndex(const SegmentCase& segment, const Readable& readable, const LogCheck& check) {
  const Bytes bytes = segment.index.value_or(Bytes());
  FUZZ_CHECK(check.index.size() <= bytes.size() / 8);
  int64_t last = -1;
  for (size_t slot = 0; slot < check.index.size(); ++slot) {
    const int64_t offset = segment.base + static_cast<int64_t>(reference::GetBig(&bytes[slot * 8], 4));
    const auto position = static_cast<int64_t>(reference::GetBig(&bytes[slot * 8 + 4], 4));
    const auto& entries = readable.entries();
    const bool named = std::any_of(entries.begin(), entries.end(), [&](const reference::Entry& entry) {
      return entry.position == position && entry.first == offset;
    });
    if (check.index[slot] == SlotVerdict::kRight) {
      FUZZ_CHECK(named && position > last);
      last = position;
    } else {
      FUZZ_CHECK(!named || position <= last);
    }
  }
}

// Each slot that is right has the largest timestamp up to the offset that it names, or to the end.
void CheckTimes(const SegmentCase& segment, const Readable& readable, const LogCheck& check) {
  const Bytes bytes = segment.times.value_or(Bytes());
  FUZZ_CHECK(check.times.size() <= bytes.size() / 12);
  for (size_t slot = 0; slot < check.times.size(); ++slot) {
    if (check.times[slot] != SlotVerdict::kRight) continue;
    const int64_t timestamp = reference::Int64(&bytes[slot * 12]);
    const int64_t offset = segment.base + static_cast<int64_t>(reference::GetBig(&bytes[slot * 12 + 8], 4));
    int64_t largest = -1;
    for (const reference::Entry& entry : readable.entries()) {
      if (entry.first <= offset) largest = std::max(largest, entry.timestamp);
    }
    FUZZ_CHECK(timestamp == largest);
  }
}

void CheckDamages(const Readable& readable, const LogCheck& check, int64_t size) {
  std::vector<Damage> found;
  for (const FoundDamage& each : check.damages) {
    found.push_back(each.where);
    FUZZ_CHECK((each.kind == DamageKind::kGap) == (each.where.length == 0));
    FUZZ_CHECK(each.where.position + each.where.length <= size);
  }
  FUZZ_CHECK(Same(found, readable.damages()));
}

}  // namespace

void FuzzVerify(Input input) {
  SegmentCase segment = SegmentCase::Take(&input);
  Input& questions = segment.questions;
  const uint8_t kind = questions.Byte();
  const auto files = segment.Files();
  LogCheckOptions options;
  options.log_path = segment.Path(".log");
  options.base_offset = segment.base;
  options.sparse = segment.sparse;
  options.index = segment.index.value_or(Bytes());
  options.times = segment.times.value_or(Bytes());
  if ((kind & 1) == 0) options.record_format = segment.format;
  const int64_t next_offset = std::max(segment.base, segment.next_offset + questions.NumberIn(-64, 1 << 20));
  if ((kind & 2) == 0) options.end_offset = next_offset;
  if ((kind & 4) != 0) options.below = segment.base + questions.NumberIn(-1, INT32_MAX);
  if ((kind & 8) != 0) files->FailAt(questions.Byte());
  const Result<LogCheck> check = CheckLog(*files, options);
  if (!check.ok()) return FUZZ_CHECK(files->failed());
  const auto size = static_cast<int64_t>(segment.log.size());
  FUZZ_CHECK(check->size == size && check->checked <= size);
  FUZZ_CHECK(check->format == segment.format || (kind & 1) != 0);
  FUZZ_CHECK(files->Get(options.log_path) == segment.log);
  if (check->format != segment.format || options.end_offset < 0 || (kind & 4) != 0 || files->failed()) return;

  const Readable readable(segment, next_offset);
  int64_t records = 0;
  int64_t largest = -1;
  for (const reference::Entry& entry : readable.entries()) {
    records += entry.records;
    largest = std::max(largest, entry.timestamp);
  }
  FUZZ_CHECK(check->entries == static_cast<int64_t>(readable.entries().size()) && check->records == records);
  FUZZ_CHECK(check->largest_timestamp == largest);
  if (!readable.entries().empty()) FUZZ_CHECK(check->next_offset == readable.entries().back().last + 1);
  CheckDamages(readable, *check, size);
  CheckIndex(segment, readable, *check);
  CheckTimes(segment, readable, *check);
}

}  // namespace mykafka::fuzz
