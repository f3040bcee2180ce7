#include "core/batch_filter.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "test/batch_vectors.h"

namespace mykafka::testing {
namespace {

// What the Java client leaves of a batch (test/vectors/kafka-cleaned-batches.json).
struct CleanedVector {
  std::string name;
  Bytes source;
  Bytes records;  // decompressed
  Bytes last;
  int64_t known_to;
  int64_t now;
  int64_t horizon;
  bool keep_empty;
  Bytes result;
  Bytes left;  // decompressed
};

std::vector<CleanedVector> CleanedVectors() {
  VectorFile file("kafka-cleaned-batches.json");
  std::vector<CleanedVector> vectors;
  while (file.Next("name")) {
    CleanedVector vector;
    vector.name = *file.Value();
    vector.source = *file.Hex("source");
    vector.records = *file.Hex("records");
    vector.last = *file.Hex("last");
    vector.known_to = file.Number("knownTo");
    vector.now = file.Number("now");
    vector.horizon = file.Number("horizon");
    vector.keep_empty = file.Number("keepEmpty") != 0;
    vector.result = *file.Hex("result");
    vector.left = *file.Hex("left");
    vectors.push_back(vector);
  }
  return vectors;
}

void PutLast(const Bytes& last, OffsetMap* map) {
  for (size_t at = 0; at < last.size(); at += 9 + last[at]) {
    const size_t length = last[at];
    map->Put(map->HashOf(last.data() + at + 1, length), static_cast<int64_t>(GetBig(last, at + 1 + length, 8)));
  }
}

Bytes WithHeader(const BatchHeader& header, const uint8_t* records, size_t length) {
  Bytes batch(kBatchHeaderLength);
  WriteBatchHeader(HeaderFor(header, records, length), batch.data());
  batch.insert(batch.end(), records, records + length);
  return batch;
}

TEST(BatchFilter, LeavesWhatTheJavaClientLeaves) {
  const std::vector<CleanedVector> vectors = CleanedVectors();
  EXPECT_EQ(vectors.size(), 26u);
  for (const CleanedVector& vector : vectors) {
    SCOPED_TRACE(vector.name);
    OffsetMap map(1 << 16, 0.9);
    PutLast(vector.last, &map);
    BatchFilter filter(map, vector.known_to, vector.now, vector.horizon);
    const BatchHeader header = BatchHeader::Read(vector.source.data());
    CleanCounts counts;
    Result<BatchFilter::Verdict> verdict = filter.Filter(header, vector.records.data(), vector.records.size(), &counts);
    ASSERT_TRUE(verdict.ok()) << verdict.status().message();
    EXPECT_EQ(counts.records_read, header.count);
    switch (*verdict) {
      case BatchFilter::Verdict::kKeep:
        EXPECT_EQ(vector.source, vector.result);
        EXPECT_EQ(counts.records_kept, header.count);
        break;
      case BatchFilter::Verdict::kDrop:
        EXPECT_EQ(vector.keep_empty ? WithHeader(EmptyBatch(header), nullptr, 0) : Bytes(), vector.result);
        EXPECT_EQ(counts.records_kept, 0);
        break;
      case BatchFilter::Verdict::kRewrite: {
        EXPECT_EQ(filter.records(), vector.left);
        EXPECT_EQ(counts.records_kept, filter.header().count);
        // The client's compressed bytes stand for the compression.
        ASSERT_GE(vector.result.size(), kBatchHeaderLength);
        EXPECT_EQ(WithHeader(filter.header(), vector.result.data() + kBatchHeaderLength,
                             vector.result.size() - kBatchHeaderLength),
                  vector.result);
        break;
      }
    }
  }
}

// Records that do not parse, under a batch's header: nothing is guessed.
TEST(BatchFilter, RefusesRecordsThatDoNotParse) {
  const CleanedVector vector = CleanedVectors().front();
  const BatchHeader header = BatchHeader::Read(vector.source.data());
  OffsetMap map(1 << 16, 0.9);
  BatchFilter filter(map, 1000, 0, 0);
  CleanCounts counts;
  const auto code = [&](const BatchHeader& of, const Bytes& records) {
    return filter.Filter(of, records.data(), records.size(), &counts).status().code();
  };
  ASSERT_EQ(code(header, vector.records), Code::kOk);
  for (size_t length = 0; length < vector.records.size(); ++length) {
    EXPECT_EQ(code(header, Bytes(vector.records.begin(), vector.records.begin() + static_cast<int64_t>(length))),
              Code::kCorrupt)
        << length;
  }
  Bytes longer = vector.records;
  longer.push_back(0);
  EXPECT_EQ(code(header, longer), Code::kCorrupt);
  BatchHeader fewer = header;
  fewer.last_offset_delta = header.last_offset_delta - 1;
  EXPECT_EQ(code(fewer, vector.records), Code::kCorrupt);
  // Two records with one number.
  const Bytes one = {0x10, 0, 0, 0, 2, 'k', 2, 'v', 0};
  Bytes twice = one;
  twice.insert(twice.end(), one.begin(), one.end());
  BatchHeader two = header;
  two.count = 2;
  EXPECT_EQ(code(two, twice), Code::kCorrupt);
}

TEST(BatchFilter, AnyBytesAreFilteredOrRefused) {
  std::mt19937 random(3);
  const std::vector<CleanedVector> vectors = CleanedVectors();
  OffsetMap map(1 << 16, 0.9);
  PutLast(vectors[1].last, &map);
  BatchFilter filter(map, 1000, INT64_MAX, INT64_MIN);
  for (int round = 0; round < 20000; ++round) {
    const CleanedVector& vector = vectors[random() % vectors.size()];
    Bytes records = vector.records;
    BatchHeader header = BatchHeader::Read(vector.source.data());
    for (uint32_t changes = 1 + random() % 3; changes > 0 && !records.empty(); --changes) {
      records[random() % records.size()] = static_cast<uint8_t>(random());
    }
    if (random() % 4 == 0) header.base_timestamp = static_cast<int64_t>((uint64_t{random()} << 32) | random());
    if (random() % 8 == 0) header.count = static_cast<int32_t>(random());
    CleanCounts counts;
    Result<BatchFilter::Verdict> verdict = filter.Filter(header, records.data(), records.size(), &counts);
    if (!verdict.ok() || *verdict != BatchFilter::Verdict::kRewrite) continue;
    // What it leaves parses, and stays when it is asked again.
    const Bytes left = filter.records();
    BatchHeader again = filter.header();
    Result<BatchFilter::Verdict> second = filter.Filter(again, left.data(), left.size(), &counts);
    ASSERT_TRUE(second.ok()) << second.status().message();
  }
}

}  // namespace
}  // namespace mykafka::testing
