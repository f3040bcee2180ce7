// A time index whose file is any bytes, mapped and read entry by entry: both say the same, and the right thing where
// its entries ascend.
#include <algorithm>
#include <optional>

#include "core/time_index.h"
#include "fuzz/check.h"
#include "fuzz/memory_file_system.h"
#include "fuzz/reference.h"
#include "fuzz/targets.h"

namespace mykafka::fuzz {

namespace {

constexpr size_t kLength = TimeIndex::kEntryLength;
const char* const kPath = "/timeindex";

bool Same(const TimeEntry& a, const TimeEntry& b) {
  return a.timestamp == b.timestamp && a.relative_offset == b.relative_offset;
}
bool Same(const std::optional<TimeEntry>& a, const std::optional<TimeEntry>& b) {
  return a.has_value() == b.has_value() && (!a || Same(*a, *b));
}

std::vector<TimeEntry> SlotsOf(const Bytes& file) {
  std::vector<TimeEntry> slots;
  for (size_t at = 0; at + kLength <= file.size(); at += kLength) {
    const uint8_t* from = file.data() + at;
    slots.push_back({reference::Int64(from), static_cast<uint32_t>(reference::GetBig(from + 8, 4))});
  }
  return slots;
}

std::vector<TimeEntry> Used(std::vector<TimeEntry> slots) {
  while (slots.size() > 1 && slots.back().timestamp == 0 && slots.back().relative_offset == 0) slots.pop_back();
  return slots;
}

void CheckFloor(const std::vector<TimeEntry>& slots, const TimeFloor& floor, int64_t timestamp) {
  if (floor.below) FUZZ_CHECK(floor.below->timestamp < timestamp);
  if (floor.next) FUZZ_CHECK(floor.next->timestamp >= timestamp);
  const auto earlier = [](const TimeEntry& a, const TimeEntry& b) { return a.timestamp < b.timestamp; };
  if (!std::is_sorted(slots.begin(), slots.end(), earlier)) return;
  const auto next =
      std::find_if(slots.begin(), slots.end(), [&](const TimeEntry& slot) { return slot.timestamp >= timestamp; });
  FUZZ_CHECK(Same(floor.next, next == slots.end() ? std::nullopt : std::optional(*next)));
  FUZZ_CHECK(Same(floor.below, next == slots.begin() ? std::nullopt : std::optional(*(next - 1))));
}

void CheckFile(MemoryFileSystem* files, const std::vector<TimeEntry>& slots, int64_t timestamp) {
  const Result<TimeIndexFile> file = TimeIndexFile::Open(*files, kPath);
  if (!file.ok()) return FUZZ_CHECK(files->failed());
  FUZZ_CHECK(file->count() == slots.size());
  for (size_t slot = 0; slot < slots.size(); ++slot) {
    const Result<TimeEntry> entry = file->At(slot);
    if (!entry.ok()) return FUZZ_CHECK(files->failed());
    FUZZ_CHECK(Same(*entry, slots[slot]));
  }
  FUZZ_CHECK(!file->At(slots.size()).ok());
  const Result<TimeFloor> floor = file->FloorByTimestamp(timestamp);
  if (!floor.ok()) return FUZZ_CHECK(files->failed());
  CheckFloor(slots, *floor, timestamp);
}

// What a log with these times makes of its index, and how it is closed.
void CheckMade(Input input, MemoryFileSystem* files) {
  LargestSoFar largest;
  std::vector<TimeEntry> made;
  TimeEntry expected;
  int64_t offset = -1;
  while (!input.empty()) {
    const uint8_t step = input.Byte();
    const int64_t timestamp = input.Number();
    offset += 1 + step % 4;
    largest.See(timestamp, offset);
    if (timestamp > expected.timestamp) expected = {timestamp, static_cast<uint32_t>(offset)};
    TimeEntry grown;
    if (step >= 128 && largest.TakeGrown(&grown)) made.push_back(grown);
  }
  if (offset < 0) return;
  FUZZ_CHECK(Same(largest.largest(), expected));
  const std::optional<TimeEntry> last = made.empty() ? std::nullopt : std::optional(made.back());
  for (const TimeEntry& entry : ClosingEntries(last, expected, offset)) made.push_back(entry);
  FUZZ_CHECK(made.back().timestamp == expected.timestamp && made.back().relative_offset == offset);
  for (size_t i = 1; i < made.size(); ++i) {
    FUZZ_CHECK(made[i].timestamp >= made[i - 1].timestamp && made[i].relative_offset > made[i - 1].relative_offset);
  }
  const Status written = TimeIndexFile::Write(*files, kPath, made);
  FUZZ_CHECK(written.ok() || files->failed());
  if (written.ok()) CheckFile(files, made, expected.timestamp);
}

}  // namespace

void FuzzTimeIndex(Input input) {
  MemoryFileSystem files;
  const uint8_t kind = input.Byte();
  Bytes bytes = input.Part().Rest();
  bytes.resize(bytes.size() + static_cast<size_t>(input.Byte()));
  files.Put(kPath, bytes);
  const size_t capacity = input.Short();
  const Input made = input.Part();
  CheckFile(&files, SlotsOf(bytes), input.Number());
  const Result<std::shared_ptr<TimeIndex>> opened = TimeIndex::Open(files, kPath, capacity);
  FUZZ_OK(opened.status());
  TimeIndex& index = **opened;
  std::vector<TimeEntry> slots = Used(SlotsOf(bytes));
  for (int steps = 0; steps < 32; ++steps) {
    FUZZ_CHECK(index.count() == slots.size());
    for (size_t slot = 0; slot < slots.size(); ++slot) FUZZ_CHECK(Same(index.At(slot), slots[slot]));
    FUZZ_CHECK(Same(index.Last(), slots.empty() ? std::nullopt : std::optional(slots.back())));
    if (input.empty()) break;
    const uint8_t step = input.Byte();
    const int64_t number = input.Number();
    if (step % 4 == 0) {
      if (index.Reserve(1).ok()) {
        slots.push_back({number, step});
        index.Append(slots.back());
      } else {
        FUZZ_CHECK(slots.size() >= index.capacity());
      }
    } else if (step % 4 == 1) {
      const auto count = static_cast<size_t>(std::clamp<int64_t>(number, 0, 100'000));
      index.CutTo(count);
      if (count < slots.size()) slots.resize(count);
    } else if (step % 4 == 2) {
      FUZZ_OK(index.Trim());
      CheckFile(&files, slots, number);
    } else {
      CheckFloor(slots, FloorByTimestamp(index, number), number);
    }
  }
  if ((kind & 1) != 0) files.FailAt(kind >> 1);
  CheckMade(made, &files);
}

}  // namespace mykafka::fuzz
