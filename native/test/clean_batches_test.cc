// The log cleaner over RecordBatches: compressed ones, those of producers, control batches, delete horizons. What is
// left inside of a batch is batch_filter_test.cc's.
#include <gtest/gtest.h>

#include "test/clean_fixture.h"

namespace mykafka::testing {
namespace {

constexpr int kGzip = 1;
constexpr int kZstd = 4;
constexpr int kControl = 32;
constexpr int kHorizonBit = 64;

struct BatchSpec {
  std::vector<ModelRecord> records;
  int attributes = 0;
  int64_t producer_id = -1;
  int64_t sequence = -1;
};

class CleanBatches : public CleanFixture {
 protected:
  // The batch at the log's end so far; its offset.
  int64_t Add(const BatchSpec& spec) {
    Bytes batch = EncodeBatch(spec.records, next_, model.timestamp());
    SetBig(&batch, 21, static_cast<uint64_t>(spec.attributes), 2);
    SetBig(&batch, 43, static_cast<uint64_t>(spec.producer_id), 8);
    SetBig(&batch, 51, spec.producer_id < 0 ? 0xffff : 0, 2);
    SetBig(&batch, 53, static_cast<uint64_t>(spec.sequence), 4);
    SetBatchCrc(&batch);
    return AddBytes(batch);
  }
  int64_t AddBytes(const Bytes& batch) {
    const int64_t offset = next_;
    log_.insert(log_.end(), batch.begin(), batch.end());
    next_ += static_cast<int64_t>(GetBig(batch, 23, 4)) + 1;
    return offset;
  }
  // What was added becomes a segment.
  void Close(bool sparse = false) {
    options.base_offset = segments.empty() ? 0 : End();
    options.sparse = sparse;
    WriteFile(Path(".log"), log_);
    Result<std::shared_ptr<Segment>> opened = Segment::OpenSealed(options, next_);
    ASSERT_OK(opened.status());
    segments.push_back(*opened);
    log_.clear();
  }
  static Bytes RecordsOf(const Bytes& batch) { return Bytes(batch.begin() + 61, batch.end()); }

