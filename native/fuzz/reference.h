// Entries, records and checksums read once more, from the description of the formats (docs/disk-format.md) and with
// nothing of the core but the names of the formats: what the parsers are held against.
#ifndef MYKAFKA_FUZZ_REFERENCE_H_
#define MYKAFKA_FUZZ_REFERENCE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/entry.h"
#include "fuzz/input.h"

namespace mykafka::fuzz::reference {

constexpr int64_t kLongest = int64_t{1} << 30;  // of an entry

inline uint64_t GetBig(const uint8_t* from, int width) {
  uint64_t value = 0;
  for (int i = 0; i < width; ++i) value = value << 8 | from[i];
  return value;
}
inline int32_t Int32(const uint8_t* from) {
  return static_cast<int32_t>(GetBig(from, 4));
}
inline int64_t Int64(const uint8_t* from) {
  return static_cast<int64_t>(GetBig(from, 8));
}
inline void PutBig(Bytes* to, uint64_t value, int width) {
  for (int shift = 8 * (width - 1); shift >= 0; shift -= 8) to->push_back(static_cast<uint8_t>(value >> shift));
}
inline void SetBig(uint8_t* to, uint64_t value, int width) {
  for (int i = 0; i < width; ++i) to[i] = static_cast<uint8_t>(value >> (8 * (width - 1 - i)));
}

// A byte at a time. Most of a run is spent here: what watches over the parsers does not watch over it.
template <uint32_t kPolynomial>
__attribute__((no_sanitize("address", "undefined", "coverage"))) uint32_t Crc(const uint8_t* data, size_t length) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> made{};
    for (uint32_t byte = 0; byte < 256; ++byte) {
      uint32_t crc = byte;
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
      made[byte] = crc;
    }
    return made;
  }();
  uint32_t crc = 0xffffffffu;
  const uint32_t* const entries = table.data();
  for (size_t i = 0; i < length; ++i) crc = (crc >> 8) ^ entries[(crc ^ data[i]) & 0xff];
  return ~crc;
}
inline uint32_t RecordCrc(const uint8_t* data, size_t length) {
  return Crc<0xEDB88320u>(data, length);
}
inline uint32_t BatchCrc(const uint8_t* batch, size_t length) {
  return Crc<0x82F63B78u>(batch + 21, length - 21);
}

struct Entry {
  int64_t position = 0;
  int64_t length = 0;
  int64_t first = 0;
  int64_t last = 0;
  int64_t timestamp = 0;
  int64_t records = 0;
  int32_t key_length = 0;    // of a record
  int32_t value_length = 0;  // of a record
  bool right = false;        // its CRC

  int64_t end() const { return position + length; }
};

inline std::optional<Entry> ReadRecord(const uint8_t* log, int64_t at, int64_t end) {
  if (end - at < 28) return std::nullopt;
  const uint8_t* data = log + at;
  Entry entry = {at, 0, Int64(data), Int64(data), Int64(data + 8), 1, Int32(data + 16), 0, false};
  if (entry.first < 0 || entry.key_length < -1 || entry.key_length > 16 << 20) return std::nullopt;
  const int64_t key = std::max(entry.key_length, 0);
  if (end - at < 28 + key) return std::nullopt;
  entry.value_length = Int32(data + 20 + key);
  if (entry.value_length < -1) return std::nullopt;
  entry.length = 28 + key + std::max<int64_t>(entry.value_length, 0);
  if (entry.length > kLongest || entry.length > end - at) return std::nullopt;
  const auto covered = static_cast<size_t>(entry.length - 4);
  const auto is_zero = [](uint8_t byte) { return byte == 0; };
  if (entry.length == 28 && std::all_of(data, data + 28, is_zero)) return std::nullopt;
  entry.right = RecordCrc(data, covered) == GetBig(data + covered, 4);
  return entry;
}

inline std::optional<Entry> ReadBatch(const uint8_t* log, int64_t at, int64_t end) {
  if (end - at < 61) return std::nullopt;
  const uint8_t* data = log + at;
  const int64_t delta = Int32(data + 23);
  const int64_t count = Int32(data + 57);
  Entry entry = {
      at, int64_t{12} + Int32(data + 8), Int64(data), 0, Int64(data + 35), std::max<int64_t>(count, 0), 0, 0, false};
  if (data[16] != 2 || entry.first < 0 || delta < 0 || entry.first > INT64_MAX - delta) return std::nullopt;
  entry.last = entry.first + delta;
  if (entry.length < 61 || entry.length > kLongest || entry.length > end - at) return std::nullopt;
  entry.right = BatchCrc(data, static_cast<size_t>(entry.length)) == GetBig(data + 17, 4);
  return entry;
}

