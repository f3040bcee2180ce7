// What a compaction leaves of a batch: by the rules, record by record, and the same when it is done again.
#include <map>

#include "core/batch_filter.h"
#include "fuzz/check.h"
#include "fuzz/log_recipe.h"
#include "fuzz/reference.h"
#include "fuzz/targets.h"

namespace mykafka::fuzz {

namespace {

using Verdict = BatchFilter::Verdict;
using reference::Record;

struct Rules {
  OffsetMap map{1 << 12, 0.9, SipKey{1, 2}};
  std::map<std::string, int64_t> highest;
  int64_t known_to = 0;
  int64_t now = 0;
  int64_t horizon = 0;
};

int64_t Wrapped(int64_t a, int64_t b, bool minus = false) {
  const auto left = static_cast<uint64_t>(a);
  const auto right = static_cast<uint64_t>(b);
  return static_cast<int64_t>(minus ? left - right : left + right);
}

int64_t TimeOf(const BatchHeader& header, const Record& record) {
  return header.log_append_time() ? header.max_timestamp : Wrapped(header.base_timestamp, record.timestamp_delta);
}

bool Stays(const Rules& rules, const BatchHeader& header, const Record& record) {
  const int64_t offset = header.base_offset + record.offset_delta;
  if (offset >= rules.known_to) return true;
  if (!record.key) return false;
  if (!record.value && header.has_delete_horizon() && header.base_timestamp <= rules.now) return false;
  const auto found = rules.highest.find(*record.key);
  return found == rules.highest.end() || offset >= found->second;
}

bool InOrder(const std::vector<Record>& records, const BatchHeader& header) {
  int64_t next = 0;
  for (const Record& record : records) {
    if (record.offset_delta < next || record.offset_delta > header.last_offset_delta) return false;
    next = record.offset_delta + 1;
  }
  return true;
}

// A batch made of what is left is a right entry.
Bytes Whole(const BatchHeader& header, const uint8_t* records, size_t length) {
  Bytes whole(kBatchHeaderLength);
  WriteBatchHeader(HeaderFor(header, records, length), whole.data());
  whole.insert(whole.end(), records, records + length);
  const auto entry = reference::ReadBatch(whole.data(), 0, static_cast<int64_t>(whole.size()));
  FUZZ_CHECK(entry && entry->right && entry->length == static_cast<int64_t>(whole.size()));
  FUZZ_CHECK(entry->first == header.base_offset);
  return whole;
}

void CheckRewritten(const Rules& rules, const BatchHeader& header, const std::vector<Record>& left,
                    const BatchFilter& filter, bool gets_horizon) {
  const BatchHeader made = filter.header();
  const Bytes records = filter.records();
  const auto read = reference::ReadRecords(records.data(), records.size(), made.count, false);
  FUZZ_CHECK(read && read->size() == left.size());
  FUZZ_CHECK(made.has_delete_horizon() == (header.has_delete_horizon() || gets_horizon));
  FUZZ_CHECK(!gets_horizon || made.base_timestamp == rules.horizon);
  int64_t largest = -1;
  for (size_t i = 0; i < left.size(); ++i) {
    const Record& record = (*read)[i];
    FUZZ_CHECK(record.offset_delta == left[i].offset_delta && record.key == left[i].key);
    FUZZ_CHECK(record.value == left[i].value && record.headers == left[i].headers);
    FUZZ_CHECK(Wrapped(made.base_timestamp, record.timestamp_delta) == TimeOf(header, left[i]));
    largest = std::max(largest, TimeOf(header, left[i]));
  }
  FUZZ_CHECK(made.max_timestamp == (header.log_append_time() ? header.max_timestamp : largest));

  const Bytes whole = Whole(made, records.data(), records.size());
  BatchFilter second(rules.map, rules.known_to, rules.now, rules.horizon);
  CleanCounts counts;
  const Result<Verdict> again =
      second.Filter(BatchHeader::Read(whole.data()), whole.data() + kBatchHeaderLength, records.size(), &counts);
  FUZZ_CHECK(again.ok());
  // One whose horizon has come already loses its tombstones at once.
  if (!gets_horizon || rules.horizon > rules.now) FUZZ_CHECK(*again == Verdict::kKeep);
}

void CheckBatchLeft(const Rules& rules, BatchFilter* filter, const uint8_t* batch, size_t length) {
  const BatchHeader header = BatchHeader::Read(batch);
  const uint8_t* records = batch + kBatchHeaderLength;
  const size_t records_length = length - kBatchHeaderLength;
  const auto read = reference::ReadRecords(records, records_length, header.count, false);
  CleanCounts counts;
  const Result<Verdict> verdict = filter->Filter(header, records, records_length, &counts);
  FUZZ_CHECK(verdict.ok() == (read && InOrder(*read, header)));
  Whole(EmptyBatch(header), nullptr, 0);
  if (!verdict.ok()) return FUZZ_CHECK(verdict.status().code() == Code::kCorrupt);

  std::vector<Record> left;
  bool gets_horizon = false;
  int64_t tombstones = 0;
  for (const Record& record : *read) {
    if (!Stays(rules, header, record)) continue;
    left.push_back(record);
    tombstones += record.value ? 0 : 1;
    const bool seen = header.base_offset + record.offset_delta < rules.known_to;
    gets_horizon |= !record.value && seen && !header.has_delete_horizon();
  }
  FUZZ_CHECK(counts.records_read == static_cast<int64_t>(read->size()));
  FUZZ_CHECK(counts.records_kept == static_cast<int64_t>(left.size()) && counts.tombstones == tombstones);
  if (left.empty()) return FUZZ_CHECK(*verdict == Verdict::kDrop);
  const bool same = left.size() == read->size() && !gets_horizon;
  FUZZ_CHECK(*verdict == (same ? Verdict::kKeep : Verdict::kRewrite));
  if (!same) CheckRewritten(rules, header, left, *filter, gets_horizon);
}

}  // namespace

void FuzzBatchFilter(Input input) {
  Rules rules;
  rules.known_to = input.Number();
  rules.now = input.Number();
  rules.horizon = input.Number();
  for (Input keys = input.Part(); !keys.empty();) {
    const Bytes bytes = keys.Take(keys.Byte() & 3);
    const std::string key(bytes.begin(), bytes.end());
    const int64_t offset = keys.NumberIn(0, INT64_MAX - 1);
    if (!rules.map.Put(rules.map.HashOf(key.data(), key.size()), offset)) continue;
    int64_t& highest = rules.highest.emplace(key, offset).first->second;
    highest = std::max(highest, offset);
  }
  LogRecipe recipe(RecordFormat::kKafka, 0);
  recipe.Follow(&input);
  BatchFilter filter(rules.map, rules.known_to, rules.now, rules.horizon);
  for (const reference::Entry& entry : reference::ReadChain(recipe.log(), RecordFormat::kKafka, 0)) {
    const uint8_t* at = recipe.log().data() + entry.position;
    const Bytes batch(at, at + entry.length);
    CheckBatchLeft(rules, &filter, batch.data(), batch.size());
  }
}

}  // namespace mykafka::fuzz
