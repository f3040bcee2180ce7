// The time index: answers are those of a naive scan whatever becomes of it, and it spares reading the log.
#include <errno.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "core/time_index.h"
#include "test/faulty_file_system.h"
#include "test/segment_fixture.h"

namespace mykafka::testing {
namespace {

constexpr uint32_t kInterval = 300;

class SegmentTimes : public EachFormat {
 protected:
  struct Entry {
    int64_t position;
    int64_t offset;
    int64_t last_offset;
    int64_t timestamp;
  };

  SegmentTimes() {
    options.index_interval_bytes = kInterval;
    options.file_system = files;
  }

  // One entry of a kafka log; as many as there are records of a mykafka log.
  void AppendAt(int64_t timestamp, uint32_t count = 1, size_t value = 20) {
    const std::vector<ModelRecord> records(count, {"key", std::string(value, 'v')});
    const Bytes bytes = Batches() ? EncodeBatch(records, 0, timestamp) : Pack(records);
    const PackedBatch batch = {bytes.data(), bytes.size(), count, Batches() ? -1 : timestamp};
    int64_t position = segment->size();
    const int64_t first = segment->next_offset();
    ASSERT_OK(segment->Append(&batch, 1, first));
    const int64_t entries_count = Batches() ? 1 : count;
    const int64_t length = (segment->size() - position) / entries_count;
    for (int64_t i = 0; i < entries_count; ++i, position += length) {
      entries.push_back({position, first + i, Batches() ? first + count - 1 : first + i, timestamp});
    }
  }
  // Mostly ascending, with steps back, repetitions and a jump into the future.
  void AppendSome(std::mt19937* random, int count) {
    for (int i = 0; i < count; ++i) {
      clock += (*random)() % 4;
      int64_t timestamp = clock;
      if ((*random)() % 5 == 0) timestamp -= static_cast<int64_t>((*random)() % 40);
      if ((*random)() % 60 == 0) timestamp += static_cast<int64_t>((*random)() % 400);
      AppendAt(std::max<int64_t>(timestamp, 0), 1 + (*random)() % 3, (*random)() % 120);
    }
  }

  Entry Naive(int64_t timestamp, int64_t from) const {
    Entry best = {-1, -1, -1, -1};
    for (const Entry& entry : entries) {
      if (entry.last_offset < from) continue;
      if (timestamp != kLargestTimestamp && entry.timestamp >= timestamp) return entry;
      if (timestamp == kLargestTimestamp && entry.timestamp > best.timestamp) best = entry;
    }
    return best;
  }
  void ExpectAnswer(int64_t timestamp, int64_t from) {
    const Entry expected = Naive(timestamp, from);
    Result<std::optional<FoundEntry>> found = segment->FindTimestamp(timestamp, from);
    ASSERT_OK(found.status());
    ASSERT_EQ(found->has_value(), expected.offset >= 0) << timestamp << " from " << from;
    if (expected.offset < 0) return;
    ASSERT_EQ((*found)->offset, expected.offset) << timestamp << " from " << from;
    ASSERT_EQ((*found)->last_offset, expected.last_offset);
    ASSERT_EQ((*found)->timestamp, expected.timestamp);
  }
  int64_t Largest() const { return Naive(kLargestTimestamp, 0).timestamp; }
  void ExpectRight(uint32_t seed = 1) {
    std::mt19937 random(seed);
    const int64_t base = options.base_offset;
    for (int i = 0; i < 40 && !HasFatalFailure(); ++i) {
      ExpectAnswer(static_cast<int64_t>(random() % static_cast<uint64_t>(Largest() + 3)), base);
    }
    for (int i = 0; i < 20 && !HasFatalFailure(); ++i) {
      const Entry& entry = entries[random() % entries.size()];
      ExpectAnswer(entry.timestamp,
                   base + static_cast<int64_t>(random() % static_cast<uint64_t>(segment->next_offset() - base + 1)));
      ExpectAnswer(kLargestTimestamp, entry.offset);
      ExpectAnswer(entry.timestamp + 1, base);
    }
    if (HasFatalFailure()) return;
    ExpectAnswer(kLargestTimestamp, base);
    EXPECT_TRUE(segment->timestamps_known());
    EXPECT_EQ(segment->largest_timestamp(), Largest());
  }

