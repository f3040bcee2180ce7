// The log cleaner over logs of both formats: what stays, what goes, where it stops.
#include "core/cleaner.h"

#include <gtest/gtest.h>

#include "test/clean_fixture.h"

namespace mykafka::testing {
namespace {

class CleanerOf : public CleanFixture {};
INSTANTIATE_EACH_FORMAT(CleanerOf);

using Records = std::vector<StoredRecord>;

TEST_P(CleanerOf, TheLastValueOfEachKeyStaysAtItsOffset) {
  Create();
  Write({{"a", "1"}, {"b", "1"}, {"a", "2"}});
  Write({{"c", "1"}});
  Roll();
  Write({{"b", "2"}, {"", "empty"}});
  Write({{"d", ""}});
  Roll();
  const CleanStep step = Index();
  EXPECT_EQ(step.stop, CleanStop::kEnd);
  EXPECT_EQ(step.next_offset, 7);
  EXPECT_EQ(cleaner->indexed_to(), 7);
  EXPECT_EQ(cleaner->map().size(), 5u);
  CleanAll();
  EXPECT_EQ(Left(), (Records{{2, "a", "2"}, {3, "c", "1"}, {4, "b", "2"}, {5, "", "empty"}, {6, "d", ""}}));
  EXPECT_EQ(cleaned.counts.records_read, 7);
  EXPECT_EQ(cleaned.counts.records_kept, 5);
  EXPECT_EQ(cleaned.counts.tombstones, 0);
  EXPECT_EQ(cleaned.largest_timestamp, model.timestamp());
}

TEST_P(CleanerOf, RecordsWithoutAKeyGo) {
  Create();
  Write({{std::nullopt, "1"}, {"a", "1"}});
  Write({{std::nullopt, "2"}});
  Roll();
  Index();
  CleanAll();
  EXPECT_EQ(Left(), (Records{{1, "a", "1"}}));
}

TEST_P(CleanerOf, WhatIsBehindTheIndexedPartStaysAsItIs) {
  Create();
  Write({{"a", "1"}, {"a", "2"}, {std::nullopt, "1"}, {"a", "3"}});
  Write({{"b", "1"}});
  Write({{"b", "2"}});
  Roll();
  const CleanStep step = Index(0, 2);
  EXPECT_EQ(step.stop, CleanStop::kEnd);
  EXPECT_EQ(step.next_offset, 2);
  CleanAll();
  EXPECT_EQ(Left(), (Records{{1, "a", "2"}, {2, std::nullopt, "1"}, {3, "a", "3"}, {4, "b", "1"}, {5, "b", "2"}}));
}

TEST_P(CleanerOf, AKeyThatTheDirtyPartDoesNotHaveStays) {
  Create();
  Write({{"a", "1"}, {"b", "1"}});
  Roll();
  Write({{"b", "2"}});
  Roll();
  Index(2);
  CleanAll();
  EXPECT_EQ(Left(), (Records{{0, "a", "1"}, {2, "b", "2"}}));
}

TEST_P(CleanerOf, EverythingMayGo) {
  Create();
  Write({{"a", "1"}});
  Write({{"b", "1"}});
  Roll();
  Write({{"b", "2"}, {"a", "2"}});
  Roll();
  Index();
  OpenWriter(0, 0);
  ASSERT_OK(Copy(segments[0]));
  Finish();
  EXPECT_EQ(Left(), Records());
  EXPECT_EQ(cleaned.bytes, 0);
  EXPECT_EQ(cleaned.entries, 0);
  EXPECT_EQ(cleaned.largest_timestamp, -1);
}

TEST_P(CleanerOf, AFullMapEndsThePassAndLosesNothing) {
  NewCleaner(10 * OffsetMap::kSlotLength);
  Create();
  for (int i = 0; i < 7; ++i) Write({{"key-" + std::to_string(i), "1"}, {"key-0", std::to_string(i)}});
  // The tenth key is one too many.
  Write({{"key-7", "1"}, {"key-8", "1"}, {"key-1", "2"}, {"key-9", "1"}, {"key-0", "9"}});
  Roll();
  const CleanStep step = Index();
  EXPECT_EQ(step.stop, CleanStop::kFull);
  EXPECT_EQ(step.next_offset, 17);
  EXPECT_EQ(cleaner->indexed_to(), 17);
  EXPECT_EQ(cleaner->map().size(), 9u);
  CleanAll();
  const Records left = {{4, "key-2", "1"},  {6, "key-3", "1"},  {8, "key-4", "1"},  {10, "key-5", "1"},
                        {12, "key-6", "1"}, {13, "key-0", "6"}, {14, "key-7", "1"}, {15, "key-8", "1"},
                        {16, "key-1", "2"}, {17, "key-9", "1"}, {18, "key-0", "9"}};
  EXPECT_EQ(Left(), left);
}

TEST_P(CleanerOf, AMapThatIsFullInsideOfALargeBatchSaysWhere) {
  NewCleaner(10 * OffsetMap::kSlotLength);
  Create();
  std::vector<ModelRecord> many;
  for (int i = 0; i < 100; ++i) many.push_back({"key-" + std::to_string(i), "1"});
  Write(many);
  Write({{"key-0", "2"}, {"other", "1"}});
  Roll();
  const CleanStep step = Index(0, kAll, kAll);
  EXPECT_EQ(step.stop, CleanStop::kFull);
  EXPECT_EQ(step.next_offset, 9);
  EXPECT_EQ(cleaner->indexed_to(), 9);
  CleanAll();
  // What was put behind that is no harm.
  EXPECT_GE(Left().size(), 101u);
}

TEST_P(CleanerOf, TheNextRunGoesOnWhereAFullMapEndedOne) {
  NewCleaner(10 * OffsetMap::kSlotLength);
  Create();
  for (int i = 0; i < 40; ++i) Write({{"key-" + std::to_string(i % 20), std::to_string(i)}, {"x", "y"}});
  Roll();
  int64_t from = 0;
  int runs = 0;
  for (; from < End(); ++runs) {
    NewCleaner(10 * OffsetMap::kSlotLength);
    const CleanStep step = Index(from);
    ASSERT_GT(step.next_offset, from);
    from = step.next_offset;
  }
  EXPECT_GT(runs, 3);
}

TEST_P(CleanerOf, ASegmentThatIsDamagedIsRefused) {
  Create();
  Fill(50);
  Roll();
  Fill(50, 2);
  Roll();
  const std::string path = segments[1]->log_path();
  Bytes file = ReadFile(path);
  file[file.size() / 2] ^= 1;
  WriteFile(path, file);
  EXPECT_EQ(Index(0, 50).next_offset, 50);
  const Status status = cleaner->Index(segments[1], 50, 100, kAll).status();
  EXPECT_EQ(status.code(), Code::kCorrupt);
  EXPECT_NE(status.message().find(path), std::string::npos);
  // What lies before it counts.
  EXPECT_GT(cleaner->indexed_to(), 50);
  EXPECT_LT(cleaner->indexed_to(), 100);
  OpenWriter();
  ASSERT_OK(Copy(segments[0]));
  EXPECT_EQ(Copy(segments[1]).code(), Code::kCorrupt);
  EXPECT_EQ(writer->Finish().status().code(), Code::kInvalidArgument);
  ASSERT_OK(writer->Abort());
  EXPECT_FALSE(Exists(writer->log_path()));
  EXPECT_FALSE(Exists(writer->index_path()));
}

TEST_P(CleanerOf, AnyFlippedBitIsRefused) {
  Create();
  FillTogether(20, 3, 40);
  Roll();
  const std::string path = segments[0]->log_path();
  const Bytes right = ReadFile(path);
  const LogReading reading(right, GetParam());
  size_t entry = 0;
  for (size_t byte = 0; byte < right.size(); ++byte) {
    while (entry + 1 < reading.positions().size() && reading.positions()[entry + 1].second <= byte) ++entry;
    const auto in_entry = static_cast<int64_t>(byte - reading.positions()[entry].second);
    // The offset of a batch is in no CRC, and may be a little higher; the leader epoch may be anything.
    if (Batches() && in_entry < 8) continue;
    if (Unchecked(in_entry)) continue;
    Bytes wrong = right;
    wrong[byte] ^= static_cast<uint8_t>(1 << (byte % 8));
    WriteFile(path, wrong);
    NewCleaner();
    EXPECT_EQ(cleaner->Index(segments[0], 0, kAll, kAll).status().code(), Code::kCorrupt) << byte;
  }
}

TEST_P(CleanerOf, AFileThatEndsTooEarlyIsRefused) {
  Create();
  Fill(20);
  Roll();
  const std::string path = segments[0]->log_path();
  Bytes file = ReadFile(path);
  for (int cut = 1; cut < 100; cut += 7) {
    file.resize(file.size() - 7);
    WriteFile(path, file);
    NewCleaner();
    EXPECT_EQ(cleaner->Index(segments[0], 0, kAll, kAll).status().code(), Code::kCorrupt) << cut;
  }
}

TEST_P(CleanerOf, AGapIsDamageUnlessTheSegmentIsSparse) {
  Create();
  for (int i = 0; i < 10; ++i) Write({{"key-" + std::to_string(i), "value"}});
  Roll();
  const std::string path = segments[0]->log_path();
  const Bytes all = ReadFile(path);
  const ModelLog& log = models[0];
  for (const auto& [from, to] : std::vector<std::pair<int64_t, int64_t>>{{0, 1}, {4, 6}, {8, 10}, {0, 10}}) {
    Bytes file = all;
    file.erase(file.begin() + log.PositionOf(from), file.begin() + log.PositionOf(to));
    WriteFile(path, file);
    options.base_offset = 0;
    for (const bool sparse : {false, true}) {
      options.sparse = sparse;
      Result<std::shared_ptr<Segment>> opened = Segment::OpenSealed(options, 10);
      ASSERT_OK(opened.status());
      NewCleaner();
      Result<CleanStep> step = cleaner->Index(*opened, 0, kAll, kAll);
      EXPECT_EQ(step.status().code(), sparse ? Code::kOk : Code::kCorrupt) << from;
      if (!sparse) continue;
      EXPECT_EQ(step->next_offset, 10);
      EXPECT_EQ(cleaner->map().size(), static_cast<size_t>(10 - (to - from)));
      // From inside of the gap.
      step = cleaner->Index(*opened, to - 1, kAll, kAll);
      ASSERT_OK(step.status());
      EXPECT_EQ(step->next_offset, 10);
    }
  }
}

TEST_P(CleanerOf, LargeEntriesAreReadInPieces) {
  Create();
  Write({{"a", std::string(5 << 20, 'x')}});
  Write({{"b", std::string(3 << 20, 'y')}});
  Write({{"a", std::string(9 << 20, 'z')}});
  Write({{"c", "small"}});
  Write({{std::string(4 << 20, 'k'), std::string(1 << 20, 'v')}});
  Roll();
  Index();
  CleanAll();
  const Records left = Left();
  ASSERT_EQ(left.size(), 4u);
  EXPECT_EQ(left[0].offset, 1);
  EXPECT_EQ(left[1].value, std::string(9 << 20, 'z'));
  EXPECT_EQ(left[2].value, "small");
  EXPECT_EQ(left[3].key, std::string(4 << 20, 'k'));
  // One of them damaged.
  Bytes file = ReadFile(segments[0]->log_path());
  file[(5 << 20) - 100] ^= 4;
  WriteFile(segments[0]->log_path(), file);
  NewCleaner();
  EXPECT_EQ(cleaner->Index(segments[0], 0, kAll, kAll).status().code(), Code::kCorrupt);
}

TEST_P(CleanerOf, ABudgetEndsACallBehindTheEntryThatExceedsIt) {
  Create();
  for (int i = 0; i < 10; ++i) Write({{"key", std::string(1000, 'v')}});
  Roll();
  Result<CleanStep> step = cleaner->Index(segments[0], 0, kAll, 2500);
  ASSERT_OK(step.status());
  EXPECT_EQ(step->stop, CleanStop::kBudget);
  EXPECT_EQ(step->next_offset, 3);
  EXPECT_GT(step->bytes_read, 3000);
  EXPECT_EQ(cleaner->indexed_to(), 3);
  // From anywhere.
  step = cleaner->Index(segments[0], 7, kAll, 1);
  ASSERT_OK(step.status());
  EXPECT_EQ(step->next_offset, 8);
  EXPECT_EQ(cleaner->map().Find(cleaner->map().HashOf("key", 3)), 7);
}

TEST_P(CleanerOf, ACleanerThatIsClosedEndsItsCalls) {
  Create();
  Fill(10);
  Roll();
  Index();
  OpenWriter();
  cleaner->Close();
  EXPECT_EQ(cleaner->Index(segments[0], 0, kAll, kAll).status().code(), Code::kCancelled);
  EXPECT_EQ(writer->Copy(segments[0], 0, 0, kAll).status().code(), Code::kCancelled);
  EXPECT_EQ(writer->Finish().status().code(), Code::kCancelled);
  EXPECT_EQ(CleanWriter::Create(cleaner, writer_options).status().code(), Code::kCancelled);
  cleaner->Release();
  ASSERT_OK(writer->Abort());
  EXPECT_FALSE(Exists(writer->log_path()));
}

TEST_P(CleanerOf, ASegmentThatDoesNotBelongToTheGroupIsRefused) {
  Create();
  Fill(10);
  Roll();
  Fill(10, 2);
  Roll();
  OpenWriter(0, 0);
  EXPECT_EQ(Copy(segments[1]).code(), Code::kInvalidArgument);
  OpenWriter(0, 1);
  ASSERT_OK(Copy(segments[1]));
  EXPECT_EQ(Copy(segments[0]).code(), Code::kInvalidArgument);
  ASSERT_OK(writer->Abort());
}

TEST_P(CleanerOf, WhatStandsAtThePathIsReplaced) {
  Create();
  Fill(10);
  Roll();
  Index();
  CleanAll();
  const Bytes once = bytes;
  WriteFile(writer->log_path(), Bytes(100000, 7));
  WriteFile(writer->index_path(), Bytes(100000, 7));
  CleanAll();
  EXPECT_EQ(bytes, once);
  ASSERT_OK(writer->Abort());
  EXPECT_FALSE(Exists(writer->log_path()));
  EXPECT_FALSE(Exists(writer->index_path()));
}

}  // namespace
}  // namespace mykafka::testing
