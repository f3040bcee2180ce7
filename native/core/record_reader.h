// The records in a RecordBatch v2, as they lie in memory (docs/disk-format.md):
//
//   [length][attributes:1][timestampDelta][offsetDelta][keyLength][key][valueLength][value][headerCount][headers]
//
// All but the attributes are Kafka's varints.
#ifndef MYKAFKA_CORE_RECORD_READER_H_
#define MYKAFKA_CORE_RECORD_READER_H_

#include <cstddef>
#include <cstdint>

namespace mykafka {

// Reads fields; once something does not fit, everything after it fails too.
class FieldReader {
 public:
  FieldReader(const uint8_t* data, size_t length) : at_(data), end_(data + length) {}

  bool failed() const { return failed_; }
  const uint8_t* at() const { return at_; }
  size_t left() const { return static_cast<size_t>(end_ - at_); }

  int32_t Varint() { return static_cast<int32_t>(Zigzag(static_cast<uint32_t>(Unsigned(32)))); }
  int64_t Varlong() { return static_cast<int64_t>(Zigzag(Unsigned(64))); }
  void Skip(size_t length) {
    if (length > left()) return Fail();
    at_ += length;
  }
  // Bytes behind their length, which is the answer; -1 stands for null where that is allowed.
  int32_t SkipField(bool nullable) {
    const int32_t length = Varint();
    if (length < (nullable ? -1 : 0)) {
      Fail();
      return -1;
    }
    if (length > 0) Skip(static_cast<size_t>(length));
    return length;
  }

 private:
  template <typename T>
  static T Zigzag(T value) {
    return (value >> 1) ^ (~(value & 1) + 1);
  }

  uint64_t Unsigned(int bits) {
    if (at_ != end_ && *at_ < 0x80) return *at_++;
    uint64_t value = 0;
    for (int shift = 0; shift < bits; shift += 7) {
      if (at_ == end_) break;
      const uint8_t byte = *at_++;
      if (shift + 7 > bits && (byte & 0x7f) >> (bits - shift) != 0) break;
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    Fail();
    return 0;
  }

  void Fail() {
    failed_ = true;
    at_ = end_;
  }

  const uint8_t* at_;
  const uint8_t* end_;
  bool failed_ = false;
};

struct BatchRecord {
  const uint8_t* begin = nullptr;  // its length field
  const uint8_t* body = nullptr;   // its attributes
  const uint8_t* end = nullptr;
  int64_t timestamp_delta = 0;
  const uint8_t* behind_timestamp = nullptr;
  int32_t offset_delta = 0;
  const uint8_t* key = nullptr;
  int32_t key_length = -1;    // -1: null
  int32_t value_length = -1;  // -1: null
  const uint8_t* headers = nullptr;

  size_t length() const { return static_cast<size_t>(end - begin); }

  // The next record of a batch. False where it does not parse; its headers are not looked at.
  bool Read(FieldReader* all) {
    begin = all->at();
    const int32_t body_length = all->Varint();
    body = all->at();
    if (all->failed() || body_length < 0) return false;
    all->Skip(static_cast<size_t>(body_length));
    if (all->failed()) return false;
    end = body + body_length;
    FieldReader record(body, static_cast<size_t>(body_length));
    record.Skip(1);  // attributes: none is in use
    timestamp_delta = record.Varlong();
    behind_timestamp = record.at();
    offset_delta = record.Varint();
    key_length = record.SkipField(true);
    key = key_length > 0 && !record.failed() ? record.at() - key_length : record.at();
    value_length = record.SkipField(true);
    headers = record.at();
    return !record.failed();
  }

  // Whether the headers end where the record does.
  bool HeadersRight() const {
    FieldReader rest(headers, static_cast<size_t>(end - headers));
    const int32_t count = rest.Varint();
    for (int32_t i = 0; i < count && !rest.failed(); ++i) {
      rest.SkipField(false);
      rest.SkipField(true);
    }
    return count >= 0 && !rest.failed() && rest.left() == 0;
  }
};

// Appends a varint (or a varlong) to bytes that have push_back.
template <typename Bytes>
void PutVarlong(Bytes* to, int64_t value) {
  uint64_t rest = (static_cast<uint64_t>(value) << 1) ^ (value < 0 ? ~uint64_t{0} : 0);
  for (; rest > 0x7f; rest >>= 7) to->push_back(static_cast<uint8_t>(rest | 0x80));
  to->push_back(static_cast<uint8_t>(rest));
}

}  // namespace mykafka

#endif  // MYKAFKA_CORE_RECORD_READER_H_