// The entry at a position that is whole by its own lengths, and none of zeroes.
inline std::optional<Entry> ReadEntry(const Bytes& log, RecordFormat format, int64_t at, int64_t end) {
  return format == RecordFormat::kKafka ? ReadBatch(log.data(), at, end) : ReadRecord(log.data(), at, end);
}

// The right entries from a position on, one behind the other.
inline std::vector<Entry> ReadChain(const Bytes& log, RecordFormat format, int64_t at) {
  std::vector<Entry> chain;
  const auto end = static_cast<int64_t>(log.size());
  while (at < end) {
    const std::optional<Entry> entry = ReadEntry(log, format, at, end);
    if (!entry || !entry->right) break;
    chain.push_back(*entry);
    at = entry->end();
  }
  return chain;
}

// Kafka's varint, of at most so many bits; nothing where there is none.
inline std::optional<int64_t> Varint(const uint8_t** at, const uint8_t* end, int bits) {
  uint64_t value = 0;
  for (int shift = 0; shift < bits; shift += 7) {
    if (*at == end) return std::nullopt;
    const uint64_t byte = *(*at)++;
    if (shift + 7 > bits && (byte & 0x7f) >> (bits - shift) != 0) return std::nullopt;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      const int64_t half = static_cast<int64_t>(value >> 1);
      return (value & 1) != 0 ? -half - 1 : half;
    }
  }
  return std::nullopt;
}

struct Record {
  int64_t timestamp_delta = 0;
  int64_t offset_delta = 0;
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::vector<std::string> headers;

  bool operator==(const Record& other) const {
    return timestamp_delta == other.timestamp_delta && offset_delta == other.offset_delta && key == other.key &&
           value == other.value && headers == other.headers;
  }
};

// The records of a batch; nothing where one does not parse, or bytes are left over. Without with_headers whatever
// follows the value is taken for one.
inline std::optional<std::vector<Record>> ReadRecords(const uint8_t* at, size_t length, int64_t count,
                                                      bool with_headers) {
  const uint8_t* const all_end = at + length;
  std::vector<Record> records;
  for (int64_t i = 0; i < count; ++i) {
    const std::optional<int64_t> body = Varint(&at, all_end, 32);
    if (!body || *body < 1 || *body > all_end - at) return std::nullopt;
    const uint8_t* const end = at + *body;
    ++at;  // attributes
    Record record;
    const auto text = [&](bool nullable, std::optional<std::string>* into) {
      const std::optional<int64_t> size = Varint(&at, end, 32);
      if (!size || *size < (nullable ? -1 : 0) || *size > end - at) return false;
      if (*size >= 0) into->emplace(at, at + *size);
      at += std::max<int64_t>(*size, 0);
      return true;
    };
    const std::optional<int64_t> time = Varint(&at, end, 64);
    const std::optional<int64_t> offset = time ? Varint(&at, end, 32) : std::nullopt;
    if (!offset || !text(true, &record.key) || !text(true, &record.value)) return std::nullopt;
    record.timestamp_delta = *time;
    record.offset_delta = *offset;
    if (with_headers) {
      const std::optional<int64_t> headers = Varint(&at, end, 32);
      if (!headers || *headers < 0) return std::nullopt;
      for (int64_t header = 0; header < *headers; ++header) {
        std::optional<std::string> name;
        std::optional<std::string> value;
        if (!text(false, &name) || !text(true, &value)) return std::nullopt;
        record.headers.push_back(*name + "=" + value.value_or("(null)"));
      }
      if (at != end) return std::nullopt;
    } else {
      record.headers.emplace_back(at, end);
    }
    at = end;
    records.push_back(record);
  }
  if (at != all_end) return std::nullopt;
  return records;
}

}  // namespace mykafka::fuzz::reference

#endif  // MYKAFKA_FUZZ_REFERENCE_H_
