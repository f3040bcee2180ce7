// Records and log files as the tests know them, written from the format's description with nothing from
// the core but the names of the formats: packing, encoding, and a CRC.
#ifndef MYKAFKA_TEST_LOG_MODEL_H_
#define MYKAFKA_TEST_LOG_MODEL_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/entry.h"
#include "test/byte_vector.h"

namespace mykafka::testing {

struct ModelRecord {
  std::optional<std::string> key;
  std::optional<std::string> value;
};

inline void PutBig(Bytes* to, uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) to->push_back(static_cast<uint8_t>(value >> shift));
}

inline uint64_t GetBig(const Bytes& from, size_t at, int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value = (value << 8) | from[at + i];
  return value;
}

inline void PutText(Bytes* to, const std::optional<std::string>& text) {
  PutBig(to, text ? text->size() : 0xffffffffu, 4);
  if (text) to->insert(to->end(), text->begin(), text->end());
}

inline Bytes Pack(const std::vector<ModelRecord>& records) {
  Bytes packed;
  for (const ModelRecord& record : records) {
    PutText(&packed, record.key);
    PutText(&packed, record.value);
  }
  return packed;
}

// A byte at a time through a table of its own: the values of the definition, bit by bit.
inline uint32_t ModelCrc(const uint8_t* data, size_t length, uint32_t polynomial = 0xEDB88320u) {
  static thread_local uint32_t made_for = 0;
  static thread_local std::array<uint32_t, 256> table;
  for (uint32_t byte = 0; made_for != polynomial && byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? polynomial : 0);
    table[byte] = crc;
  }
  made_for = polynomial;
  uint32_t crc = 0xffffffffu;
  for (size_t i = 0; i < length; ++i) crc = (crc >> 8) ^ table[(crc ^ data[i]) & 0xff];
  return ~crc;
}

inline Bytes Encode(const ModelRecord& record, int64_t offset, int64_t timestamp) {
  Bytes entry;
  PutBig(&entry, static_cast<uint64_t>(offset), 8);
  PutBig(&entry, static_cast<uint64_t>(timestamp), 8);
  PutText(&entry, record.key);
  PutText(&entry, record.value);
  PutBig(&entry, ModelCrc(entry.data(), entry.size()), 4);
  return entry;
}

// As Kafka writes it: seven bits a byte, the sign in the lowest.
inline void PutVarint(Bytes* to, int64_t value) {
  uint64_t rest = (static_cast<uint64_t>(value) << 1) ^ (value < 0 ? ~uint64_t{0} : 0);
  for (; rest > 0x7f; rest >>= 7) to->push_back(static_cast<uint8_t>(rest | 0x80));
  to->push_back(static_cast<uint8_t>(rest));
}

inline void PutVarText(Bytes* to, const std::optional<std::string>& text) {
  PutVarint(to, text ? static_cast<int64_t>(text->size()) : -1);
  if (text) to->insert(to->end(), text->begin(), text->end());
}

// A record of a batch, by its distance from the batch's first offset.
inline void PutBatchRecord(Bytes* to, int64_t delta, const ModelRecord& model) {
  Bytes record = {0, 0};  // attributes, the time's delta
  PutVarint(&record, delta);
  PutVarText(&record, model.key);
  PutVarText(&record, model.value);
  PutVarint(&record, 0);
  PutVarint(to, static_cast<int64_t>(record.size()));
  to->insert(to->end(), record.begin(), record.end());
}

// An uncompressed RecordBatch v2 without a producer; all its records have one time.
inline Bytes EncodeBatch(const std::vector<ModelRecord>& records, int64_t offset, int64_t timestamp) {
  Bytes body;  // from attributes on
  PutBig(&body, 0, 2);
  PutBig(&body, records.size() - 1, 4);
  PutBig(&body, static_cast<uint64_t>(timestamp), 8);
  PutBig(&body, static_cast<uint64_t>(timestamp), 8);
  PutBig(&body, ~uint64_t{0}, 8);
  PutBig(&body, 0xffff, 2);
  PutBig(&body, 0xffffffffu, 4);
  PutBig(&body, records.size(), 4);
  for (size_t i = 0; i < records.size(); ++i) PutBatchRecord(&body, static_cast<int64_t>(i), records[i]);
  Bytes batch;
  PutBig(&batch, static_cast<uint64_t>(offset), 8);
  PutBig(&batch, 9 + body.size(), 4);
  PutBig(&batch, 0, 4);
  PutBig(&batch, 2, 1);
  PutBig(&batch, ModelCrc(body.data(), body.size(), 0x82F63B78u), 4);
  batch.insert(batch.end(), body.begin(), body.end());
  return batch;
}

