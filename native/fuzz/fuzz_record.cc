// A record, packed and stored: accepted exactly where the description of the format says so; what is accepted and
// encoded reads back; of a beginning no more is asked than the whole has.
#include <sys/mman.h>

#include <cstring>

#include "core/record.h"
#include "fuzz/check.h"
#include "fuzz/reference.h"
#include "fuzz/targets.h"

namespace mykafka::fuzz {

namespace {

constexpr int64_t kLongestKey = 16 << 20;
constexpr int64_t kLongest = 1 << 30;

struct Expected {
  Code code = Code::kOk;
  PackedSummary summary;
};

Expected ExpectedOf(const uint8_t* data, int64_t length, uint32_t count, bool keys_required) {
  Expected expected;
  int64_t at = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const int64_t left = length - at;
    if (left < 8) return {Code::kInvalidRecord, {}};
    const int64_t key_length = reference::Int32(data + at);
    const int64_t key = std::max<int64_t>(key_length, 0);
    if (key_length < -1 || key > left - 8) return {Code::kInvalidRecord, {}};
    if (key > kLongestKey) return {Code::kRecordTooLarge, {}};
    const int64_t value_length = reference::Int32(data + at + 4 + key);
    const int64_t value = std::max<int64_t>(value_length, 0);
    if (value_length < -1 || value > left - 8 - key) return {Code::kInvalidRecord, {}};
    const int64_t stored = 28 + key + value;
    if (stored > kLongest) return {Code::kRecordTooLarge, {}};
    if (keys_required && key_length < 0) return {Code::kInvalidRecord, {}};
    expected.summary.stored_length += static_cast<uint64_t>(stored);
    expected.summary.largest_stored = std::max(expected.summary.largest_stored, static_cast<uint32_t>(stored));
    at += 8 + key + value;
  }
  if (at != length) return {Code::kInvalidRecord, {}};
  expected.summary.count = count;
  return expected;
}

bool CheckAsExpected(const uint8_t* data, size_t length, uint32_t count, bool keys_required) {
  const Result<PackedSummary> checked = CheckPacked(data, length, count, keys_required);
  const Expected expected = ExpectedOf(data, static_cast<int64_t>(length), count, keys_required);
  FUZZ_CHECK(checked.status().code() == expected.code);
  if (!checked.ok()) return false;
  FUZZ_CHECK(checked->count == expected.summary.count);
  FUZZ_CHECK(checked->stored_length == expected.summary.stored_length);
  FUZZ_CHECK(checked->largest_stored == expected.summary.largest_stored);
  return true;
}

// How an entry parses whatever part of it there is.
void CheckParse(const Bytes& bytes, bool is_whole) {
  const EntryFormat& format = EntryFormat::Of(RecordFormat::kMykafka);
  ParseVerdict last = ParseVerdict::kNeedMore;
  EntryHeader whole;
  for (size_t available = 0; available <= bytes.size(); ++available) {
    const Bytes part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(available));
    EntryHeader header;
    const ParseVerdict verdict = ParseStored(part.data(), available, &header);
    if (last != ParseVerdict::kNeedMore) FUZZ_CHECK(verdict == last);
    last = verdict;
    if (available >= 20) FUZZ_CHECK(verdict == ParseVerdict::kDamaged || format.worth_a_look(part.data()));
    if (verdict == ParseVerdict::kNeedMore) FUZZ_CHECK(header.length > available && header.length <= kMaxEntryLength);
    if (verdict == ParseVerdict::kDamaged) FUZZ_CHECK(header.length == 0 && !is_whole);
    if (verdict == ParseVerdict::kWhole) FUZZ_CHECK(header.length <= available);
    whole = header;
  }
  const auto entry = reference::ReadRecord(bytes.data(), 0, static_cast<int64_t>(bytes.size()));
  FUZZ_CHECK(!is_whole || (entry && entry->length == static_cast<int64_t>(bytes.size())));
  if (!entry) return;
  FUZZ_CHECK(last == ParseVerdict::kWhole && whole.length == static_cast<size_t>(entry->length));
  FUZZ_CHECK(whole.offset == entry->first && whole.timestamp == entry->timestamp && whole.records == 1);
  FUZZ_CHECK(whole.key_length == entry->key_length && whole.value_length == entry->value_length);
  FUZZ_CHECK(format.CrcRight(bytes.data(), whole.length) == entry->right);
}

void CheckStored(const Bytes& packed, uint32_t count, int64_t offset, int64_t timestamp) {
  size_t at = 0;
  for (uint32_t i = 0; i < count; ++i) {
    PackedRecord record;
    FUZZ_CHECK(record.Parse(packed.data() + at, packed.size() - at) == PackedRecord::Verdict::kParsed);
    Bytes entry(record.stored());
    FUZZ_CHECK(EncodeStored(packed.data() + at, record.length(), offset, timestamp, entry.data()) == entry.size());
    FUZZ_CHECK(memcmp(entry.data() + 16, packed.data() + at, record.length()) == 0);
    const auto read = reference::ReadRecord(entry.data(), 0, static_cast<int64_t>(entry.size()));
    FUZZ_CHECK(read && read->right && read->first == offset && read->timestamp == timestamp);
    if (entry.size() < 300) CheckParse(entry, true);
    at += record.length();
  }
}

// Keys and values of up to a GiB, that are there, but in memory only where they are written to.
void CheckHuge(const Bytes& begin, size_t length, uint32_t count, bool keys_required) {
  constexpr size_t kRoom = (size_t{1} << 30) + (64 << 20);
  static uint8_t* const room = static_cast<uint8_t*>(
      ::mmap(nullptr, kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  FUZZ_CHECK(room != MAP_FAILED);
  const size_t used = std::min(begin.size(), kRoom);
  std::copy_n(begin.begin(), used, room);
  (void)CheckAsExpected(room, std::min(length, kRoom), count, keys_required);
  std::fill_n(room, used, static_cast<uint8_t>(0));
}

}  // namespace

void FuzzRecord(Input input) {
  const uint8_t kind = input.Byte();
  const bool keys_required = (kind & 4) != 0;
  const uint32_t count = kind >> 3;
  if ((kind & 3) == 0) return CheckParse(input.Rest(), false);
  const int64_t offset = input.NumberIn(0, INT64_MAX);
  const int64_t timestamp = input.Number();
  if ((kind & 3) == 1) {
    const auto length = static_cast<size_t>(input.NumberIn(0, INT32_MAX));
    return CheckHuge(input.Rest(), length, count, keys_required);
  }
  const Bytes packed = input.Rest();
  if (CheckAsExpected(packed.data(), packed.size(), count, keys_required)) {
    CheckStored(packed, count, offset, timestamp);
  }
}

}  // namespace mykafka::fuzz
