// Records and log files as the tests know them, written from the format's description with nothing from
// the core: packing, encoding, and a CRC.
#ifndef MYKAFKA_TEST_LOG_MODEL_H_
#define MYKAFKA_TEST_LOG_MODEL_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "test/temporary_directory.h"

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

// A log as it should be, entry by entry.
class ModelLog {
 public:
  explicit ModelLog(int64_t base_offset = 0, int64_t timestamp = 1700000000000)
      : base_(base_offset), timestamp_(timestamp) {}

  void Add(const ModelRecord& record) {
    const Bytes entry = Encode(record, next_offset(), timestamp_);
    positions_.push_back(static_cast<int64_t>(bytes_.size()));
    bytes_.insert(bytes_.end(), entry.begin(), entry.end());
  }
  void Add(const std::vector<ModelRecord>& records) {
    for (const ModelRecord& record : records) Add(record);
  }

  int64_t base_offset() const { return base_; }
  int64_t next_offset() const { return base_ + static_cast<int64_t>(positions_.size()); }
  int64_t size() const { return static_cast<int64_t>(bytes_.size()); }
  int64_t timestamp() const { return timestamp_; }
  const Bytes& bytes() const { return bytes_; }
  // Where the entry begins; of next_offset: where the log ends.
  int64_t PositionOf(int64_t offset) const {
    return offset == next_offset() ? size() : positions_[static_cast<size_t>(offset - base_)];
  }
  Bytes Slice(int64_t from_offset, int64_t to_offset) const {
    return Bytes(bytes_.begin() + PositionOf(from_offset), bytes_.begin() + PositionOf(to_offset));
  }

  // The offset behind the last entry that an answer to (offset, max_bytes, upper_bound) holds.
  int64_t AnswerEnd(int64_t offset, int64_t max_bytes, int64_t upper_bound) const {
    if (offset >= upper_bound || offset >= next_offset()) return offset;
    int64_t end = offset + 1;
    while (end < upper_bound && end < next_offset() && PositionOf(end + 1) - PositionOf(offset) <= max_bytes) ++end;
    return end;
  }

  // The index by the rule: the first entry, then one wherever `interval` bytes lie behind the last indexed.
  Bytes Index(int64_t interval) const {
    Bytes index;
    int64_t last = -1;
    for (size_t i = 0; i < positions_.size(); ++i) {
      if (last >= 0 && positions_[i] - last < interval) continue;
      last = positions_[i];
      PutBig(&index, i, 4);
      PutBig(&index, static_cast<uint64_t>(last), 4);
    }
    return index;
  }

 private:
  int64_t base_;
  int64_t timestamp_;
  Bytes bytes_;
  std::vector<int64_t> positions_;
};

}  // namespace mykafka::testing

#endif  // MYKAFKA_TEST_LOG_MODEL_H_