  Bytes log_;
  int64_t next_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Kafka, CleanBatches, ::testing::Values(RecordFormat::kKafka));

TEST_P(CleanBatches, CompressedOnesAreHandedOut) {
  Add({{{"a", "1"}}});
  Add({{{"a", "2"}, {"b", "1"}, {"c", "1"}}, kGzip, 5, 10});
  Add({{{"b", "2"}}});
  Close();
  // Its records stand for themselves decompressed.
  const Bytes file = ReadFile(segments[0]->log_path());
  const std::vector<std::pair<int64_t, size_t>> at = LogReading(file, RecordFormat::kKafka).positions();
  const Bytes batch(file.begin() + static_cast<int64_t>(at[1].second),
                    file.begin() + static_cast<int64_t>(at[2].second));
  const Bytes records = RecordsOf(batch);

  EXPECT_EQ(cleaner->IndexRecords(records.data(), records.size()).status().code(), Code::kInvalidArgument);
  CleanStep step = Index();
  EXPECT_EQ(step.stop, CleanStop::kCompressed);
  EXPECT_EQ(step.batch, batch);
  EXPECT_EQ(step.next_offset, 4);
  EXPECT_EQ(cleaner->indexed_to(), 1);
  EXPECT_EQ(cleaner->Index(segments[0], 4, kAll, kAll).status().code(), Code::kInvalidArgument);
  Result<CleanStep> indexed = cleaner->IndexRecords(records.data(), records.size());
  ASSERT_OK(indexed.status());
  EXPECT_EQ(indexed->stop, CleanStop::kEnd);
  EXPECT_EQ(indexed->next_offset, 4);
  EXPECT_EQ(cleaner->indexed_to(), 4);
  step = Index(4);
  EXPECT_EQ(step.next_offset, 5);

  OpenWriter();
  Result<CleanStep> copied = writer->Copy(segments[0], 0, 0, kAll);
  ASSERT_OK(copied.status());
  EXPECT_EQ(copied->stop, CleanStop::kCompressed);
  EXPECT_EQ(copied->batch, batch);
  EXPECT_EQ(copied->next_offset, 4);
  EXPECT_EQ(writer->Copy(segments[0], 4, 0, kAll).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(writer->Finish().status().code(), Code::kInvalidArgument);
  EXPECT_EQ(writer->Append(records.data(), records.size(), kGzip).status().code(), Code::kInvalidArgument);
  auto left = writer->Filter(records.data(), records.size());
  ASSERT_OK(left.status());
  ASSERT_TRUE(left->has_value());
  EXPECT_EQ(writer->Filter(records.data(), records.size()).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(writer->Copy(segments[0], 4, 0, kAll).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(writer->Finish().status().code(), Code::kInvalidArgument);
  Result<int64_t> appended = writer->Append((*left)->data(), (*left)->size(), kZstd);
  ASSERT_OK(appended.status());
  EXPECT_EQ(*appended, static_cast<int64_t>(61 + (*left)->size()));
  copied = writer->Copy(segments[0], copied->next_offset, 0, kAll);
  ASSERT_OK(copied.status());
  EXPECT_EQ(copied->stop, CleanStop::kEnd);
  Finish();
  EXPECT_EQ(Left(), (std::vector<StoredRecord>{{1, "a", "2"}, {3, "c", "1"}, {4, "b", "2"}}));
  EXPECT_EQ(GetBig(bytes, 0, 8), 1u);
  // Compressed by another codec than it was.
  EXPECT_EQ(GetBig(bytes, 21, 2), static_cast<uint64_t>(kZstd));
  EXPECT_EQ(GetBig(bytes, 23, 4), 2u);
  EXPECT_EQ(GetBig(bytes, 43, 8), 5u);
  EXPECT_EQ(GetBig(bytes, 53, 4), 10u);
  EXPECT_EQ(GetBig(bytes, 57, 4), 2u);
}

TEST_P(CleanBatches, CompressedOnesThatKeepAllStayAsTheyAre) {
  Add({{{"a", "1"}}});
  Add({{{"b", "1"}, {"c", "1"}}, kGzip});
  Add({{{"a", "2"}}, kGzip});
  Close();
  const Bytes file = ReadFile(segments[0]->log_path());
  const size_t first = LogReading(file, RecordFormat::kKafka).positions()[1].second;
  for (CleanStep step = Index(); step.stop == CleanStop::kCompressed; step = Index(step.next_offset)) {
    const Bytes records = RecordsOf(step.batch);
    ASSERT_OK(cleaner->IndexRecords(records.data(), records.size()).status());
  }
  EXPECT_EQ(cleaner->indexed_to(), 4);
  OpenWriter();
  for (int64_t offset = 0;;) {
    Result<CleanStep> step = writer->Copy(segments[0], offset, 0, kAll);
    ASSERT_OK(step.status());
    offset = step->next_offset;
    if (step->stop == CleanStop::kEnd) break;
    const Bytes records = RecordsOf(step->batch);
    auto left = writer->Filter(records.data(), records.size());
    ASSERT_OK(left.status());
    EXPECT_FALSE(left->has_value());
  }
  Finish();
  EXPECT_EQ(bytes, Bytes(file.begin() + static_cast<int64_t>(first), file.end()));
}

TEST_P(CleanBatches, RecordsThatDoNotDecompressRightAreRefused) {
  Add({{{"a", "1"}}});
  Add({{{"a", "2"}}, kGzip});
  Close();
  CleanStep step = Index();
  ASSERT_EQ(step.stop, CleanStop::kCompressed);
  Bytes records = RecordsOf(step.batch);
  records.pop_back();
  EXPECT_EQ(cleaner->IndexRecords(records.data(), records.size()).status().code(), Code::kCorrupt);
  EXPECT_EQ(cleaner->indexed_to(), 1);
  EXPECT_EQ(cleaner->map().size(), 1u);
  // It was not looked into, so it is none of pass 2's business.
  CleanAll();
  EXPECT_EQ(bytes, ReadFile(segments[0]->log_path()));

  NewCleaner();
  step = Index();
  const Bytes right = RecordsOf(step.batch);
  ASSERT_OK(cleaner->IndexRecords(right.data(), right.size()).status());
  OpenWriter();
  ASSERT_OK(writer->Copy(segments[0], 0, 0, kAll).status());
  EXPECT_EQ(writer->Filter(records.data(), records.size()).status().code(), Code::kCorrupt);
  EXPECT_EQ(writer->Filter(right.data(), right.size()).status().code(), Code::kInvalidArgument);
  ASSERT_OK(writer->Abort());
}

TEST_P(CleanBatches, AFullMapEndsThePassInsideOfACompressedOne) {
  NewCleaner(4 * OffsetMap::kSlotLength);
  Add({{{"a", "1"}, {"a", "2"}}});
  Add({{{"b", "1"}, {"c", "1"}, {"d", "1"}}, kGzip});
  Close();
  CleanStep step = Index();
  const Bytes records = RecordsOf(step.batch);
  Result<CleanStep> indexed = cleaner->IndexRecords(records.data(), records.size());
  ASSERT_OK(indexed.status());
  EXPECT_EQ(indexed->stop, CleanStop::kFull);
  EXPECT_EQ(indexed->next_offset, 4);
  EXPECT_EQ(cleaner->indexed_to(), 4);
}

TEST_P(CleanBatches, ControlBatchesStay) {
  Add({{{"a", "1"}}});
  Add({{{std::string(4, '\0'), "marker"}}, kControl, 5, -1});
  Add({{{"a", "2"}}});
  Close();
  EXPECT_EQ(Index().stop, CleanStop::kEnd);
  EXPECT_EQ(cleaner->map().size(), 1u);
  CleanAll();
  EXPECT_EQ(Left(), (std::vector<StoredRecord>{{1, std::string(4, '\0'), "marker"}, {2, "a", "2"}}));
}

TEST_P(CleanBatches, TheLastOneOfAProducerStaysWithoutRecords) {
  const BatchSpec first = {{{"a", "1"}, {"b", "1"}}, 0, 5, 0};
  Add(first);
  Add({{{"a", "2"}, {"b", "2"}}, 0, 5, 2});
  Add({{{"a", "3"}, {"b", "3"}}, 0, 6, 0});
  Add({{{"a", "4"}, {"b", "4"}}});
  Close();
  Index();
  // Any order; an offset in the middle of a batch, or of one without a producer, means nothing.
  writer_options.keep_empty = {7, 3, 4, 5};
  CleanAll();
  ASSERT_EQ(bytes.size(), 61u + 61u + EncodeBatch({{"a", "4"}, {"b", "4"}}, 6, 0).size());
  for (const size_t at : {size_t{0}, size_t{61}}) {
    EXPECT_EQ(GetBig(bytes, at, 8), at == 0 ? 2u : 4u);
    EXPECT_EQ(GetBig(bytes, at + 8, 4), 49u);
    EXPECT_EQ(GetBig(bytes, at + 23, 4), 1u);
    EXPECT_EQ(GetBig(bytes, at + 27, 8), ~uint64_t{0});
    EXPECT_EQ(GetBig(bytes, at + 35, 8), static_cast<uint64_t>(model.timestamp()));
    EXPECT_EQ(GetBig(bytes, at + 43, 8), at == 0 ? 5u : 6u);
    EXPECT_EQ(GetBig(bytes, at + 53, 4), at == 0 ? 2u : 0u);
    EXPECT_EQ(GetBig(bytes, at + 57, 4), 0u);
  }
  EXPECT_EQ(Left(), (std::vector<StoredRecord>{{6, "a", "4"}, {7, "b", "4"}}));

  // The next run keeps the one that is still the last.
  const Bytes once = bytes;
  segments.clear();
  log_ = once;
  next_ = 8;
  Close(true);
  NewCleaner();
  EXPECT_EQ(Index().stop, CleanStop::kEnd);
  writer_options.keep_empty = {5};
  CleanAll();
  EXPECT_EQ(bytes, Bytes(once.begin() + 61, once.end()));
  EXPECT_EQ(writer->changes(), 1);
}

TEST_P(CleanBatches, ATombstoneLivesUntilItsHorizon) {
  Add({{{"a", "1"}}});
  Add({{{"a", std::nullopt}, {"b", std::nullopt}}});
  Add({{{"b", "1"}}});
  Close();
  Index();
  CleanAll();
  const std::vector<StoredRecord> with = {{1, "a", std::nullopt}, {3, "b", "1"}};
  EXPECT_EQ(Left(), with);
  EXPECT_EQ(cleaned.counts.tombstones, 1);
  EXPECT_EQ(GetBig(bytes, 21, 2), static_cast<uint64_t>(kHorizonBit));
  EXPECT_EQ(GetBig(bytes, 27, 8), static_cast<uint64_t>(kHorizon));
  const Bytes marked = bytes;
  for (const int64_t now : {kHorizon - 1, kHorizon}) {
    segments.clear();
    log_ = marked;
    next_ = 4;
    Close(true);
    NewCleaner();
    Index();
    writer_options.now = now;
    writer_options.delete_horizon = now + 1000;
    CleanAll();
    if (now < kHorizon) {
      EXPECT_EQ(bytes, marked);
    } else {
      EXPECT_EQ(Left(), (std::vector<StoredRecord>{{3, "b", "1"}}));
    }
  }
}

// Unlike Kafka, where the horizon counts from a pass that did not look at the tombstone.
TEST_P(CleanBatches, ATombstoneBehindTheIndexedPartGetsNoHorizonYet) {
  Add({{{"b", "1"}, {"a", std::nullopt}}});
  Add({{{"a", std::nullopt}}, kGzip});
  Close();
  EXPECT_EQ(Index(0, 1).next_offset, 1);
  CleanAll();
  EXPECT_EQ(bytes, ReadFile(segments[0]->log_path()));
}

TEST_P(CleanBatches, APartOfABatchMayBeIndexed) {
  Add({{{"a", "1"}, {"a", "2"}, {"a", "3"}, {"a", "4"}}});
  Close();
  const CleanStep step = Index(1, 3);
  EXPECT_EQ(step.next_offset, 3);
  EXPECT_EQ(cleaner->map().Find(cleaner->map().HashOf("a", 1)), 2);
  CleanAll();
  EXPECT_EQ(Left(), (std::vector<StoredRecord>{{2, "a", "3"}, {3, "a", "4"}}));
}

}  // namespace
}  // namespace mykafka::testing
