#include "core/record.h"

#include <gtest/gtest.h>

#include "test/log_model.h"
#include "test/vectors.h"

namespace mykafka::testing {
namespace {

TEST(Record, EveryVectorIsEncodedByteForByte) {
  VectorFile file("records.json");
  int vectors = 0;
  while (file.Next("offset")) {
    ++vectors;
    const int64_t offset = std::stoll(*file.Value());
    const int64_t timestamp = file.Number("timestamp");
    const ModelRecord record = {ToText(file.Hex("key")), ToText(file.Hex("value"))};
    const Bytes expected = *file.Hex("bytes");

    const Bytes packed = Pack({record});
    Bytes entry(packed.size() - kPackedOverhead + kStoredOverhead);
    EXPECT_EQ(EncodeStored(packed.data(), packed.size(), offset, timestamp, entry.data()), entry.size());
    EXPECT_EQ(entry, expected);

    EntryHeader header;
    ASSERT_EQ(ParseStored(expected.data(), expected.size(), &header), ParseVerdict::kWhole);
    EXPECT_EQ(header.offset, offset);
    EXPECT_EQ(header.timestamp, timestamp);
    EXPECT_EQ(header.key_length, record.key ? static_cast<int32_t>(record.key->size()) : -1);
    EXPECT_EQ(header.value_length, record.value ? static_cast<int32_t>(record.value->size()) : -1);
    EXPECT_EQ(header.length, expected.size());
    EXPECT_TRUE(EntryFormat::Of(RecordFormat::kMykafka).CrcRight(expected.data(), expected.size()));
  }
  EXPECT_EQ(vectors, 8);
}

TEST(Record, AFlippedBitAnywhereMakesTheCrcWrong) {
  Bytes entry = Encode({"key", "a value"}, 3, 4);
  for (size_t bit = 0; bit < entry.size() * 8; ++bit) {
    entry[bit / 8] ^= static_cast<uint8_t>(1 << (bit % 8));
    EXPECT_FALSE(EntryFormat::Of(RecordFormat::kMykafka).CrcRight(entry.data(), entry.size())) << bit;
    entry[bit / 8] ^= static_cast<uint8_t>(1 << (bit % 8));
  }
}

TEST(Record, ParsingSaysHowManyBytesItNeeds) {
  const Bytes entry = Encode({"key", "a value"}, 3, 4);
  for (size_t available = 0; available < entry.size(); ++available) {
    EntryHeader header;
    ASSERT_EQ(ParseStored(entry.data(), available, &header), ParseVerdict::kNeedMore) << available;
    EXPECT_GT(header.length, available);
    EXPECT_LE(header.length, entry.size());
  }
}

TEST(Record, WhatNoRecordBeginsWithIsDamaged) {
  const auto damaged = [](size_t at, uint32_t length) {
    Bytes entry = Encode({"key", "a value"}, 3, 4);
    for (int i = 0; i < 4; ++i) entry[at + i] = static_cast<uint8_t>(length >> (24 - 8 * i));
    EntryHeader header;
    return ParseStored(entry.data(), entry.size(), &header) == ParseVerdict::kDamaged;
  };
  EXPECT_TRUE(damaged(0, 0x80000000u));           // a negative offset
  EXPECT_TRUE(damaged(16, 0xfffffffeu));          // a key length of -2
  EXPECT_TRUE(damaged(16, kMaxKeyLength + 1));    // a key above the limit
  EXPECT_TRUE(damaged(16, 0x02000000u));          // the magic of a batch of Kafka's
  EXPECT_TRUE(damaged(16 + 4 + 3, 0xfffffffeu));  // a value length of -2
  EXPECT_TRUE(damaged(16 + 4 + 3, 0x7fffffffu));  // an entry above 1 GiB
}

TEST(CheckPacked, CountsWhatIsThere) {
  const Bytes packed = Pack({{"k", "value"}, {std::nullopt, ""}, {"", std::nullopt}});
  Result<PackedSummary> summary = CheckPacked(packed.data(), packed.size(), 3);
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(summary->count, 3u);
  EXPECT_EQ(summary->stored_length, 3 * kStoredOverhead + 6);
  EXPECT_EQ(summary->largest_stored, kStoredOverhead + 6);
  EXPECT_TRUE(CheckPacked(nullptr, 0, 0).ok());
}

TEST(CheckPacked, RefusesARecordWithoutAKeyWhereKeysAreRequired) {
  const Bytes keyed = Pack({{"k", "value"}, {"", std::nullopt}});
  EXPECT_TRUE(CheckPacked(keyed.data(), keyed.size(), 2, true).ok());
  const Bytes mixed = Pack({{"k", "value"}, {std::nullopt, "value"}});
  EXPECT_EQ(CheckPacked(mixed.data(), mixed.size(), 2, true).status().code(), Code::kInvalidRecord);
}

TEST(CheckPacked, RefusesEveryCutAndEveryWrongCount) {
  const Bytes packed = Pack({{"k", "value"}, {std::nullopt, ""}, {"", std::nullopt}});
  for (size_t length = 0; length < packed.size(); ++length) {
    const Bytes cut(packed.begin(), packed.begin() + static_cast<int64_t>(length));
    EXPECT_EQ(CheckPacked(cut.data(), length, 3).status().code(), Code::kInvalidRecord) << length;
  }
  EXPECT_EQ(CheckPacked(packed.data(), packed.size(), 2).status().code(), Code::kInvalidRecord);
  EXPECT_EQ(CheckPacked(packed.data(), packed.size(), 4).status().code(), Code::kInvalidRecord);
  EXPECT_EQ(CheckPacked(packed.data(), packed.size(), UINT32_MAX).status().code(), Code::kInvalidRecord);
}

TEST(CheckPacked, RefusesNegativeAndHugeLengths) {
  for (const uint32_t length : {0xfffffffeu, 0x80000000u, 0x7fffffffu}) {
    Bytes packed;
    PutBig(&packed, length, 4);
    PutBig(&packed, 0, 4);
    EXPECT_EQ(CheckPacked(packed.data(), packed.size(), 1).status().code(), Code::kInvalidRecord) << length;
    packed.clear();
    PutBig(&packed, 0xffffffffu, 4);
    PutBig(&packed, length, 4);
    EXPECT_EQ(CheckPacked(packed.data(), packed.size(), 1).status().code(), Code::kInvalidRecord) << length;
  }
}

TEST(CheckPacked, AKeyMayHave16MiBButNotOneByteMore) {
  const Bytes largest = Pack({{std::string(kMaxKeyLength, 'k'), std::nullopt}});
  EXPECT_TRUE(CheckPacked(largest.data(), largest.size(), 1).ok());
  const Bytes larger = Pack({{std::string(kMaxKeyLength + 1, 'k'), std::nullopt}});
  EXPECT_EQ(CheckPacked(larger.data(), larger.size(), 1).status().code(), Code::kRecordTooLarge);
}

}  // namespace
}  // namespace mykafka::testing
