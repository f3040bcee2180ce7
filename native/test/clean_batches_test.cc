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
  static BytesView View(const Bytes& bytes) { return {bytes.data(), bytes.size()}; }
  // Of the compressed batches of a run: they stand for themselves decompressed.
  static std::vector<Bytes> RecordsOf(const HandedOut& run) {
    std::vector<Bytes> all;
    for (const uint32_t position : run.compressed) {
      const uint8_t* batch = run.bytes.data() + position;
      all.emplace_back(batch + 61, batch + BatchHeader::Read(batch).length());
    }
    return all;
  }
  static std::vector<BytesView> Views(const std::vector<Bytes>& all) {
    std::vector<BytesView> views;
    for (const Bytes& each : all) views.push_back(View(each));
    return views;
  }
  Status IndexRecords(const CleanStep& step) {
    const std::vector<Bytes> records = RecordsOf(*step.run);
    return cleaner->IndexRecords(Views(records)).status();
  }

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

  const auto index = [&] { return cleaner->IndexRecords({View(records)}); };
  const auto filter = [&] { return writer->Filter({View(records)}); };
  EXPECT_EQ(index().status().code(), Code::kInvalidArgument);
  CleanStep step = Index();
  EXPECT_EQ(step.stop, CleanStop::kCompressed);
  EXPECT_EQ(step.run->bytes, batch);
  EXPECT_EQ(step.run->compressed, std::vector<uint32_t>{0});
  EXPECT_EQ(step.next_offset, 4);
  EXPECT_EQ(cleaner->indexed_to(), 1);
  EXPECT_EQ(cleaner->Index(segments[0], 4, kAll, kAll).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(cleaner->IndexRecords({}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(cleaner->IndexRecords({View(records), View(records)}).status().code(), Code::kInvalidArgument);
  Result<CleanStep> indexed = index();
  ASSERT_OK(indexed.status());
  EXPECT_EQ(indexed->stop, CleanStop::kEnd);
  EXPECT_EQ(indexed->next_offset, 4);
  EXPECT_EQ(cleaner->indexed_to(), 4);
  EXPECT_EQ(index().status().code(), Code::kInvalidArgument);
  step = Index(4);
  EXPECT_EQ(step.next_offset, 5);

  OpenWriter();
  Result<CleanStep> copied = writer->Copy(segments[0], 0, 0, kAll);
  ASSERT_OK(copied.status());
  EXPECT_EQ(copied->stop, CleanStop::kCompressed);
  EXPECT_EQ(copied->run->bytes, batch);
  EXPECT_EQ(copied->next_offset, 4);
  EXPECT_EQ(writer->Copy(segments[0], 4, 0, kAll).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(writer->Finish().status().code(), Code::kInvalidArgument);
  EXPECT_EQ(writer->Append({{View(records), kGzip}}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(writer->Filter({}).status().code(), Code::kInvalidArgument);
  Result<FilteredRecords> left = filter();
  ASSERT_OK(left.status());
  EXPECT_EQ(left->lengths, std::vector<uint32_t>{static_cast<uint32_t>(left->records.size())});
  EXPECT_EQ(left->bytes_written, 0);
  EXPECT_EQ(filter().status().code(), Code::kInvalidArgument);
  EXPECT_EQ(writer->Copy(segments[0], 4, 0, kAll).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(writer->Finish().status().code(), Code::kInvalidArgument);
  EXPECT_EQ(writer->Append({{{}, kZstd}}).status().code(), Code::kInvalidArgument);
  Result<int64_t> appended = writer->Append({{View(left->records), kZstd}});
  ASSERT_OK(appended.status());
  EXPECT_EQ(*appended, static_cast<int64_t>(61 + left->records.size()));
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
    ASSERT_OK(IndexRecords(step));
  }
  EXPECT_EQ(cleaner->indexed_to(), 4);
  OpenWriter();
  for (int64_t offset = 0;;) {
    Result<CleanStep> step = writer->Copy(segments[0], offset, 0, kAll);
    ASSERT_OK(step.status());
    offset = step->next_offset;
    if (step->stop == CleanStop::kEnd) break;
    const std::vector<Bytes> records = RecordsOf(*step->run);
    Result<FilteredRecords> left = writer->Filter(Views(records));
    ASSERT_OK(left.status());
    EXPECT_EQ(left->lengths, std::vector<uint32_t>{0});
    EXPECT_EQ(left->bytes_written, static_cast<int64_t>(step->run->bytes.size()));
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
  const Bytes right = RecordsOf(*step.run)[0];
  const Bytes records(right.begin(), right.end() - 1);
  EXPECT_EQ(cleaner->IndexRecords({View(records)}).status().code(), Code::kCorrupt);
  EXPECT_EQ(cleaner->indexed_to(), 1);
  EXPECT_EQ(cleaner->map().size(), 1u);
  // It was not looked into, so it is none of pass 2's business.
  CleanAll();
  EXPECT_EQ(bytes, ReadFile(segments[0]->log_path()));

  NewCleaner();
  step = Index();
  ASSERT_OK(IndexRecords(step));
  OpenWriter();
  ASSERT_OK(writer->Copy(segments[0], 0, 0, kAll).status());
  EXPECT_EQ(writer->Filter({View(records)}).status().code(), Code::kCorrupt);
  EXPECT_EQ(writer->Filter({View(right)}).status().code(), Code::kInvalidArgument);
  ASSERT_OK(writer->Abort());
}

TEST_P(CleanBatches, AFullMapEndsThePassInsideOfACompressedOne) {
  NewCleaner(4 * OffsetMap::kSlotLength);
  Add({{{"a", "1"}, {"a", "2"}}});
  Add({{{"b", "1"}, {"c", "1"}, {"d", "1"}}, kGzip});
  Close();
  CleanStep step = Index();
  const std::vector<Bytes> records = RecordsOf(*step.run);
  Result<CleanStep> indexed = cleaner->IndexRecords(Views(records));
  ASSERT_OK(indexed.status());
  EXPECT_EQ(indexed->stop, CleanStop::kFull);
  EXPECT_EQ(indexed->next_offset, 4);
  EXPECT_EQ(cleaner->indexed_to(), 4);
}

// Whatever part of them is handed out and dealt with at once, the same is left.
TEST_P(CleanBatches, ManyAreHandedOutTogetherWithWhatLiesBetweenThem) {
  Add({{{"a", "1"}, {"b", "1"}}});                             // 0: uncompressed, before any run
  Add({{{"a", "2"}, {"c", "1"}, {"d", "1"}}, kGzip, 5, 10});   // 2: loses some
  Add({{{"b", "2"}, {"e", "1"}}});                             // 5: loses some, uncompressed, within
  Add({{{std::string(4, '\0'), "marker"}}, kControl, 5, -1});  // 7
  Add({{{"f", "1"}, {"g", "1"}}, kZstd});                      // 8: stays as it is
  Add({{{"h", "1"}}, kZstd, 7, 0});                            // 10: the last of a producer
  Add({{{"d", "2"}, {"h", "2"}, {"e", "2"}}, kGzip});          // 11: loses some
  Add({{{"c", "2"}, {"b", "3"}, {"d", "3"}}});                 // 14: uncompressed, behind the last
  Close();
  const size_t whole = ReadFile(segments[0]->log_path()).size();
  Bytes expected;
  for (const size_t run_bytes : {size_t{0}, size_t{200}, size_t{300}, whole}) {
    for (const size_t at_once : {1, 2, 9}) {
      cleaner = std::make_shared<Cleaner>(GetParam(), 1 << 16, 0.9, run_bytes);
      const auto in_parts = [at_once](const std::vector<BytesView>& all, const auto& take) {
        for (size_t at = 0; at < all.size(); at += at_once) {
          const size_t end = std::min(all.size(), at + at_once);
          take(std::vector<BytesView>(all.begin() + at, all.begin() + end));
        }
      };
      size_t runs = 0;
      for (CleanStep step = Index(); step.stop == CleanStop::kCompressed; step = Index(step.next_offset), ++runs) {
        const std::vector<Bytes> records = RecordsOf(*step.run);
        in_parts(Views(records), [&](const auto& part) { ASSERT_OK(cleaner->IndexRecords(part).status()); });
        EXPECT_EQ(cleaner->indexed_to(), step.next_offset);
      }
      EXPECT_LE(runs, run_bytes == whole ? 1u : 4u);
      EXPECT_GE(runs, run_bytes == 0 ? 4u : 1u);
      EXPECT_EQ(cleaner->map().size(), 8u);

      writer_options.keep_empty = {10};
      OpenWriter();
      int64_t written = 0;
      for (int64_t offset = 0;;) {
        Result<CleanStep> step = writer->Copy(segments[0], offset, 0, kAll);
        ASSERT_OK(step.status());
        written += step->bytes_written;
        offset = step->next_offset;
        if (step->stop == CleanStop::kEnd) break;
        const std::vector<Bytes> records = RecordsOf(*step->run);
        in_parts(Views(records), [&](const auto& part) {
          Result<FilteredRecords> left = writer->Filter(part);
          ASSERT_OK(left.status());
          written += left->bytes_written;
          std::vector<CompressedRecords> compressed;
          size_t at = 0;
          for (const uint32_t length : left->lengths) {
            if (length > 0) compressed.push_back({{left->records.data() + at, length}, kGzip});
            at += length;
          }
          EXPECT_EQ(at, left->records.size());
          if (compressed.empty()) return;
          EXPECT_EQ(writer->Append({}).status().code(), Code::kInvalidArgument);
          Result<int64_t> appended = writer->Append(compressed);
          ASSERT_OK(appended.status());
          written += *appended;
        });
      }
      Finish();
      EXPECT_EQ(written, static_cast<int64_t>(bytes.size()));
      if (expected.empty()) expected = bytes;
      EXPECT_EQ(bytes, expected) << run_bytes << " " << at_once;
    }
  }
  EXPECT_EQ(Left(), (std::vector<StoredRecord>{{2, "a", "2"},
                                               {7, std::string(4, '\0'), "marker"},
                                               {8, "f", "1"},
                                               {9, "g", "1"},
                                               {12, "h", "2"},
                                               {13, "e", "2"},
                                               {14, "c", "2"},
                                               {15, "b", "3"},
                                               {16, "d", "3"}}));
}

TEST_P(CleanBatches, WhatComesBeforeDamageIsHandedOutFirst) {
  Add({{{"a", "1"}}, kGzip});
  const size_t right = log_.size();
  Add({{{"a", "2"}}, kGzip});
  log_.back() ^= 1;
  Close();
  cleaner = std::make_shared<Cleaner>(GetParam(), 1 << 16, 0.9, size_t{1} << 20);
  const CleanStep step = Index();
  ASSERT_EQ(step.stop, CleanStop::kCompressed);
  EXPECT_EQ(step.run->bytes.size(), right);
  ASSERT_OK(IndexRecords(step));
  EXPECT_EQ(cleaner->indexed_to(), 1);
  EXPECT_EQ(cleaner->Index(segments[0], step.next_offset, kAll, kAll).status().code(), Code::kCorrupt);
  EXPECT_EQ(cleaner->map().size(), 1u);
  OpenWriter();
  Result<CleanStep> copied = writer->Copy(segments[0], 0, 0, kAll);
  ASSERT_OK(copied.status());
  EXPECT_EQ(copied->run->bytes.size(), right);
  const std::vector<Bytes> records = RecordsOf(*copied->run);
  ASSERT_OK(writer->Filter(Views(records)).status());
  EXPECT_EQ(writer->Copy(segments[0], copied->next_offset, 0, kAll).status().code(), Code::kCorrupt);
  ASSERT_OK(writer->Abort());
}

TEST_P(CleanBatches, AFullMapEndsThePassInsideOfARun) {
  cleaner = std::make_shared<Cleaner>(GetParam(), 4 * OffsetMap::kSlotLength, 0.9, size_t{1} << 20);
  Add({{{"a", "1"}, {"b", "1"}}, kGzip});
  Add({{{"c", "1"}, {"d", "1"}}});
  Add({{{"e", "1"}}, kGzip});
  Close();
  const CleanStep step = Index();
  const std::vector<Bytes> records = RecordsOf(*step.run);
  ASSERT_EQ(records.size(), 2u);
  Result<CleanStep> indexed = cleaner->IndexRecords({View(records[0])});
  ASSERT_OK(indexed.status());
  EXPECT_EQ(indexed->stop, CleanStop::kFull);
  EXPECT_EQ(indexed->next_offset, 3);
  EXPECT_EQ(cleaner->indexed_to(), 3);
  EXPECT_EQ(cleaner->IndexRecords({View(records[1])}).status().code(), Code::kInvalidArgument);
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

TEST_P(CleanBatches, ACompressedOneThatGoesOnBeyondTheEndIsHandedOutOnce) {
  Add({{{"a", "1"}, {"a", "2"}, {"a", "3"}}, kGzip});
  Close();
  const CleanStep step = Index(0, 2);
  ASSERT_EQ(step.stop, CleanStop::kCompressed);
  EXPECT_EQ(step.next_offset, 2);
  ASSERT_OK(IndexRecords(step));
  EXPECT_EQ(cleaner->map().Find(cleaner->map().HashOf("a", 1)), 1);
  const Result<CleanStep> end = cleaner->Index(segments[0], 2, 2, kAll);
  ASSERT_OK(end.status());
  EXPECT_EQ(end->stop, CleanStop::kEnd);
  EXPECT_EQ(end->next_offset, 2);
  EXPECT_EQ(cleaner->indexed_to(), 2);
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
