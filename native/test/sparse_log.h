// A log as compaction leaves one: entries with gaps between them, batches with fewer records than offsets.
#ifndef MYKAFKA_TEST_SPARSE_LOG_H_
#define MYKAFKA_TEST_SPARSE_LOG_H_

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "test/batch_vectors.h"
#include "test/log_model.h"

namespace mykafka::testing {

// A RecordBatch v2 of which some records are gone: the others with their distance from the first offset.
inline Bytes EncodeCompacted(const std::vector<std::pair<int64_t, ModelRecord>>& records, int64_t offset,
                             int64_t last_delta, int64_t timestamp) {
  Bytes batch = EncodeBatch({{"", ""}}, offset, timestamp);
  batch.resize(61);
  for (const auto& [delta, model] : records) PutBatchRecord(&batch, delta, model);
  SetBig(&batch, 8, batch.size() - 12, 4);
  SetBig(&batch, 23, static_cast<uint64_t>(last_delta), 4);
  SetBig(&batch, 57, records.size(), 4);
  SetBig(&batch, 17, ModelCrc(batch.data() + 21, batch.size() - 21, 0x82F63B78u), 4);
  return batch;
}

class SparseLog {
 public:
  struct Entry {
    int64_t position;
    int64_t length;
    int64_t first;
    int64_t last;
    int64_t records;
    int64_t timestamp;

    int64_t end() const { return position + length; }
    int64_t next() const { return last + 1; }
  };

  SparseLog(int64_t base_offset, RecordFormat format) : base_(base_offset), next_(base_offset), format_(format) {}

  // An entry of so many offsets of which so many records are left, behind a gap.
  void Add(int64_t gap, int64_t offsets, int64_t records, std::mt19937* random, int64_t timestamp) {
    const int64_t first = next_ + gap;
    const bool batch = format_ == RecordFormat::kKafka;
    if (!batch) offsets = records = 1;
    std::vector<std::pair<int64_t, ModelRecord>> kept;
    for (int64_t delta = offsets - records; delta < offsets; ++delta) {
      kept.push_back({delta, {"key", std::string((*random)() % 200, static_cast<char>((*random)()))}});
    }
    const Bytes bytes =
        batch ? EncodeCompacted(kept, first, offsets - 1, timestamp) : Encode(kept.front().second, first, timestamp);
    AddBytes(bytes, first, offsets, records, timestamp);
  }
  void AddBytes(const Bytes& bytes, int64_t first, int64_t offsets, int64_t records, int64_t timestamp) {
    entries_.push_back({static_cast<int64_t>(bytes_.size()), static_cast<int64_t>(bytes.size()), first,
                        first + offsets - 1, records, timestamp});
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    next_ = first + offsets;
  }
  // Entries of all kinds, most of them behind gaps; their times rise by one each.
  void Fill(int count, uint32_t seed, int64_t widest_gap = 6) {
    std::mt19937 random(seed);
    for (int i = 0; i < count; ++i) {
      const auto gap = static_cast<int64_t>(random()) % (widest_gap + 1);
      const int64_t offsets = 1 + static_cast<int64_t>(random() % 5);
      const auto records = static_cast<int64_t>(random() % static_cast<uint32_t>(offsets + 1));
      Add(gap, offsets, records, &random, 1000 + i);
    }
  }

  int64_t base_offset() const { return base_; }
  int64_t next_offset() const { return next_; }  // behind the last entry
  const Bytes& bytes() const { return bytes_; }
  const std::vector<Entry>& entries() const { return entries_; }

  // Of the first entry that has this offset or a higher one; entries().size() where none has.
  size_t IndexFrom(int64_t offset) const {
    size_t index = 0;
    while (index < entries_.size() && entries_[index].last < offset) ++index;
    return index;
  }
  // The entries [from, to) that answer a question.
  std::pair<size_t, size_t> Answer(int64_t offset, int64_t max_bytes, int64_t upper_bound) const {
    const size_t from = IndexFrom(offset);
    size_t to = from;
    while (to < entries_.size() && entries_[to].last < upper_bound &&
           (to == from || entries_[to].end() - entries_[from].position <= max_bytes)) {
      ++to;
    }
    return {from, to};
  }
  Bytes Slice(size_t from, size_t to) const {
    return Bytes(bytes_.begin() + entries_[from].position, bytes_.begin() + entries_[to - 1].end());
  }
  Bytes Index(int64_t interval) const { return IndexByRule(entries_, base_, interval); }

 private:
  int64_t base_;
  int64_t next_;
  RecordFormat format_;
  Bytes bytes_;
  std::vector<Entry> entries_;
};

}  // namespace mykafka::testing

#endif  // MYKAFKA_TEST_SPARSE_LOG_H_
