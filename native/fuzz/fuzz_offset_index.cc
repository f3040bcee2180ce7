// An offset index whose file is any bytes: opened, asked, appended to, cut and opened again, beside a plain list.
#include <algorithm>
#include <optional>

#include "core/index_slots.h"
#include "core/offset_index.h"
#include "fuzz/check.h"
#include "fuzz/memory_file_system.h"
#include "fuzz/reference.h"
#include "fuzz/targets.h"

namespace mykafka::fuzz {

namespace {

constexpr size_t kLength = OffsetIndex::kEntryLength;
const char* const kPath = "/index";

struct Slot {
  uint32_t relative_offset;
  uint32_t position;
};

// What a file says: its entries up to the zeroes at its end, but the first one where there is room for it.
std::vector<Slot> SlotsOf(const Bytes& file) {
  std::vector<Slot> slots;
  size_t used = 0;
  for (size_t at = 0; at + kLength <= file.size(); at += kLength) {
    const uint8_t* from = file.data() + at;
    slots.push_back(
        {static_cast<uint32_t>(reference::GetBig(from, 4)), static_cast<uint32_t>(reference::GetBig(from + 4, 4))});
    if (slots.size() == 1 || slots.back().relative_offset != 0 || slots.back().position != 0) used = slots.size();
  }
  slots.resize(used);
  return slots;
}

void CheckSame(const OffsetIndex& index, const std::vector<Slot>& slots) {
  FUZZ_CHECK(index.count() == slots.size() && index.capacity() >= slots.size());
  for (size_t i = 0; i < slots.size(); ++i) {
    FUZZ_CHECK(index.At(i).relative_offset == slots[i].relative_offset && index.At(i).position == slots[i].position);
  }
  FUZZ_CHECK(index.Last().has_value() == !slots.empty());
  if (!slots.empty()) FUZZ_CHECK(index.Last()->position == slots.back().position);
}

// `found` is the last one that is not above the target, where they ascend; else any that is not.
template <typename Key>
void CheckFloor(const std::vector<Slot>& slots, const std::optional<IndexEntry>& found,
                const std::optional<IndexEntry>& next, int64_t target, Key key) {
  if (found) FUZZ_CHECK(key(*found) <= target);
  if (next) FUZZ_CHECK(key(*next) > target);
  const auto less = [&](const Slot& a, const Slot& b) { return key(a) < key(b); };
  if (!std::is_sorted(slots.begin(), slots.end(), less)) return;
  const auto behind =
      std::find_if(slots.begin(), slots.end(), [&](const Slot& slot) { return int64_t{key(slot)} > target; });
  FUZZ_CHECK(found.has_value() == (behind != slots.begin()));
  if (!found) return;
  FUZZ_CHECK(found->position == (behind - 1)->position && found->relative_offset == (behind - 1)->relative_offset);
}

void CheckVerdicts(const Bytes& file, const std::vector<Slot>& slots, Input input) {
  FUZZ_CHECK(UsedSlots(file.data(), file.size(), kLength) == slots.size());
  std::vector<int64_t> keys;
  for (const Slot& slot : slots) keys.push_back(slot.position);
  IndexSlots judged(keys);
  std::vector<bool> asked(slots.size());
  int64_t highest = INT64_MIN;
  for (int calls = 0; calls < 16 && !input.empty(); ++calls) {
    const int64_t key = input.Number();
    judged.JudgeBelow(key, [&](size_t slot) {
      FUZZ_CHECK(!asked[slot] && keys[slot] < key && keys[slot] >= highest);
      asked[slot] = true;
      return slot % 3 == 0 ? SlotVerdict::kWrong : SlotVerdict::kRight;
    });
    highest = std::max(highest, key);
  }
  const std::vector<SlotVerdict> verdicts = judged.Verdicts();
  FUZZ_CHECK(verdicts.size() == slots.size());
  int64_t last = INT64_MIN;
  for (size_t slot = 0; slot < verdicts.size(); ++slot) {
    FUZZ_CHECK(asked[slot] == (keys[slot] < highest));
    FUZZ_CHECK(asked[slot] || verdicts[slot] == SlotVerdict::kNotChecked);
    if (verdicts[slot] != SlotVerdict::kRight) continue;
    FUZZ_CHECK(keys[slot] > last && slot % 3 != 0);
    last = keys[slot];
  }
}

}  // namespace

void FuzzOffsetIndex(Input input) {
  MemoryFileSystem files;
  const uint8_t kind = input.Byte();
  Input file = input.Part();
  const size_t zeroes = static_cast<size_t>(input.Byte()) * ((kind & 4) != 0 ? 1024 : 1);
  Bytes bytes = file.Rest();
  bytes.resize(bytes.size() + zeroes);
  const bool there = (kind & 1) != 0;
  if (there) files.Put(kPath, bytes);
  const size_t capacity = input.Short();
  if ((kind & 2) != 0) files.FailAt(input.Byte());
  Result<std::shared_ptr<OffsetIndex>> opened = OffsetIndex::Open(files, kPath, capacity);
  if (!opened.ok()) return FUZZ_CHECK(files.failed());
  // One that cannot be read is as good as missing.
  std::vector<Slot> slots = there && !files.failed() ? SlotsOf(bytes) : std::vector<Slot>();
  if (files.failed()) slots.resize((*opened)->count());
  if (slots.empty() || !files.failed()) CheckSame(**opened, slots);
  if (files.failed()) return;
  CheckVerdicts(there ? bytes : Bytes(), slots, input.Part());
  std::shared_ptr<OffsetIndex> index = *opened;
  size_t room = 0;
  bool taken_away = false;
  for (int steps = 0; steps < 64 && !input.empty(); ++steps) {
    const uint8_t step = input.Byte();
    const int64_t number = input.Number();
    const auto count = static_cast<size_t>(std::clamp<int64_t>(number, 0, 70'000));
    Status status;
    switch (step % 8) {
      case 0:
        status = index->Reserve(count);
        if (status.ok()) room = count;
        FUZZ_CHECK(status.ok() || files.failed() || (taken_away && MappedIndex::WasTakenAway(status)) ||
                   (status.code() == Code::kSegmentFull && slots.size() + count > index->capacity()));
        break;
      case 1:
        if (room == 0) break;
        --room;
        slots.push_back({static_cast<uint32_t>(number), static_cast<uint32_t>(slots.size() * step)});
        index->Append({slots.back().relative_offset, slots.back().position});
        break;
      case 2:
        index->CutTo(count);
        if (count < slots.size()) slots.resize(count);
        room = 0;
        break;
      case 3:
        status = index->Trim();
        room = 0;
        FUZZ_CHECK(status.ok() || files.failed() || taken_away);
        if (!taken_away && status.ok()) FUZZ_CHECK(files.Get(kPath).size() == slots.size() * kLength);
        break;
      case 4:
        index->CloseFile();
        break;
      case 5: {
        // Also where it is not there any more, or another is.
        if ((step & 64) == 0) break;
        (void)files.Unlink(kPath);
        if ((step & 128) != 0) files.Put(kPath, bytes);
        index->CloseFile();
        taken_away = true;
        break;
      }
      case 6: {
        std::optional<IndexEntry> next;
        const std::optional<IndexEntry> by_offset = index->FloorByOffset(number, &next);
        CheckFloor(slots, by_offset, next, number, [](const auto& slot) { return int64_t{slot.relative_offset}; });
        const std::optional<IndexEntry> by_position = index->FloorByPosition(number);
        CheckFloor(slots, by_position, {}, number, [](const auto& slot) { return int64_t{slot.position}; });
        break;
      }
      default:
        if (taken_away || files.failed()) break;
        opened = OffsetIndex::Open(files, kPath, capacity);
        if (!opened.ok()) return FUZZ_CHECK(files.failed());
        index = *opened;
        slots = SlotsOf(files.Get(kPath));
        room = 0;
    }
    CheckSame(*index, slots);
  }
}

}  // namespace mykafka::fuzz
