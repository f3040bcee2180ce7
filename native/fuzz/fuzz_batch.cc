// A batch as a client sends it: accepted exactly where Kafka's rules say so; what is accepted parses as an entry, and
// stays right when it is stamped.
#include <cstring>

#include "core/record_batch.h"
#include "fuzz/check.h"
#include "fuzz/reference.h"
#include "fuzz/targets.h"

namespace mykafka::fuzz {

namespace {

constexpr int64_t kMaxSafe = (int64_t{1} << 53) - 1;

bool IsSafe(__int128 value) {
  return value >= -kMaxSafe && value <= kMaxSafe;
}

struct Expected {
  bool accepted = false;
  int64_t max_timestamp = 0;
};

Expected ExpectedOf(const Bytes& batch, size_t max_length) {
  const auto size = static_cast<int64_t>(batch.size());
  const uint8_t* data = batch.data();
  // The offset that a client sends counts for nothing.
  if (size < 61 || data[16] != 2 || int64_t{12} + reference::Int32(data + 8) != size) return {};
  if (batch.size() > max_length || reference::BatchCrc(data, batch.size()) != reference::GetBig(data + 17, 4))
    return {};
  const int attributes = static_cast<int>(reference::GetBig(data + 21, 2));
  const int64_t delta = reference::Int32(data + 23);
  const int64_t count = reference::Int32(data + 57);
  const int64_t base_timestamp = reference::Int64(data + 27);
  const int64_t max_timestamp = reference::Int64(data + 35);
  const int64_t producer = reference::Int64(data + 43);
  const int epoch = static_cast<int16_t>(reference::GetBig(data + 51, 2));
  const int64_t sequence = reference::Int32(data + 53);
  if ((attributes & 7) > 4 || (attributes & 0x60) != 0 || count < 1 || delta != count - 1) return {};
  if (!IsSafe(base_timestamp) || !IsSafe(max_timestamp)) return {};
  if (producer < -1 || producer > kMaxSafe || epoch < -1) return {};
  if (producer >= 0 && (epoch < 0 || sequence < 0)) return {};
  if ((attributes & 7) != 0) return {size > 61, max_timestamp};
  const auto records = reference::ReadRecords(data + 61, batch.size() - 61, count, true);
  if (!records) return {};
  int64_t largest = -1;
  for (size_t i = 0; i < records->size(); ++i) {
    const reference::Record& record = (*records)[i];
    const __int128 timestamp = static_cast<__int128>(base_timestamp) + record.timestamp_delta;
    if (record.offset_delta != static_cast<int64_t>(i) || !IsSafe(timestamp)) return {};
    largest = std::max(largest, static_cast<int64_t>(timestamp));
  }
  return {true, (attributes & 8) != 0 ? max_timestamp : largest};
}

void CheckParse(const Bytes& bytes) {
  const auto size = static_cast<int64_t>(bytes.size());
  EntryHeader header;
  const ParseVerdict verdict = ParseBatch(bytes.data(), bytes.size(), &header);
  const auto entry = reference::ReadBatch(bytes.data(), 0, size);
  FUZZ_CHECK((verdict == ParseVerdict::kWhole) == entry.has_value());
  if (verdict == ParseVerdict::kNeedMore) FUZZ_CHECK(header.length > bytes.size() && header.length <= kMaxEntryLength);
  if (!entry) return;
  FUZZ_CHECK(header.length == static_cast<size_t>(entry->length) && header.offset == entry->first);
  FUZZ_CHECK(header.last_offset == entry->last && header.records == entry->records);
  FUZZ_CHECK(header.timestamp == entry->timestamp);
  const EntryFormat& format = EntryFormat::Of(RecordFormat::kKafka);
  FUZZ_CHECK(format.CrcRight(bytes.data(), header.length) == entry->right);
  for (const size_t part : {size_t{0}, size_t{60}, size_t{61}, header.length - 1}) {
    EntryHeader short_header;
    const Bytes beginning(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(part));
    const ParseVerdict short_verdict = ParseBatch(beginning.data(), part, &short_header);
    FUZZ_CHECK(short_verdict == (part < header.length ? ParseVerdict::kNeedMore : ParseVerdict::kWhole));
    FUZZ_CHECK(short_header.length <= header.length);
  }
}

// As the broker writes it.
void CheckStamped(Bytes batch, int64_t base_offset, int64_t append_time) {
  const auto epoch = static_cast<int32_t>(append_time);
  StampBatch(batch.data(), base_offset, epoch);
  const auto size = static_cast<int64_t>(batch.size());
  const auto stamped = reference::ReadBatch(batch.data(), 0, size);
  const int64_t delta = reference::Int32(batch.data() + 23);
  FUZZ_CHECK(stamped.has_value() == (base_offset <= INT64_MAX - delta));
  if (stamped) FUZZ_CHECK(stamped->right && stamped->first == base_offset);
  FUZZ_CHECK(BatchHeader::Read(batch.data()).leader_epoch == epoch);

  StampLogAppendTime(batch.data(), batch.size(), append_time);
  const BatchHeader header = BatchHeader::Read(batch.data());
  FUZZ_CHECK(header.log_append_time() && header.max_timestamp == append_time);
  FUZZ_CHECK(EntryFormat::Of(RecordFormat::kKafka).CrcRight(batch.data(), batch.size()));
  const Result<BatchHeader> again = CheckBatch(batch.data(), batch.size(), batch.size());
  FUZZ_CHECK(again.ok() == IsSafe(append_time));
}

}  // namespace

void FuzzBatch(Input input) {
  const uint8_t kind = input.Byte();
  const int64_t base_offset = input.NumberIn(0, INT64_MAX);
  const int64_t append_time = input.Number();
  const auto max_length = static_cast<size_t>((kind & 4) != 0 ? input.NumberIn(0, INT32_MAX) : INT32_MAX);
  Bytes batch = input.Rest();
  if ((kind & 1) != 0 && batch.size() >= 61) {
    batch[16] = 2;
    reference::SetBig(batch.data() + 8, batch.size() - 12, 4);
    reference::SetBig(batch.data() + 17, reference::BatchCrc(batch.data(), batch.size()), 4);
  }
  CheckParse(batch);

  const Bytes before = batch;
  const Expected expected = ExpectedOf(before, max_length);
  const Result<BatchHeader> checked = CheckBatch(batch.data(), batch.size(), max_length);
  FUZZ_CHECK(checked.ok() == expected.accepted);
  if (!checked.ok()) {
    const Code code = checked.status().code();
    FUZZ_CHECK(code == Code::kInvalidRecord || code == Code::kCorrupt || code == Code::kRecordTooLarge);
    FUZZ_CHECK(batch == before);
    return;
  }
  FUZZ_CHECK(checked->max_timestamp == expected.max_timestamp);
  FUZZ_CHECK(checked->length() == static_cast<int64_t>(batch.size()) && checked->count >= 1);
  FUZZ_CHECK(EntryFormat::Of(RecordFormat::kKafka).CrcRight(batch.data(), batch.size()));
  const Bytes accepted = batch;
  FUZZ_CHECK(CheckBatch(batch.data(), batch.size(), max_length).ok() && batch == accepted);
  CheckStamped(batch, base_offset, append_time);
}

}  // namespace mykafka::fuzz