// The index by the rule: the first entry, then one wherever `interval` bytes lie behind the last indexed.
template <typename Entry>
Bytes IndexByRule(const std::vector<Entry>& entries, int64_t base_offset, int64_t interval) {
  Bytes index;
  int64_t last = -1;
  for (const Entry& entry : entries) {
    if (last >= 0 && entry.position - last < interval) continue;
    last = entry.position;
    PutBig(&index, static_cast<uint64_t>(entry.first - base_offset), 4);
    PutBig(&index, static_cast<uint64_t>(last), 4);
  }
  return index;
}

// A log as it should be, entry by entry: records, or batches of them.
class ModelLog {
 public:
  explicit ModelLog(int64_t base_offset = 0, RecordFormat format = RecordFormat::kMykafka,
                    int64_t timestamp = 1700000000000)
      : base_(base_offset), next_(base_offset), format_(format), timestamp_(timestamp) {}

  // As entries of one record each.
  void Add(const ModelRecord& record) { AddTogether({record}); }
  void Add(const std::vector<ModelRecord>& records) {
    for (const ModelRecord& record : records) Add(record);
  }
  // As one append: a batch, where the format has batches.
  void AddTogether(const std::vector<ModelRecord>& records) {
    if (format_ == RecordFormat::kKafka) {
      AddEntry(EncodeBatch(records, next_, timestamp_), static_cast<int64_t>(records.size()));
      return;
    }
    for (const ModelRecord& record : records) AddEntry(Encode(record, next_, timestamp_), 1);
  }
  // What a client hands in to be appended as one.
  Bytes ToAppend(const std::vector<ModelRecord>& records) const {
    return format_ == RecordFormat::kKafka ? EncodeBatch(records, 0, timestamp_) : Pack(records);
  }

  RecordFormat format() const { return format_; }
  int64_t base_offset() const { return base_; }
  int64_t next_offset() const { return next_; }
  int64_t size() const { return static_cast<int64_t>(bytes_.size()); }
  int64_t timestamp() const { return timestamp_; }
  const Bytes& bytes() const { return bytes_; }
  int64_t entries() const { return static_cast<int64_t>(entries_.size()); }

  // Of the entry that holds the offset: where it begins, its first offset, the offset behind it. Of next_offset:
  // where the log ends.
  int64_t PositionOf(int64_t offset) const { return EntryOf(offset).position; }
  int64_t FirstOf(int64_t offset) const { return EntryOf(offset).first; }
  int64_t NextOf(int64_t offset) const {
    const size_t behind = static_cast<size_t>(IndexOf(offset)) + 1;
    return behind < entries_.size() ? entries_[behind].first : next_;
  }
  Bytes Slice(int64_t from_offset, int64_t to_offset) const {
    return Bytes(bytes_.begin() + PositionOf(from_offset), bytes_.begin() + PositionOf(to_offset));
  }
  // The log up to an offset, where an entry begins.
  ModelLog Upto(int64_t offset) const {
    ModelLog cut = *this;
    cut.bytes_.resize(static_cast<size_t>(PositionOf(offset)));
    cut.entries_.resize(static_cast<size_t>(IndexOf(offset)));
    cut.next_ = offset;
    return cut;
  }

  // The offset behind the last entry that an answer to (offset, max_bytes, upper_bound) holds: the first one's own
  // where there is nothing.
  int64_t AnswerEnd(int64_t offset, int64_t max_bytes, int64_t upper_bound) const {
    const int64_t first = FirstOf(offset);
    if (offset >= upper_bound || offset >= next_ || NextOf(offset) > std::min(upper_bound, next_)) return first;
    int64_t end = NextOf(offset);
    while (end < next_ && NextOf(end) <= upper_bound && PositionOf(NextOf(end)) - PositionOf(first) <= max_bytes) {
      end = NextOf(end);
    }
    return end;
  }

  Bytes Index(int64_t interval) const { return IndexByRule(entries_, base_, interval); }

 private:
  struct Entry {
    int64_t position;
    int64_t first;
  };

  void AddEntry(const Bytes& bytes, int64_t offsets) {
    entries_.push_back({size(), next_});
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    next_ += offsets;
  }
  int64_t IndexOf(int64_t offset) const {
    if (offset >= next_) return entries();
    const auto behind = std::upper_bound(entries_.begin(), entries_.end(), offset,
                                         [](int64_t wanted, const Entry& entry) { return wanted < entry.first; });
    return behind - entries_.begin() - 1;
  }
  Entry EntryOf(int64_t offset) const {
    const int64_t index = IndexOf(offset);
    return index == entries() ? Entry{size(), next_} : entries_[static_cast<size_t>(index)];
  }

  int64_t base_;
  int64_t next_;
  RecordFormat format_;
  int64_t timestamp_;
  Bytes bytes_;
  std::vector<Entry> entries_;
};

}  // namespace mykafka::testing

#endif  // MYKAFKA_TEST_LOG_MODEL_H_
