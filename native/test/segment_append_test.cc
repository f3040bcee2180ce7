// What an append writes, refuses, and leaves behind when the disk fails it.
#include <errno.h>

#include "core/bytes.h"
#include "test/faulty_file_system.h"
#include "test/segment_fixture.h"
#include "test/vectors.h"

namespace mykafka::testing {
namespace {

class SegmentAppend : public SegmentFixture {
 protected:
  SegmentAppend() { options.file_system = files; }

  void ExpectUntouched(const Bytes& log, int64_t next_offset) {
    EXPECT_EQ(segment->size(), static_cast<int64_t>(log.size()));
    EXPECT_EQ(segment->next_offset(), next_offset);
    EXPECT_TRUE(ReadFile(Path(".log")) == log);
  }

  std::shared_ptr<FaultyFileSystem> files = std::make_shared<FaultyFileSystem>();
};

TEST_F(SegmentAppend, TheVectorIsWrittenByteForByteLogAndIndex) {
  VectorFile file("segment.json");
  options.base_offset = file.Number("baseOffset");
  options.index_interval_bytes = static_cast<uint32_t>(file.Number("indexIntervalBytes"));
  const Bytes log = *file.Hex("log");
  Bytes index;
  while (file.Next("relativeOffset")) {
    PutBig(&index, static_cast<uint64_t>(std::stoll(*file.Value())), 4);
    PutBig(&index, static_cast<uint64_t>(file.Number("filePosition")), 4);
  }
  // Each entry of the log as the batch that it came from.
  std::vector<Bytes> packed;
  std::vector<int64_t> timestamps;
  for (size_t at = 0; at < log.size();) {
    const auto length = [&](size_t where) { return static_cast<int32_t>(GetBig(log, where, 4)); };
    const size_t key = static_cast<size_t>(std::max(length(at + 16), 0));
    const size_t value = static_cast<size_t>(std::max(length(at + 20 + key), 0));
    const auto begin = log.begin() + static_cast<int64_t>(at);
    packed.emplace_back(begin + 16, begin + static_cast<int64_t>(24 + key + value));
    timestamps.push_back(static_cast<int64_t>(GetBig(log, at + 8, 8)));
    at += 28 + key + value;
  }
  ASSERT_EQ(packed.size(), 60u);
  // One by one, all at once, and in between: the bytes are the same.
  for (const size_t group : {1u, 60u, 7u}) {
    Result<std::shared_ptr<Segment>> created = Segment::Create(options);
    ASSERT_OK(created.status());
    segment = *created;
    for (size_t first = 0; first < packed.size(); first += group) {
      std::vector<PackedBatch> batches;
      for (size_t i = first; i < std::min(first + group, packed.size()); ++i) {
        batches.push_back({packed[i].data(), packed[i].size(), 1, timestamps[i]});
      }
      ASSERT_OK(segment->Append(batches.data(), batches.size(), options.base_offset + static_cast<int64_t>(first)));
    }
    ASSERT_OK(segment->Seal());
    EXPECT_TRUE(ReadFile(Path(".log")) == log);
    EXPECT_TRUE(ReadFile(Path(".index")) == index);
    EXPECT_EQ(segment->largest_timestamp(), timestamps.back());
    Close();
    std::filesystem::remove(Path(".log"));
    std::filesystem::remove(Path(".index"));
  }
}

TEST_F(SegmentAppend, AllIsWrittenInOneCallAndLargeValuesAreNotCopied) {
  Create(5);
  const int writes = files->calls(Operation::kWrite);
  std::vector<ModelRecord> records;
  for (int i = 0; i < 20; ++i) {
    records.push_back(
        {std::string(static_cast<size_t>(i % 4) * 30000, 'k'), std::string(static_cast<size_t>(i) * 6000, 'v')});
  }
  ASSERT_OK(Append(records));
  EXPECT_EQ(files->calls(Operation::kWrite), writes + 1);
  EXPECT_TRUE(ReadFile(Path(".log")) == model.bytes());
  ASSERT_OK(segment->Seal());
  EXPECT_EQ(ReadFile(Path(".index")), model.Index(4096));
}

TEST_F(SegmentAppend, ABatchOfMorePartsThanOneCallTakesIsWhole) {
  Create();
  std::vector<ModelRecord> records;
  for (int i = 0; i < 520; ++i) records.push_back({std::nullopt, std::string(65537, static_cast<char>('a' + i % 26))});
  ASSERT_OK(Append(records));
  EXPECT_TRUE(ReadFile(Path(".log")) == model.bytes());
}

TEST_F(SegmentAppend, BatchesGetConsecutiveOffsetsAndTheirOwnTimestamps) {
  Create(10);
  const Bytes first = Pack({{"a", "1"}, {"b", "2"}});
  const Bytes second = Pack({{"c", "3"}});
  const PackedBatch batches[] = {
      {first.data(), first.size(), 2, 500}, {nullptr, 0, 0, 900}, {second.data(), second.size(), 1, 400}};
  ASSERT_OK(segment->Append(batches, 3, 10));
  Bytes expected;
  for (const Bytes& entry : {Encode({"a", "1"}, 10, 500), Encode({"b", "2"}, 11, 500), Encode({"c", "3"}, 12, 400)}) {
    expected.insert(expected.end(), entry.begin(), entry.end());
  }
  EXPECT_EQ(ReadFile(Path(".log")), expected);
  EXPECT_EQ(segment->next_offset(), 13);
  EXPECT_EQ(segment->largest_timestamp(), 500);
}

TEST_F(SegmentAppend, RefusesWhatDoesNotParseWithoutReadingBeyondIt) {
  Create();
  Fill(3);
  const Bytes log = model.bytes();
  const Bytes good = Pack({{"key", "value"}, {std::nullopt, "x"}});
  for (size_t length = 0; length < good.size(); ++length) {
    const Bytes cut(good.begin(), good.begin() + static_cast<int64_t>(length));  // ASan sees a byte too far
    const PackedBatch batch = {cut.data(), cut.size(), 2, 0};
    EXPECT_EQ(segment->Append(&batch, 1, 3).code(), Code::kInvalidRecord) << length;
  }
  const PackedBatch too_few = {good.data(), good.size(), 1, 0};
  EXPECT_EQ(segment->Append(&too_few, 1, 3).code(), Code::kInvalidRecord);
  const PackedBatch wrong_offset = {good.data(), good.size(), 2, 0};
  EXPECT_EQ(segment->Append(&wrong_offset, 1, 4).code(), Code::kInvalidArgument);
  ExpectUntouched(log, 3);
}

TEST_F(SegmentAppend, CreateRefusesAnExistingLog) {
  Create();
  EXPECT_EQ(Segment::Create(options).status().sys_errno(), EEXIST);
}

TEST_F(SegmentAppend, RollsWhereTheIndexIsFull) {
  options.index_interval_bytes = 1;
  options.index_max_bytes = 3 * 8 + 5;
  Create();
  Fill(3);
  EXPECT_EQ(Append({{"k", "v"}}).code(), Code::kSegmentFull);
  EXPECT_EQ(Append({{"k", "v"}, {"k", "v"}}).code(), Code::kSegmentFull);
  ExpectUntouched(model.bytes(), 3);
  ExpectAllRight(Wait::kNever);
}

TEST_F(SegmentAppend, OneBatchThatNeedsMoreIndexThanThereIsGoesIntoAnEmptySegment) {
  options.index_interval_bytes = 1;
  options.index_max_bytes = 16;
  Create();
  const std::vector<ModelRecord> many(1000, {"k", "v"});
  ASSERT_OK(Append(many));
  EXPECT_EQ(Append({{"k", "v"}}).code(), Code::kSegmentFull);
  ExpectAllRight(Wait::kNever);
  ASSERT_OK(segment->Seal());
  EXPECT_EQ(ReadFile(Path(".index")), model.Index(1));
}

TEST_F(SegmentAppend, RollsWhereRelativeOffsetsEnd) {
  // 2^31 records cannot be written in a test: a file that ends a few offsets below the limit is laid out
  // by hand. Its base is far below, as behind a compaction.
  options.base_offset = 100;
  const int64_t last = options.base_offset + INT32_MAX - 2;
  WriteFile(Path(".log"), Encode({"k", "v"}, last, 1));
  OpenClean(0);
  ASSERT_EQ(segment->next_offset(), last + 1);
  const Bytes three = Pack({{"a", "1"}, {"b", "2"}, {"c", "3"}});
  const PackedBatch batch = {three.data(), three.size(), 3, 1};
  EXPECT_EQ(segment->Append(&batch, 1, last + 1).code(), Code::kSegmentFull);
  const Bytes two = Pack({{"a", "1"}, {"b", "2"}});
  const PackedBatch fits = {two.data(), two.size(), 2, 1};
  ASSERT_OK(segment->Append(&fits, 1, last + 1));
  EXPECT_EQ(segment->next_offset(), options.base_offset + INT32_MAX + 1ll);
  Result<Range> range = segment->FindRange(last + 2, 1, INT64_MAX, Wait::kAllowed);
  ASSERT_OK(range.status());
  EXPECT_EQ(range->first_offset, last + 2);
}

TEST_F(SegmentAppend, RollsWherePositionsEnd) {
  // A log of nearly 2 GiB, all hole but its last entry, which the index names.
  const Bytes entry = Encode({"k", "v"}, 7, 1);
  const int64_t position = INT32_MAX - 100;
  {
    std::ofstream log(Path(".log"), std::ios::binary);
    log.seekp(position);
    log.write(reinterpret_cast<const char*>(entry.data()), static_cast<std::streamsize>(entry.size()));
  }
  Bytes index(8);
  PutBig(&index, 7, 4);
  PutBig(&index, static_cast<uint64_t>(position), 4);
  WriteFile(Path(".index"), index);
  OpenClean(8);
  ASSERT_FALSE(report.damaged_tail);
  ASSERT_EQ(segment->size(), position + 30);
  const auto append = [&](size_t value_length) {
    const Bytes packed = Pack({{std::nullopt, std::string(value_length, 'v')}});
    const PackedBatch batch = {packed.data(), packed.size(), 1, 1};
    return segment->Append(&batch, 1, 8);
  };
  EXPECT_EQ(append(71 - 28).code(), Code::kSegmentFull);
  ASSERT_OK(append(70 - 28));
  EXPECT_EQ(segment->size(), INT32_MAX);
}

TEST_F(SegmentAppend, ABatchThatNoSegmentCanHoldIsTooLarge) {
  Create();
  // The same bytes four times: nobody looks into the values before the lengths are known to fit.
  const size_t value_length = 600u << 20;
  std::unique_ptr<uint8_t, decltype(&free)> packed(static_cast<uint8_t*>(calloc(8 + value_length, 1)), free);
  StoreBig32(packed.get() + 4, value_length);
  const PackedBatch batch = {packed.get(), 8 + value_length, 1, 1};
  const PackedBatch four[] = {batch, batch, batch, batch};
  EXPECT_EQ(segment->Append(four, 4, 0).code(), Code::kRecordTooLarge);
  ExpectUntouched({}, 0);
}

TEST_F(SegmentAppend, AFailedWriteLeavesEverythingAsItWas) {
  Create();
  Fill(5);
  for (const int sys_errno : {ENOSPC, EIO}) {
    const Bytes log = model.bytes();
    const int64_t next = model.next_offset();
    files->Fail(Operation::kWrite, 1, sys_errno, ".log");
    const Status status = Append({{"k", "v"}});
    EXPECT_EQ(status.code(), Code::kIo);
    EXPECT_EQ(status.sys_errno(), sys_errno);
    ExpectUntouched(log, next);
    ASSERT_OK(Append({{"k", "again"}}));
  }
  ExpectAllRight(Wait::kNever);
  ASSERT_OK(segment->Seal());
  EXPECT_EQ(ReadFile(Path(".index")), model.Index(4096));
}

TEST_F(SegmentAppend, AWriteCutShortAtAnyByteGoesOnOrIsCutBack) {
  Create();
  Fill(5);
  const std::vector<ModelRecord> records = {{"k", "v"}, {std::nullopt, "second"}};
  const size_t length = Encode(records[0], 0, 0).size() + Encode(records[1], 0, 0).size();
  for (size_t cut = 1; cut < length; ++cut) {
    SCOPED_TRACE(cut);
    const Bytes log = model.bytes();
    files->CutWrite(1, cut, ".log");
    files->Fail(Operation::kWrite, 1, ENOSPC, ".log");  // counted from the one behind
    const int syncs = files->calls(Operation::kSync);
    ASSERT_EQ(Append(records).sys_errno(), ENOSPC);
    // What was cut back does not come again behind a crash, when other segments follow.
    EXPECT_EQ(files->calls(Operation::kSync), syncs + 1);
    ExpectUntouched(log, model.next_offset());
    files->Heal();
    files->CutWrite(1, cut, ".log");
    ASSERT_OK(Append(records));
    files->Heal();
  }
  EXPECT_TRUE(ReadFile(Path(".log")) == model.bytes());
  ExpectAllRight(Wait::kNever);
}

TEST_F(SegmentAppend, WhereEvenTheCutFailsNothingIsAppendedUntilItIsOpenedAnew) {
  Create();
  Fill(5);
  files->CutWrite(1, 7, ".log");
  files->Fail(Operation::kWrite, 1, EIO, ".log");
  files->Fail(Operation::kTruncate, 1, EIO, ".log");
  EXPECT_EQ(Append({{"k", "v"}}).code(), Code::kIo);
  EXPECT_EQ(Append({{"k", "v"}}).code(), Code::kIo);
  EXPECT_EQ(segment->size(), model.size());
  ExpectAllRight(Wait::kNever);
  Close();
  files->Heal();
  OpenRecovering(model.next_offset());
  EXPECT_EQ(report.cut_length, 7);
  ASSERT_OK(Append({{"k", "v"}}));
  ExpectAllRight();
}

TEST_F(SegmentAppend, WhatASyncOfTheCutLostIsNotTakenForWrittenByTheNext) {
  Create();
  Fill(5);
  files->CutWrite(1, 7, ".log");
  files->Fail(Operation::kWrite, 1, ENOSPC, ".log");
  files->Fail(Operation::kSync, 1, EIO, ".log");  // it fails once: the system takes the pages for clean then
  EXPECT_EQ(Append({{"k", "v"}}).sys_errno(), ENOSPC);
  EXPECT_EQ(segment->Sync().sys_errno(), EIO);
  EXPECT_EQ(segment->synced_size(), 0);
  EXPECT_EQ(Append({{"k", "v"}}).sys_errno(), EIO);
  ExpectAllRight(Wait::kNever);
}

TEST_F(SegmentAppend, WithoutRoomInTheIndexNothingIsWritten) {
  options.index_interval_bytes = 1;
  Create();
  files->Fail(Operation::kAllocate, 1, ENOSPC, ".index");
  const int writes = files->calls(Operation::kWrite);
  EXPECT_EQ(Append({{"k", "v"}}).sys_errno(), ENOSPC);
  EXPECT_EQ(files->calls(Operation::kWrite), writes);
  ExpectUntouched({}, 0);
  files->Heal();
  Fill(512);
  // The first 4 KiB are used up: the next entry needs blocks again.
  files->Fail(Operation::kAllocate, 1, ENOSPC, ".index", true);
  const Bytes log = model.bytes();
  EXPECT_EQ(Append({{"k", "v"}}).sys_errno(), ENOSPC);
  ExpectUntouched(log, 512);
  files->Heal();
  Fill(10);
  ExpectAllRight(Wait::kNever);
}

TEST_F(SegmentAppend, TheIndexGrowsInSteps) {
  options.index_interval_bytes = 1;
  Create();
  std::vector<uintmax_t> sizes;
  const Bytes packed = Pack(std::vector<ModelRecord>(1000, {std::nullopt, ""}));
  for (int i = 0; i < 300; ++i) {
    const PackedBatch batch = {packed.data(), packed.size(), 1000, 1};
    ASSERT_OK(segment->Append(&batch, 1, segment->next_offset()));
    const uintmax_t size = std::filesystem::file_size(Path(".index"));
    if (sizes.empty() || sizes.back() != size) sizes.push_back(size);
  }
  const std::vector<uintmax_t> doubling = {8u << 10,   16u << 10,  32u << 10,  64u << 10,
                                           128u << 10, 256u << 10, 512u << 10, 1u << 20};
  ASSERT_GT(sizes.size(), doubling.size());
  EXPECT_EQ(std::vector<uintmax_t>(sizes.begin(), sizes.begin() + 8), doubling);
  EXPECT_EQ(sizes[8], 2u << 20);
  EXPECT_EQ(sizes[9], 3u << 20);  // by 1 MiB at most
}

TEST_F(SegmentAppend, AFailedSyncIsFinal) {
  Create();
  Fill(3);
  files->Fail(Operation::kSync, 1, EIO, ".log");
  EXPECT_EQ(segment->Sync().sys_errno(), EIO);
  files->Heal();
  EXPECT_EQ(segment->Sync().code(), Code::kIo);
  EXPECT_EQ(Append({{"k", "v"}}).code(), Code::kIo);
  EXPECT_EQ(segment->synced_size(), 0);
  ExpectAllRight(Wait::kNever);  // reading goes on
}

TEST_F(SegmentAppend, ASyncCoversWhatWasPublishedBefore) {
  Create();
  EXPECT_EQ(segment->synced_size(), 0);
  Fill(3);
  ASSERT_OK(segment->Sync());
  EXPECT_EQ(segment->synced_size(), model.size());
  const int64_t synced = model.size();
  Fill(3);
  EXPECT_EQ(segment->synced_size(), synced);
  const int syncs = files->calls(Operation::kSync);
  ASSERT_OK(segment->Sync());
  ASSERT_OK(segment->Sync());  // nothing is left to do
  EXPECT_EQ(files->calls(Operation::kSync), syncs + 1);
}

TEST_F(SegmentAppend, ASealedOrClosedSegmentTakesNoMore) {
  Create();
  Fill(100);
  std::shared_ptr<File> pin = *segment->PinFile();
  ASSERT_OK(segment->Seal());
  EXPECT_EQ(ReadFile(Path(".index")), model.Index(4096));
  EXPECT_EQ(Append({{"k", "v"}}).code(), Code::kInvalidArgument);
  ExpectAllRight(Wait::kNever);
  segment->Close();
  EXPECT_EQ(Append({{"k", "v"}}).code(), Code::kClosed);
  EXPECT_EQ(segment->Sync().code(), Code::kClosed);
  EXPECT_EQ(segment->Seal().code(), Code::kClosed);
  EXPECT_EQ(segment->TruncateTo(0).code(), Code::kClosed);
  EXPECT_EQ(segment->Verify().code(), Code::kClosed);
  EXPECT_EQ(segment->FindRange(0, 1, 1, Wait::kNever).status().code(), Code::kClosed);
  EXPECT_EQ(segment->PinFile().status().code(), Code::kClosed);
  uint8_t byte;
  EXPECT_EQ(segment->Read(&byte, 1, 0, Wait::kAllowed).status().code(), Code::kClosed);
  EXPECT_EQ(*pin->Read(&byte, 1, 0, Wait::kAllowed), 1u);  // the pin lives on
}

TEST_F(SegmentAppend, OffsetsOutsideAreOutOfRangeAndTheEndIsEmpty) {
  Create(50);
  EXPECT_EQ(segment->FindRange(50, 100, 1000, Wait::kNever)->length, 0);
  Fill(10);
  EXPECT_EQ(segment->FindRange(49, 100, 1000, Wait::kNever).status().code(), Code::kOffsetOutOfRange);
  EXPECT_EQ(segment->FindRange(61, 100, 1000, Wait::kNever).status().code(), Code::kOffsetOutOfRange);
  Result<Range> end = segment->FindRange(60, 100, 1000, Wait::kNever);
  ASSERT_OK(end.status());
  EXPECT_EQ(end->length, 0);
  EXPECT_EQ(end->count, 0);
  EXPECT_EQ(segment->FindRange(55, 100, 55, Wait::kNever)->length, 0);
}

}  // namespace
}  // namespace mykafka::testing
