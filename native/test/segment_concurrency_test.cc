// One writer, and everybody else beside it. Meant for ThreadSanitizer as well.
#include <atomic>
#include <thread>

#include "core/open_files.h"
#include "test/segment_fixture.h"

namespace mykafka::testing {
namespace {

class SegmentConcurrency : public EachFormat {
 protected:
  static constexpr int kRecords = 3000;

  SegmentConcurrency() { options.index_interval_bytes = 512; }

  static std::vector<ModelRecord> Records() {
    std::mt19937 random(41);
    std::vector<ModelRecord> records;
    for (int i = 0; i < kRecords; ++i) records.push_back(RandomRecord(&random, 200));
    return records;
  }

  // Appends all records, a few at a time.
  static void Write(Segment& segment, const std::vector<ModelRecord>& records, int64_t base) {
    for (size_t at = 0; at < records.size();) {
      const size_t count = std::min<size_t>(1 + at % 5, records.size() - at);
      const auto begin = records.begin() + static_cast<int64_t>(at);
      const Bytes bytes = ModelLog(0, GetParam()).ToAppend({begin, begin + static_cast<int64_t>(count)});
      const PackedBatch batch = {bytes.data(), bytes.size(), static_cast<uint32_t>(count),
                                 Batches() ? -1 : 1700000000000};
      ASSERT_OK(segment.Append(&batch, 1, base + static_cast<int64_t>(at)));
      at += count;
    }
  }

  static ModelLog Expected(const std::vector<ModelRecord>& records, int64_t base) {
    ModelLog expected(base, GetParam());
    for (size_t at = 0; at < records.size();) {
      const size_t count = std::min<size_t>(1 + at % 5, records.size() - at);
      const auto begin = records.begin() + static_cast<int64_t>(at);
      expected.AddTogether({begin, begin + static_cast<int64_t>(count)});
      at += count;
    }
    return expected;
  }

  // Asks at random until told to stop; every answer must be whole and right.
  static void Check(Segment& segment, const ModelLog& expected, uint32_t seed, const std::atomic<bool>& stop) {
    std::mt19937 random(seed);
    while (!stop) {
      const int64_t end = segment.next_offset();
      const int64_t offset = expected.base_offset() +
                             static_cast<int64_t>(random() % static_cast<uint64_t>(end - expected.base_offset() + 1));
      Result<Range> range = segment.FindRange(offset, static_cast<int64_t>(random() % 8000), end,
                                              random() % 2 == 0 ? Wait::kNever : Wait::kAllowed);
      if (!range.ok()) {
        ASSERT_EQ(range.status().code(), Code::kWouldBlock) << Describe(range.status());
        continue;
      }
      if (range->length == 0) continue;
      Bytes bytes(static_cast<size_t>(range->length));
      Result<size_t> got = segment.Read(bytes.data(), bytes.size(), range->position, Wait::kAllowed);
      ASSERT_OK(got.status());
      ASSERT_EQ(*got, bytes.size());
      ASSERT_TRUE(bytes == expected.Slice(range->first_offset, range->last_offset + 1));
    }
  }
};

TEST_P(SegmentConcurrency, ReadersSyncsAndVerificationBesideAnAppender) {
  Create(7);
  const ModelLog expected = Expected(Records(), 7);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (uint32_t seed = 0; seed < 2; ++seed) {
    threads.emplace_back([&, seed] { Check(*segment, expected, seed, stop); });
  }
  threads.emplace_back([&] {
    while (!stop) {
      const int64_t published = segment->size();
      ASSERT_OK(segment->Sync());
      ASSERT_GE(segment->synced_size(), published);
    }
  });
  threads.emplace_back([&] {
    while (!stop) ASSERT_OK(segment->Verify());
  });
  Write(*segment, Records(), 7);
  stop = true;
  for (std::thread& thread : threads) thread.join();
  model = expected;
  EXPECT_TRUE(segment->damages().empty());
  ExpectAllRight(Wait::kNever);
}

TEST_P(SegmentConcurrency, ABadIndexIsRebuiltBesideAnAppender) {
  for (int round = 0; round < 3; ++round) {
    options.base_offset = 7 + round * 10000;
    Create(options.base_offset);
    const std::vector<ModelRecord> records = Records();
    Write(*segment, {records.begin(), records.begin() + 1000}, options.base_offset);
    ASSERT_OK(segment->Seal());
    Close();
    // In order and wrong, with a right end: only lookups find out.
    Bytes index = ReadFile(Path(".index"));
    for (size_t at = 8; at + 32 < index.size(); at += 8) index[at + 7] ^= 1;
    WriteFile(Path(".index"), index);
    OpenClean(options.base_offset + 1000);
    const ModelLog expected = Expected(records, options.base_offset);
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (uint32_t seed = 0; seed < 3; ++seed) {
      threads.emplace_back([&, seed] { Check(*segment, expected, seed, stop); });
    }
    Write(*segment, {records.begin() + 1000, records.end()}, options.base_offset + 1000);
    stop = true;
    for (std::thread& thread : threads) thread.join();
    model = expected;
    for (int64_t offset = model.next_offset() - 1; offset >= model.base_offset(); --offset) {
      ExpectAnswer(offset, 1, model.next_offset());
    }
    ExpectAllRight(Wait::kNever);
    ASSERT_OK(segment->Seal());
    EXPECT_EQ(ReadFile(Path(".index")), model.Index(512));
    Close();
  }
}

TEST_P(SegmentConcurrency, FilesThatComeAndGoUnderReaders) {
  const size_t limit = OpenFiles::Instance().limit();
  OpenFiles::Instance().SetLimit(2);
  std::vector<std::shared_ptr<Segment>> segments;
  std::vector<ModelLog> models;
  for (int i = 0; i < 8; ++i) {
    Create(i * 1000);
    Fill(100, static_cast<uint32_t>(i));
    ASSERT_OK(segment->Sync());
    segments.push_back(segment);
    models.push_back(model);
  }
  std::vector<std::thread> threads;
  for (uint32_t seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 300; ++i) {
        const size_t one = random() % segments.size();
        const int64_t offset = models[one].base_offset() + static_cast<int64_t>(random() % 100);
        Result<Range> range = segments[one]->FindRange(offset, 1000, INT64_MAX, Wait::kAllowed);
        ASSERT_OK(range.status());
        Bytes bytes(static_cast<size_t>(range->length));
        ASSERT_OK(segments[one]->Read(bytes.data(), bytes.size(), range->position, Wait::kAllowed).status());
        ASSERT_TRUE(bytes == models[one].Slice(range->first_offset, range->last_offset + 1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  OpenFiles::Instance().SetLimit(limit);
}

TEST_P(SegmentConcurrency, ClosingWhileOthersRead) {
  for (int round = 0; round < 20; ++round) {
    Create(round * 1000);
    Fill(200, 3);
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        for (;;) {
          const Status status = segment->FindRange(round * 1000 + 50, 5000, INT64_MAX, Wait::kAllowed).status();
          if (status.ok()) continue;
          ASSERT_EQ(status.code(), Code::kClosed);
          return;
        }
      });
    }
    segment->Close();
    for (std::thread& thread : threads) thread.join();
  }
}

INSTANTIATE_EACH_FORMAT(SegmentConcurrency);

}  // namespace
}  // namespace mykafka::testing
