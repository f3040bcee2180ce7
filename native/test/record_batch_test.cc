#include "core/record_batch.h"

#include <gtest/gtest.h>

#include <random>

#include "test/batch_vectors.h"

namespace mykafka::testing {
namespace {

constexpr size_t kAnyLength = 1u << 30;

Code CheckCode(Bytes bytes, size_t max_length = kAnyLength) {
  return CheckBatch(bytes.data(), bytes.size(), max_length).status().code();
}

// The vector with a change, its CRC made right again.
Bytes Changed(const std::string& name, size_t at, uint64_t value, int width) {
  Bytes bytes = BatchVectorNamed(name).sent;
  SetBig(&bytes, at, value, width);
  SetBatchCrc(&bytes);
  return bytes;
}

TEST(RecordBatch, WhatClientsSendIsAcceptedAndUnderstood) {
  int checked = 0;
  for (const BatchVector& vector : BatchVectors()) {
    SCOPED_TRACE(vector.name);
    if (vector.name == "control") continue;
    Bytes bytes = vector.sent;
    Result<BatchHeader> header = CheckBatch(bytes.data(), bytes.size(), bytes.size());
    ASSERT_TRUE(header.ok()) << header.status().message();
    EXPECT_EQ(bytes, vector.sent);
    EXPECT_EQ(header->length(), static_cast<int64_t>(bytes.size()));
    EXPECT_EQ(header->count, vector.count);
    EXPECT_EQ(header->last_offset_delta, vector.last_offset_delta);
    EXPECT_EQ(header->attributes, vector.attributes);
    EXPECT_EQ(header->base_timestamp, vector.base_timestamp);
    EXPECT_EQ(header->max_timestamp, vector.max_timestamp);
    EXPECT_EQ(header->producer_id, vector.producer_id);
    EXPECT_EQ(header->producer_epoch, vector.producer_epoch);
    EXPECT_EQ(header->base_sequence, vector.base_sequence);
    ++checked;
  }
  EXPECT_EQ(checked, 14);
}

TEST(RecordBatch, StampingMakesOfItWhatABrokerStores) {
  for (const BatchVector& vector : BatchVectors()) {
    SCOPED_TRACE(vector.name);
    Bytes bytes = vector.sent;
    StampBatch(bytes.data(), vector.offset, 0);
    if (vector.append_time >= 0) StampLogAppendTime(bytes.data(), bytes.size(), vector.append_time);
    EXPECT_EQ(bytes, vector.stored);
    EXPECT_TRUE(EntryFormat::Of(RecordFormat::kKafka).CrcRight(bytes.data(), bytes.size()));
  }
}

TEST(RecordBatch, ExactlyOneWholeBatchIsAccepted) {
  const Bytes one = BatchVectorNamed("60 records").sent;
  EXPECT_EQ(CheckCode({}), Code::kInvalidRecord);
  for (size_t length = 1; length < one.size(); ++length) {
    EXPECT_EQ(CheckCode(Bytes(one.begin(), one.begin() + static_cast<ptrdiff_t>(length))), Code::kCorrupt) << length;
  }
  Bytes two = one;
  two.insert(two.end(), one.begin(), one.end());
  EXPECT_EQ(CheckCode(two), Code::kInvalidRecord);
  Bytes more = one;
  more.push_back(0);
  EXPECT_EQ(CheckCode(more), Code::kInvalidRecord);
}

TEST(RecordBatch, ALengthThatIsNoneIsCorrupt) {
  for (const uint64_t length : {0ull, 1ull, 48ull, 0x7fffffffull, 0x80000000ull, 0xffffffffull}) {
    EXPECT_EQ(CheckCode(Changed("60 records", 8, length, 4)), Code::kCorrupt) << length;
  }
}

TEST(RecordBatch, OneThatIsLongerThanAllowedIsTooLarge) {
  const Bytes bytes = BatchVectorNamed("gzip").sent;
  EXPECT_EQ(CheckCode(bytes, bytes.size()), Code::kOk);
  EXPECT_EQ(CheckCode(bytes, bytes.size() - 1), Code::kRecordTooLarge);
}

TEST(RecordBatch, AFlippedBitUnderTheCrcIsCorrupt) {
  const Bytes whole = BatchVectorNamed("nulls, headers, times out of order").sent;
  for (size_t bit = 17 * 8; bit < whole.size() * 8; ++bit) {
    Bytes bytes = whole;
    bytes[bit / 8] ^= static_cast<uint8_t>(1 << (bit % 8));
    EXPECT_EQ(CheckCode(bytes), Code::kCorrupt) << bit;
  }
}

TEST(RecordBatch, OnlyMagicTwoIsAccepted) {
  for (const uint64_t magic : {0, 1, 3, 255}) {
    EXPECT_EQ(CheckCode(Changed("one record", 16, magic, 1)), Code::kInvalidRecord) << magic;
  }
}

TEST(RecordBatch, ControlBatchesOfClientsAreRefused) {
  EXPECT_EQ(CheckCode(BatchVectorNamed("control").sent), Code::kInvalidRecord);
}

TEST(RecordBatch, TheCountIsTheLastOffsetDeltaPlusOne) {
  for (const char* name : {"60 records", "gzip"}) {
    SCOPED_TRACE(name);
    for (const uint64_t count : {0u, 59u, 61u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
      EXPECT_EQ(CheckCode(Changed(name, 57, count, 4)), Code::kInvalidRecord) << count;
    }
    for (const uint64_t delta : {0u, 58u, 60u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
      EXPECT_EQ(CheckCode(Changed(name, 23, delta, 4)), Code::kInvalidRecord) << delta;
    }
  }
}

TEST(RecordBatch, FieldsWithoutAMeaningAreRefused) {
  EXPECT_EQ(CheckCode(Changed("one record", 22, 5, 1)), Code::kInvalidRecord);             // compression
  EXPECT_EQ(CheckCode(Changed("one record", 22, 64, 1)), Code::kInvalidRecord);            // delete horizon
  EXPECT_EQ(CheckCode(Changed("one record", 43, uint64_t(-2), 8)), Code::kInvalidRecord);  // producer id
  EXPECT_EQ(CheckCode(Changed("one record", 51, uint64_t(-2), 2)), Code::kInvalidRecord);  // its epoch
  EXPECT_EQ(CheckCode(Changed("idempotent", 51, uint64_t(-1), 2)), Code::kInvalidRecord);
  EXPECT_EQ(CheckCode(Changed("idempotent", 53, uint64_t(-1), 4)), Code::kInvalidRecord);
}

TEST(RecordBatch, WithoutAProducerIdEpochAndSequenceDoNotMatter) {
  Bytes bytes = BatchVectorNamed("one record").sent;
  SetBig(&bytes, 51, 0, 2);
  SetBig(&bytes, 53, 0, 4);
  SetBatchCrc(&bytes);
  EXPECT_EQ(CheckCode(bytes), Code::kOk);
}

TEST(RecordBatch, AMaxTimestampThatTheRecordsContradictIsPutRight) {
  const BatchVector vector = BatchVectorNamed("nulls, headers, times out of order");
  Bytes bytes = Changed(vector.name, 35, 1, 8);
  Result<BatchHeader> header = CheckBatch(bytes.data(), bytes.size(), kAnyLength);
  ASSERT_TRUE(header.ok());
  EXPECT_EQ(header->max_timestamp, vector.max_timestamp);
  EXPECT_EQ(bytes, vector.sent);
}

// The records of "one record": [length 8][attributes][timestamp delta][offset delta][1]k[1]v[headers 0].
Code WithRecords(const Bytes& records, uint32_t count = 1) {
  Bytes bytes = BatchVectorNamed("one record").sent;
  bytes.resize(61);
  bytes.insert(bytes.end(), records.begin(), records.end());
  SetBig(&bytes, 8, bytes.size() - 12, 4);
  SetBig(&bytes, 23, count - 1, 4);
  SetBig(&bytes, 57, count, 4);
  SetBatchCrc(&bytes);
  return CheckCode(bytes);
}

TEST(RecordBatch, RecordsAreWalkedToTheirEnd) {
  EXPECT_EQ(WithRecords({16, 0, 0, 0, 2, 'k', 2, 'v', 0}), Code::kOk);
  EXPECT_EQ(WithRecords({12, 0, 0, 0, 1, 1, 0}), Code::kOk);                        // both null
  EXPECT_EQ(WithRecords({20, 0, 0, 0, 1, 1, 2, 2, 'h', 1}), Code::kInvalidRecord);  // one byte short
  EXPECT_EQ(WithRecords({18, 0, 0, 0, 1, 1, 2, 2, 'h', 1}), Code::kOk);             // a header without value
  EXPECT_EQ(WithRecords({16, 0, 0, 0, 1, 1, 2, 1, 1}), Code::kInvalidRecord);       // without a name
  EXPECT_EQ(WithRecords({12, 0, 0, 0, 1, 1, 1}), Code::kInvalidRecord);             // -1 headers
  EXPECT_EQ(WithRecords({12, 0, 0, 0, 3, 1, 0}), Code::kInvalidRecord);             // a key of -2
  EXPECT_EQ(WithRecords({14, 0, 0, 0, 1, 1, 0, 0}), Code::kInvalidRecord);          // bytes behind the headers
  EXPECT_EQ(WithRecords({12, 0, 0, 0, 1, 1, 0, 0}), Code::kInvalidRecord);          // bytes behind the record
  EXPECT_EQ(WithRecords({12, 0, 0, 2, 1, 1, 0}), Code::kInvalidRecord);             // begins with number 1
  EXPECT_EQ(WithRecords({12, 0, 0, 0, 1, 1, 0}, 2), Code::kInvalidRecord);          // one too few
  EXPECT_EQ(WithRecords({12, 0, 0, 0, 1, 1, 0, 12, 0, 0, 2, 1, 1, 0}, 2), Code::kOk);
  EXPECT_EQ(WithRecords({12, 0, 0, 0, 1, 1, 0, 12, 0, 0, 0, 1, 1, 0}, 2), Code::kInvalidRecord);
  EXPECT_EQ(WithRecords({}), Code::kInvalidRecord);
  EXPECT_EQ(WithRecords({0xff, 0xff, 0xff, 0xff, 0x1f}), Code::kInvalidRecord);        // above 32 bits
  EXPECT_EQ(WithRecords({0xff, 0xff, 0xff, 0xff, 0xff, 0x01}), Code::kInvalidRecord);  // too many bytes
  EXPECT_EQ(WithRecords({0xfe, 0xff, 0xff, 0xff, 0x0f}), Code::kInvalidRecord);        // a length of 2^31 - 1
  // Timestamps beyond 53 bits, by the deltas 2^53 and -2^53 - 1 * 10^13.
  EXPECT_EQ(WithRecords({26, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0, 1, 1, 0}), Code::kInvalidRecord);
  // A timestamp beyond 64 bits: the base time and the greatest delta.
  EXPECT_EQ(WithRecords({30, 0, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0, 1, 1, 0}),
            Code::kInvalidRecord);
}

TEST(RecordBatch, MutatedBatchesAreJudgedWithoutHarm) {
  std::mt19937 random(20261130);
  const std::vector<BatchVector> vectors = BatchVectors();
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    Bytes bytes = vectors[random() % vectors.size()].sent;
    for (uint32_t changes = 1 + random() % 3; changes > 0 && !bytes.empty(); --changes) {
      // Mostly the header and the first records: there the lengths are.
      const size_t at = random() % (random() % 4 == 0 ? bytes.size() : std::min<size_t>(bytes.size(), 90));
      switch (random() % 5) {
        case 0:
          bytes[at] ^= static_cast<uint8_t>(1u << (random() % 8));
          break;
        case 1:
          bytes[at] = static_cast<uint8_t>(random());
          break;
        case 2:
          bytes[at] = (random() % 2) != 0 ? 0xff : 0x80;
          break;
        case 3:
          bytes.resize(at);
          break;
        default:
          bytes.insert(bytes.begin() + static_cast<ptrdiff_t>(at), static_cast<uint8_t>(random()));
      }
    }
    if (bytes.size() >= 61 && random() % 8 != 0) {
      bytes[16] = 2;
      SetBig(&bytes, 8, bytes.size() - 12, 4);
      SetBatchCrc(&bytes);
    }
    bytes.shrink_to_fit();  // one byte too far is seen
    Result<BatchHeader> header = CheckBatch(bytes.data(), bytes.size(), kAnyLength);
    if (header.ok()) {
      ++accepted;
      EXPECT_EQ(header->length(), static_cast<int64_t>(bytes.size()));
      EXPECT_TRUE(EntryFormat::Of(RecordFormat::kKafka).CrcRight(bytes.data(), bytes.size()));
    } else {
      const Code code = header.status().code();
      EXPECT_TRUE(code == Code::kCorrupt || code == Code::kInvalidRecord) << CodeName(code);
    }
  }
  EXPECT_GT(accepted, 1000);
}

}  // namespace
}  // namespace mykafka::testing