  // What the file of a sealed segment holds, by the format's description.
  Bytes Expected() const {
    Bytes bytes;
    int64_t indexed = -1;
    int64_t recorded = -1;
    Entry largest = {-1, -1, -1, -1};
    const auto put = [&](int64_t timestamp, int64_t offset) {
      PutBig(&bytes, static_cast<uint64_t>(timestamp), 8);
      PutBig(&bytes, static_cast<uint64_t>(offset - options.base_offset), 4);
    };
    for (const Entry& entry : entries) {
      if (entry.timestamp > largest.timestamp) largest = entry;
      if (indexed >= 0 && entry.position - indexed < kInterval) continue;
      indexed = entry.position;
      if (largest.timestamp <= recorded) continue;
      recorded = largest.timestamp;
      put(largest.timestamp, largest.offset);
    }
    if (largest.timestamp > recorded) put(largest.timestamp, largest.offset);
    const int64_t last = entries.back().last_offset;
    if (bytes.empty() || static_cast<int64_t>(GetBig(bytes, bytes.size() - 4, 4)) != last - options.base_offset) {
      put(largest.timestamp, last);
    }
    return bytes;
  }

  void OpenSealedAt(int64_t next_offset) {
    Result<std::shared_ptr<Segment>> opened = Segment::OpenSealed(options, next_offset);
    ASSERT_OK(opened.status());
    segment = *opened;
  }
  void MakeSealed(int count, uint32_t seed = 5) {
    std::mt19937 random(seed);
    Create(30);
    AppendSome(&random, count);
    end = segment->next_offset();
    ASSERT_OK(segment->Seal());
    Close();
  }
  void Remove() {
    if (segment != nullptr) Close();
    for (const char* suffix : {".log", ".index", ".timeindex"}) std::filesystem::remove(Path(suffix));
    entries.clear();
    clock = 1000;
  }
  // Whether the log's first bytes were read and checked.
  bool FirstIsVerified() {
    Result<Range> range = segment->FindRange(options.base_offset, 1, INT64_MAX, Wait::kNever);
    return range.ok();
  }

