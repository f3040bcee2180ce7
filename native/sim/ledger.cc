#include "sim/ledger.h"

#include <stdio.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "sim/promise.h"

namespace mykafka::sim {

namespace {

constexpr int64_t kFirstTimestamp = 1700000000000;

bool HoldsAt(const Bytes& bytes, size_t position, const Bytes& part) {
  return part.size() <= bytes.size() - position && memcmp(bytes.data() + position, part.data(), part.size()) == 0;
}

}  // namespace

std::string LogName(int64_t base_offset) {
  char name[32];
  snprintf(name, sizeof name, "%020lld.log", static_cast<long long>(base_offset));
  return name;
}

std::vector<Batch> Ledger::NewBatches(uint32_t count, const BatchShape& shape) {
  std::vector<Batch> batches(count);
  int64_t offset = end();
  for (Batch& batch : batches) {
    std::vector<testing::ModelRecord> records(random_->Between(1, shape.most_records));
    for (testing::ModelRecord& record : records) {
      if (!random_->OneIn(4)) record.key = "key-" + std::to_string(random_->Below(20));
      if (shape.nulls && random_->OneIn(10)) continue;
      std::string value(random_->Below(shape.largest_value + 1), ' ');
      random_->Fill(value.data(), value.size());
      record.value = std::move(value);
    }
    // Few of them, not in order: equal ones and such that fall are where a time index can be wrong.
    const int64_t timestamp = kFirstTimestamp + random_->Below(40);
    batch.count = static_cast<uint32_t>(records.size());
    if (format_ == RecordFormat::kKafka) {
      batch.packed = testing::EncodeBatch(records, 0, timestamp);
      batch.timestamp = -1;
      Bytes stored = batch.packed;
      for (int i = 0; i < 8; ++i) stored[static_cast<size_t>(i)] = static_cast<uint8_t>(offset >> (56 - 8 * i));
      const int64_t next = offset + batch.count;
      batch.entries.push_back(
          std::make_shared<Entry>(Entry{offset, next, timestamp, std::move(stored), records.back().key}));
      offset = next;
    } else {
      batch.packed = testing::Pack(records);
      batch.timestamp = timestamp;
      for (const testing::ModelRecord& record : records) {
        Bytes stored = testing::Encode(record, offset, timestamp);
        batch.entries.push_back(
            std::make_shared<Entry>(Entry{offset, offset + 1, timestamp, std::move(stored), record.key}));
        ++offset;
      }
    }
    for (const EntryPointer& entry : batch.entries) Know(entry);
  }
  return batches;
}

void Ledger::Know(const EntryPointer& entry) {
  possible_[entry->first].push_back(entry);
  ever_[entry->first].push_back(entry);
}

void Ledger::Appended(const std::vector<Batch>& batches) {
  for (const Batch& batch : batches) entries_.insert(entries_.end(), batch.entries.begin(), batch.entries.end());
}

void Ledger::Synced(int64_t end) {
  for (size_t at = IndexOf(synced_); at < entries_.size() && entries_[at]->first < end; ++at) {
    possible_[entries_[at]->first] = {entries_[at]};
  }
  synced_ = std::max(synced_, end);
}

void Ledger::CutBegins(int64_t offset) {
  synced_ = std::min(synced_, offset);
}

void Ledger::CutDone(int64_t offset) {
  entries_.resize(IndexOf(offset));
  possible_.erase(possible_.lower_bound(offset), possible_.end());
}

void Ledger::Recovered(const Survivors& survivors) {
  entries_ = survivors.entries;
  synced_ = survivors.end;
  possible_.clear();
  for (const EntryPointer& entry : entries_) possible_[entry->first] = {entry};
}

size_t Ledger::IndexOf(int64_t offset) const {
  const auto behind = std::partition_point(entries_.begin(), entries_.end(),
                                           [&](const EntryPointer& entry) { return entry->next <= offset; });
  return static_cast<size_t>(behind - entries_.begin());
}

const EntryPointer* Ledger::FindAt(int64_t offset, const Bytes& bytes, size_t position) const {
  const auto there = possible_.find(offset);
  if (there == possible_.end()) return nullptr;
  for (const EntryPointer& entry : there->second) {
    if (HoldsAt(bytes, position, entry->bytes)) return &entry;
  }
  return nullptr;
}

int64_t Ledger::CountWhole(const Bytes& bytes, size_t from) const {
  int64_t count = 0;
  for (size_t at = from; at + 8 <= bytes.size();) {
    const auto there = ever_.find(static_cast<int64_t>(testing::GetBig(bytes, at, 8)));
    size_t length = 0;
    if (there != ever_.end()) {
      for (const EntryPointer& entry : there->second) {
        if (HoldsAt(bytes, at, entry->bytes)) length = entry->bytes.size();
      }
    }
    count += length > 0 ? 1 : 0;
    at += std::max<size_t>(length, 1);
  }
  return count;
}

Survivors Ledger::Survey(const Image& image, int64_t recovery_point) const {
  Survivors survivors;
  const auto put_aside = [&](int64_t base, size_t position, const Bytes& bytes) {
    survivors.asides.push_back({LogName(base), static_cast<int64_t>(position),
                                Bytes(bytes.begin() + static_cast<int64_t>(position), bytes.end()),
                                CountWhole(bytes, position)});
  };
  bool ended = false;
  for (auto each = image.begin(); each != image.end(); ++each) {
    const auto& [base, bytes] = *each;
    const auto behind = std::next(each);
    const int64_t next = behind == image.end() ? INT64_MAX : behind->first;
    const bool missing = base > survivors.end && base > recovery_point && each != image.begin();
    if (ended || missing) {
      ended = true;
      put_aside(base, 0, bytes);
      continue;
    }
    Require(base == survivors.end || each == image.begin(), "the segment ", base, " does not begin at ", survivors.end);
    survivors.end = base;
    size_t position = 0;
    while (survivors.end < next) {
      const EntryPointer* entry = FindAt(survivors.end, bytes, position);
      if (entry == nullptr) break;
      survivors.entries.push_back(*entry);
      survivors.end = (*entry)->next;
      position += (*entry)->bytes.size();
    }
    // What lies behind the base of the next segment was refused, and cut off.
    if (position == bytes.size() || (survivors.end == next && next <= recovery_point)) continue;
    if (survivors.end == next) continue;
    ended = true;
    if (survivors.end >= recovery_point) put_aside(base, position, bytes);
  }
  if (survivors.end < synced_) {
    throw Broken(
        "synced up to " + std::to_string(synced_) + ", and there is what ends at " + std::to_string(survivors.end),
        synced_ - survivors.end);
  }
  return survivors;
}

}  // namespace mykafka::sim
