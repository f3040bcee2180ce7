// What only a log of batches has. The suites that run for both formats (INSTANTIATE_EACH_FORMAT) have the rest.
#include "core/range_crc.h"
#include "core/record_batch.h"
#include "test/batch_vectors.h"
#include "test/segment_fixture.h"

namespace mykafka::testing {
namespace {

class SegmentBatches : public SegmentFixture {
 protected:
  SegmentBatches() {
    options.record_format = RecordFormat::kKafka;
    options.index_interval_bytes = 256;
  }

  Status AppendBytes(Bytes* bytes, int64_t count, int64_t timestamp = -1) {
    const PackedBatch batch = {bytes->data(), bytes->size(), static_cast<uint32_t>(count), timestamp};
    return segment->Append(&batch, 1, segment->next_offset());
  }
};

TEST_F(SegmentBatches, TheModelWritesWhatKafkaDoes) {
  const BatchVector vector = BatchVectorNamed("one record");
  EXPECT_EQ(EncodeBatch({{"k", "v"}}, vector.offset, vector.base_timestamp), vector.stored);
}

TEST_F(SegmentBatches, ABatchIsStoredAsItCame) {
  for (const BatchVector& vector : BatchVectors()) {
    SCOPED_TRACE(vector.name);
    Create(vector.offset);
    Bytes bytes = vector.sent;
    ASSERT_OK(AppendBytes(&bytes, vector.count, vector.append_time));
    EXPECT_EQ(segment->next_offset(), vector.offset + vector.count);
    EXPECT_EQ(ReadFile(Path(".log")), vector.stored);
    EXPECT_EQ(segment->largest_timestamp(), vector.append_time >= 0 ? vector.append_time : vector.max_timestamp);
    std::filesystem::remove(Path(".log"));
  }
}

TEST_F(SegmentBatches, WhatIsNotOneBatchOfItsCountIsRefused) {
  Create();
  const BatchVector vector = BatchVectorNamed("60 records");
  Bytes one = vector.sent;
  EXPECT_EQ(AppendBytes(&one, 59).code(), Code::kInvalidRecord);
  EXPECT_EQ(AppendBytes(&one, 61).code(), Code::kInvalidRecord);
  Bytes two = one;
  two.insert(two.end(), one.begin(), one.end());
  EXPECT_EQ(AppendBytes(&two, 120).code(), Code::kInvalidRecord);
  Bytes cut(one.begin(), one.end() - 1);
  EXPECT_EQ(AppendBytes(&cut, 60).code(), Code::kInvalidRecord);
  Bytes packed = Pack({{"k", "v"}});
  EXPECT_EQ(AppendBytes(&packed, 1).code(), Code::kInvalidRecord);
  Bytes none;
  EXPECT_EQ(AppendBytes(&none, 1).code(), Code::kInvalidRecord);
  EXPECT_EQ(segment->size(), 0);
  ASSERT_OK(AppendBytes(&one, 60));
}

TEST_F(SegmentBatches, ClaimedCountsBeyondTheRelativeOffsetsFillASegment) {
  Create();
  Bytes bytes = BatchVectorNamed("gzip").sent;
  SetBig(&bytes, 23, INT32_MAX - 1, 4);
  SetBig(&bytes, 57, INT32_MAX, 4);
  SetBatchCrc(&bytes);
  ASSERT_OK(AppendBytes(&bytes, INT32_MAX));
  Bytes next = BatchVectorNamed("60 records").sent;
  EXPECT_EQ(AppendBytes(&next, 60).code(), Code::kSegmentFull);
  EXPECT_EQ(segment->FindRange(INT32_MAX / 2, 1, INT64_MAX, Wait::kNever)->first_offset, 0);
}

// Larger than what is checked at once.
TEST_F(SegmentBatches, LargeBatchesAreCheckedPieceByPiece) {
  Create(9);
  std::mt19937 random(3);
  for (int i = 0; i < 6; ++i) {
    std::vector<ModelRecord> records;
    for (int n = 0; n < 3; ++n) records.push_back(RandomRecord(&random, 100000));
    ASSERT_OK(Append(records));
  }
  ASSERT_OK(segment->Seal());
  Close();
  OpenSealed();
  ExpectAllRight();
  Close();
  OpenRecovering(0);
  EXPECT_EQ(report.cut_position, -1);
  EXPECT_EQ(report.entries_checked, 6);
  Close();
  Bytes log = model.bytes();
  log[static_cast<size_t>(model.PositionOf(12)) + 70000] ^= 1;
  WriteFile(Path(".log"), log);
  OpenSealed();
  for (const int64_t offset : {12, 13, 14}) ExpectCorrupt(offset);
  ExpectAnswer(10, 1, model.next_offset());
  ExpectAnswer(16, 1, model.next_offset());
}

TEST_F(SegmentBatches, AChangedOffsetIsDamageThoughTheCrcIsRight) {
  Create(100);
  FillTogether(60, 4, 50);
  ASSERT_OK(segment->Seal());
  Close();
  const int64_t first = model.FirstOf(130);
  const int64_t next = model.NextOf(130);
  for (const uint64_t offset : {uint64_t{0}, uint64_t(first - 1), uint64_t(first + 1), uint64_t(next), uint64_t(155)}) {
    SCOPED_TRACE(offset);
    Bytes log = model.bytes();
    SetBig(&log, static_cast<size_t>(model.PositionOf(130)), offset, 8);
    WriteFile(Path(".log"), log);
    OpenSealed();
    ASSERT_OK(segment->Verify());
    ASSERT_EQ(segment->damages().size(), 1u);
    EXPECT_EQ(segment->damages()[0].first_offset, first);
    EXPECT_EQ(segment->damages()[0].next_offset, next);
    ExpectCorrupt(130);
    ExpectAnswer(first - 1, 1, model.next_offset());
    ExpectAnswer(next, 1, model.next_offset());
    Close();
  }
}

TEST_F(SegmentBatches, ABatchThatReachesIntoTheNextSegmentIsDamage) {
  Create(0);
  ASSERT_OK(Append({{"a", "b"}, {"c", "d"}}));
  ASSERT_OK(Append({{"a", "b"}, {"c", "d"}, {"e", "f"}}));
  ASSERT_OK(segment->Seal());
  Close();
  Result<std::shared_ptr<Segment>> opened = Segment::OpenSealed(options, 4);
  ASSERT_OK(opened.status());
  EXPECT_EQ((*opened)->FindRange(0, 1000, INT64_MAX, Wait::kAllowed)->last_offset, 1);
  EXPECT_EQ((*opened)->FindRange(2, 1000, INT64_MAX, Wait::kAllowed).status().code(), Code::kCorrupt);
  EXPECT_EQ((*opened)->FindRange(3, 1000, INT64_MAX, Wait::kAllowed).status().code(), Code::kCorrupt);
}

TEST_F(SegmentBatches, EntriesOfTheOtherFormatAreNone) {
  Create(0);
  FillTogether(20, 4, 50);
  ASSERT_OK(segment->Seal());
  Close();
  ModelLog records(0);
  std::mt19937 random(4);
  while (records.size() < model.size()) records.Add(RandomRecord(&random, 50));
  const RecordFormat formats[] = {RecordFormat::kMykafka, RecordFormat::kKafka};
  for (const RecordFormat format : formats) {
    WriteFile(Path(".log"), format == RecordFormat::kKafka ? records.bytes() : model.bytes());
    options.record_format = format;
    OpenSealed();
    for (const int64_t offset : {0, 10, 19}) ExpectCorrupt(offset);
    Close();
    OpenClean(20);
    EXPECT_TRUE(report.damaged_tail);
    EXPECT_EQ(report.next_offset, 20);
    Close();
    OpenRecovering(0);
    EXPECT_EQ(report.cut_position, 0);
    EXPECT_EQ(report.cut_whole_entries, 0);
    Close();
  }
}

TEST_F(SegmentBatches, HeadersAreReadFromTheBatchThatHoldsAnOffsetOn) {
  Create(50);
  FillTogether(200, 6);
  Bytes expected;
  for (int64_t offset = 50; offset < 250; offset = model.NextOf(offset)) {
    const auto begin = model.bytes().begin() + model.PositionOf(offset);
    expected.insert(expected.end(), begin, begin + kBatchHeaderLength);
  }
  Result<std::vector<uint8_t>> all = segment->ReadBatchHeaders(50, 1000);
  ASSERT_OK(all.status());
  EXPECT_EQ(*all, expected);
  EXPECT_EQ(segment->ReadBatchHeaders(0, 1000)->size(), expected.size());
  EXPECT_EQ(*segment->ReadBatchHeaders(50, 3), Bytes(expected.begin(), expected.begin() + 3 * kBatchHeaderLength));
  EXPECT_TRUE(segment->ReadBatchHeaders(250, 3)->empty());
  EXPECT_EQ(segment->ReadBatchHeaders(251, 3).status().code(), Code::kOffsetOutOfRange);
  // Unverified, with a hole.
  ASSERT_OK(segment->Seal());
  Close();
  Bytes log = model.bytes();
  const int64_t lost = model.FirstOf(100);
  log[static_cast<size_t>(model.PositionOf(lost)) + 70] ^= 1;
  WriteFile(Path(".log"), log);
  OpenSealed();
  Result<std::vector<uint8_t>> some = segment->ReadBatchHeaders(lost, 1);
  ASSERT_OK(some.status());
  EXPECT_EQ(GetBig(*some, 0, 8), static_cast<uint64_t>(model.NextOf(lost)));
  EXPECT_EQ(segment->ReadBatchHeaders(50, 1000)->size(), expected.size() - kBatchHeaderLength);
}

TEST(RangeCrcOfBatches, IsCrc32cOfAnyStretch) {
  const TemporaryDirectory directory;
  std::mt19937 random(5);
  Bytes bytes(100000);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  WriteFile(directory / "bytes", bytes);
  Result<std::shared_ptr<File>> file = FileSystem::Posix()->Open(directory / "bytes", OpenMode::kReadOnly);
  ASSERT_OK(file.status());
  RangeCrc crc(**file, EntryFormat::Of(RecordFormat::kKafka).crc);
  for (int i = 0; i < 200; ++i) {
    const auto from = static_cast<int64_t>(random() % bytes.size());
    const auto to = from + static_cast<int64_t>(random() % (bytes.size() - static_cast<size_t>(from)));
    Result<uint32_t> got = crc.Of(from, to);
    ASSERT_OK(got.status());
    EXPECT_EQ(*got, ModelCrc(bytes.data() + from, static_cast<size_t>(to - from), 0x82F63B78u));
  }
}

// By time, for both formats.
class SegmentTimestamps : public EachFormat {
 protected:
  void AppendAt(int64_t timestamp, int count = 1) {
    const std::vector<ModelRecord> records(static_cast<size_t>(count), {"key", "value"});
    const Bytes bytes = Batches() ? EncodeBatch(records, 0, timestamp) : Pack(records);
    const PackedBatch batch = {bytes.data(), bytes.size(), static_cast<uint32_t>(count), Batches() ? -1 : timestamp};
    ASSERT_OK(segment->Append(&batch, 1, segment->next_offset()));
  }
  void ExpectFound(int64_t timestamp, int64_t from, int64_t offset, int64_t found_timestamp) {
    Result<std::optional<FoundEntry>> found = segment->FindTimestamp(timestamp, from);
    ASSERT_OK(found.status());
    ASSERT_EQ(found->has_value(), offset >= 0) << timestamp;
    if (offset < 0) return;
    EXPECT_EQ((*found)->offset, offset) << timestamp;
    EXPECT_EQ((*found)->timestamp, found_timestamp) << timestamp;
  }
};

TEST_P(SegmentTimestamps, TheFirstEntryThatIsNotEarlierIsFound) {
  Create(10);
  options.base_offset = 10;
  for (const int64_t timestamp : {5, 7, 7, 3, 9, 9, 8}) AppendAt(timestamp);
  for (const int reopened : {0, 1, 2}) {
    SCOPED_TRACE(reopened);
    ExpectFound(0, 10, 10, 5);
    ExpectFound(6, 10, 11, 7);
    ExpectFound(7, 12, 12, 7);
    ExpectFound(7, 13, 14, 9);
    ExpectFound(9, 10, 14, 9);
    ExpectFound(10, 10, -1, 0);
    ExpectFound(1, 17, -1, 0);
    ExpectFound(kLargestTimestamp, 10, 14, 9);
    ExpectFound(kLargestTimestamp, 15, 15, 9);
    ExpectFound(kLargestTimestamp, 16, 16, 8);
    EXPECT_TRUE(segment->timestamps_known());
    EXPECT_EQ(segment->largest_timestamp(), 9);
    ASSERT_OK(segment->Sync());
    Close();
    if (reopened == 0) {
      OpenClean(17);
    } else {
      Result<std::shared_ptr<Segment>> opened = Segment::OpenSealed(options, 17);
      ASSERT_OK(opened.status());
      segment = *opened;
      EXPECT_FALSE(segment->timestamps_known());
    }
  }
}

TEST_P(SegmentTimestamps, ATruncationForgetsThem) {
  Create(0);
  for (const int64_t timestamp : {5, 7, 20, 6}) AppendAt(timestamp);
  ASSERT_OK(segment->TruncateTo(2));
  ExpectFound(20, 0, -1, 0);
  ExpectFound(kLargestTimestamp, 0, 1, 7);
  AppendAt(8);
  ExpectFound(8, 0, 2, 8);
  ASSERT_OK(segment->TruncateTo(0));
  ExpectFound(kLargestTimestamp, 0, -1, 0);
}

TEST_P(SegmentTimestamps, WhereNoRecordHasATimeThereIsNoLargest) {
  Create(0);
  AppendAt(-1);
  ExpectFound(kLargestTimestamp, 0, -1, 0);
  ExpectFound(0, 0, -1, 0);
}

INSTANTIATE_EACH_FORMAT(SegmentTimestamps);

}  // namespace
}  // namespace mykafka::testing