  std::shared_ptr<FaultyFileSystem> files = std::make_shared<FaultyFileSystem>();
  std::vector<Entry> entries;
  int64_t clock = 1000;
  int64_t end = 0;
};

TEST_P(SegmentTimes, AnswersAsANaiveScanDoesInEveryState) {
  for (uint32_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Create(static_cast<int64_t>(random() % 100));
    AppendSome(&random, 150);
    ExpectRight(seed);
    for (int round = 0; round < 8 && !HasFatalFailure(); ++round) {
      SCOPED_TRACE(round);
      switch (random() % 5) {
        case 0:  // a clean stop
          ASSERT_OK(segment->Sync());
          ASSERT_OK(segment->Seal());
          end = segment->next_offset();
          Close();
          OpenClean(end);
          break;
        case 1: {  // a crash
          const int64_t recovery_point = entries[random() % entries.size()].offset;
          Close();
          OpenRecovering(recovery_point);
          break;
        }
        case 2: {  // a cut
          const size_t kept = 1 + random() % entries.size();
          if (kept < entries.size()) ASSERT_OK(segment->TruncateTo(entries[kept].offset));
          entries.resize(kept);
          break;
        }
        case 3:  // a cut of a sealed one
          ASSERT_OK(segment->Seal());
          if (random() % 2 == 0) ExpectRight(seed);
          ASSERT_OK(segment->TruncateTo(entries.back().offset));
          entries.pop_back();
          if (entries.empty()) AppendAt(clock);
          break;
        default:  // nothing was asked for a while
          break;
      }
      if (random() % 2 == 0) ExpectRight(seed);
      AppendSome(&random, static_cast<int>(random() % 40));
      ExpectRight(seed + 1);
    }
    ASSERT_OK(segment->Seal());
    ExpectRight(seed);
    Remove();
  }
}

TEST_P(SegmentTimes, AreWrittenAsTheFormatSays) {
  std::mt19937 random(3);
  Create(40);
  AppendSome(&random, 100);
  // The active one's is longer than its entries.
  EXPECT_EQ(std::filesystem::file_size(Path(".timeindex")), 4096u);
  for (int restart = 0; restart < 5; ++restart) {
    ASSERT_OK(segment->Seal());
    EXPECT_EQ(ReadFile(Path(".timeindex")), Expected());
    end = segment->next_offset();
    Close();
    OpenClean(end);
    EXPECT_TRUE(segment->timestamps_known());
    EXPECT_EQ(segment->largest_timestamp(), Largest());
    if (restart % 2 == 0) AppendSome(&random, 7);
  }
}

TEST_P(SegmentTimes, OfASealedSegmentAreKnownWithoutReadingTheLog) {
  // In order, so that the largest is the last; and with a record from the future in front.
  for (const bool future : {false, true}) {
    Remove();
    Create(30);
    if (future) AppendAt(1'000'000);
    for (int i = 0; i < 3000; ++i) AppendAt(2000 + i / 3, 1, 200);
    ASSERT_OK(segment->Seal());
    end = segment->next_offset();
    Close();
    OpenSealedAt(end);
    EXPECT_FALSE(segment->timestamps_known());
    const int reads = files->calls(Operation::kRead);
    Result<int64_t> loaded = segment->LoadTimestamps();
    ASSERT_OK(loaded.status());
    EXPECT_EQ(*loaded, Largest());
    EXPECT_TRUE(segment->timestamps_known());
    EXPECT_LT(files->calls(Operation::kRead), reads + 20);
    EXPECT_EQ(FirstIsVerified(), future);
    // A search begins where the index says.
    ExpectAnswer(2900, 30);
    EXPECT_LT(files->calls(Operation::kRead), reads + 60);
    ExpectAnswer(Largest() + 1, 30);
    ExpectRight();
  }
}

TEST_P(SegmentTimes, BehindAnUncleanStopNothingIsTakenForAll) {
  std::mt19937 random(8);
  Create();
  AppendAt(1'000'000);
  AppendSome(&random, 200);
  ASSERT_OK(segment->Sync());
  const int64_t recovery_point = entries[100].offset;
  Close();
  // What a power loss leaves: the index's blocks are there, empty.
  WriteFile(Path(".timeindex"), Bytes(4096));
  OpenRecovering(recovery_point);
  EXPECT_FALSE(segment->timestamps_known());
  EXPECT_LT(segment->largest_timestamp(), 1'000'000);
  AppendSome(&random, 50);
  ASSERT_OK(segment->Seal());
  EXPECT_FALSE(Exists(Path(".timeindex")));
  ASSERT_OK(segment->LoadTimestamps().status());
  EXPECT_EQ(segment->largest_timestamp(), 1'000'000);
  EXPECT_EQ(ReadFile(Path(".timeindex")), Expected());
  ExpectRight();
}

struct Harm {
  const char* name;
  Bytes (*apply)(const Bytes& index, std::mt19937* random);
};

Bytes Emptied(const Bytes&, std::mt19937*) {
  return {};
}
Bytes Zeroed(const Bytes& index, std::mt19937*) {
  return Bytes(index.size(), 0);
}
Bytes Garbage(const Bytes& index, std::mt19937* random) {
  Bytes bytes(index.size());
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>((*random)());
  return bytes;
}
Bytes CutAnywhere(const Bytes& index, std::mt19937* random) {
  return Bytes(index.begin(), index.begin() + static_cast<int64_t>((*random)() % index.size()));
}
Bytes CutBehindAnEntry(const Bytes& index, std::mt19937* random) {
  return Bytes(index.begin(), index.begin() + static_cast<int64_t>((*random)() % (index.size() / 12) * 12));
}
Bytes ZeroPage(const Bytes& index, std::mt19937* random) {
  Bytes bytes = index;
  const size_t from = (*random)() % bytes.size();
  std::fill(bytes.begin() + static_cast<int64_t>(from),
            bytes.begin() + static_cast<int64_t>(std::min(bytes.size(), from + 200)), 0);
  return bytes;
}
Bytes FlippedBit(const Bytes& index, std::mt19937* random) {
  Bytes bytes = index;
  bytes[(*random)() % bytes.size()] ^= static_cast<uint8_t>(1u << ((*random)() % 8));
  return bytes;
}
Bytes ZeroTail(const Bytes& index, std::mt19937*) {
  Bytes bytes = index;
  bytes.resize(bytes.size() + 4096);
  return bytes;
}
Bytes OfAnotherLog(const Bytes& index, std::mt19937* random) {
  Bytes bytes = index;
  for (size_t at = 6; at + 12 < bytes.size(); at += 12) bytes[at] ^= static_cast<uint8_t>((*random)() % 8);
  return bytes;
}

constexpr Harm kHarms[] = {{"Emptied", Emptied},
                           {"Zeroed", Zeroed},
                           {"Garbage", Garbage},
                           {"CutAnywhere", CutAnywhere},
                           {"CutBehindAnEntry", CutBehindAnEntry},
                           {"ZeroPage", ZeroPage},
                           {"FlippedBit", FlippedBit},
                           {"ZeroTail", ZeroTail},
                           {"OfAnotherLog", OfAnotherLog}};

TEST_P(SegmentTimes, NoAnswerOfASealedSegmentChangesWithTheIndex) {
  MakeSealed(250);
  const Bytes right = ReadFile(Path(".timeindex"));
  ASSERT_EQ(right, Expected());
  std::mt19937 random(17);
  for (const Harm& harm : kHarms) {
    for (int round = 0; round < 12; ++round) {
      SCOPED_TRACE(std::string(harm.name) + " " + std::to_string(round));
      WriteFile(Path(".timeindex"), harm.apply(right, &random));
      OpenSealedAt(end);
      if (round % 2 == 0) {
        ASSERT_OK(segment->LoadTimestamps().status());
        EXPECT_EQ(segment->largest_timestamp(), Largest());
      }
      ExpectRight(static_cast<uint32_t>(round));
      ASSERT_FALSE(HasFailure());
      Close();
    }
  }
  std::filesystem::remove(Path(".timeindex"));
  OpenSealedAt(end);
  ExpectRight();
  EXPECT_EQ(ReadFile(Path(".timeindex")), right);
}

TEST_P(SegmentTimes, NoAnswerOfAReopenedSegmentChangesWithTheIndex) {
  std::mt19937 random(18);
  for (const Harm& harm : kHarms) {
    for (int round = 0; round < 4; ++round) {
      SCOPED_TRACE(std::string(harm.name) + " " + std::to_string(round));
      MakeSealed(120, static_cast<uint32_t>(round));
      WriteFile(Path(".timeindex"), harm.apply(ReadFile(Path(".timeindex")), &random));
      OpenClean(end);
      if (round % 2 == 0) ExpectRight(1);
      AppendSome(&random, 30);
      ExpectRight(2);
      ASSERT_FALSE(HasFailure());
      ASSERT_OK(segment->Seal());
      ExpectRight(3);
      Remove();
    }
  }
}

TEST_P(SegmentTimes, ThatCannotBeReadOrWrittenChangeNoAnswer) {
  MakeSealed(200);
  for (const Operation operation : {Operation::kOpen, Operation::kRead}) {
    files->Fail(operation, 1, EIO, ".timeindex", true);
    OpenSealedAt(end);
    ExpectRight();
    Close();
    files->Heal();
  }
  std::filesystem::remove(Path(".timeindex"));
  files->Fail(Operation::kWrite, 1, ENOSPC, ".timeindex", true);
  OpenSealedAt(end);
  ExpectRight();
  Close();
  files->Heal();
  OpenSealedAt(end);
  ExpectRight();
  EXPECT_EQ(ReadFile(Path(".timeindex")), Expected());
}

TEST_P(SegmentTimes, WithoutRoomForThemNothingIsWritten) {
  Create();
  AppendAt(5);
  // As far as what was reserved goes, then not at all.
  files->Fail(Operation::kAllocate, 1, ENOSPC, ".timeindex", true);
  Status status;
  int64_t time = 10;
  for (; time < 1000 && status.ok(); ++time) {
    const std::vector<ModelRecord> records = {{"key", std::string(400, 'v')}};
    const Bytes bytes = Batches() ? EncodeBatch(records, 0, time) : Pack(records);
    const PackedBatch batch = {bytes.data(), bytes.size(), 1, Batches() ? -1 : time};
    const int64_t size = segment->size();
    status = segment->Append(&batch, 1, segment->next_offset());
    EXPECT_EQ(status.ok(), segment->size() > size);
  }
  EXPECT_EQ(status.sys_errno(), ENOSPC);
  // What closes the index has its room.
  ASSERT_OK(segment->Seal());
  end = segment->next_offset();
  Close();
  OpenSealedAt(end);
  ASSERT_OK(segment->LoadTimestamps().status());
  EXPECT_EQ(segment->largest_timestamp(), time - 2);
}

TEST_P(SegmentTimes, AroundADamageAreThoseOfWhatIsLeft) {
  MakeSealed(120);
  const Entry damaged = entries[60];
  Bytes log = ReadFile(Path(".log"));
  log[static_cast<size_t>(damaged.position) + 30] ^= 1;
  WriteFile(Path(".log"), log);
  entries.erase(entries.begin() + 60);
  OpenSealedAt(end);
  for (const Entry& entry : std::vector<Entry>(entries)) ExpectAnswer(entry.timestamp, options.base_offset);
  ExpectAnswer(kLargestTimestamp, options.base_offset);
}

// The time of each entry is its offset: whoever asks can tell whether an answer is right.
TEST_P(SegmentTimes, AreAskedAndMadeBesideAWriter) {
  std::mt19937 random(4);
  Create();
  const auto append = [&](int count) {
    for (int i = 0; i < count; ++i) AppendAt(segment->next_offset(), Batches() ? 1 + random() % 3 : 1, random() % 200);
  };
  append(400);
  ASSERT_OK(segment->Seal());
  end = segment->next_offset();
  Close();
  // It has to be made anew while others write.
  WriteFile(Path(".timeindex"), Bytes(240, 0x11));
  OpenClean(end);
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (uint32_t seed = 0; seed < 3; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 own(seed);
      while (!stop) {
        const int64_t before = segment->next_offset();
        const auto wanted = static_cast<int64_t>(own() % 1200);
        Result<std::optional<FoundEntry>> found = segment->FindTimestamp(wanted, 0);
        ASSERT_OK(found.status());
        if (!found->has_value()) {
          ASSERT_GE(wanted + 600, before);
          continue;
        }
        ASSERT_EQ((*found)->offset, (*found)->timestamp);
        ASSERT_GE((*found)->offset, wanted);
        ASSERT_LT((*found)->offset, wanted + 3);
        if (own() % 8 == 0) ASSERT_OK(segment->FindTimestamp(kLargestTimestamp, 0).status());
        if (own() % 8 == 0) ASSERT_OK(segment->Sync());
      }
    });
  }
  for (int round = 0; round < 12; ++round) {
    append(60);
    if (round % 3 == 1) ASSERT_OK(segment->TruncateTo(segment->next_offset() - static_cast<int64_t>(random() % 100)));
    if (round % 4 == 3) {
      ASSERT_OK(segment->Seal());
      ASSERT_OK(segment->TruncateTo(segment->next_offset() - 1));
    }
  }
  ASSERT_OK(segment->Seal());
  stop = true;
  for (std::thread& thread : threads) thread.join();
}

INSTANTIATE_EACH_FORMAT(SegmentTimes);

}  // namespace
}  // namespace mykafka::testing
