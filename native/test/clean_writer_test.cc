// What pass 2 makes of tombstones of mykafka records, of a disk that fails, and of a log that is read meanwhile.
#include "core/clean_writer.h"

#include <errno.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "test/clean_fixture.h"
#include "test/faulty_file_system.h"

namespace mykafka::testing {
namespace {

class CleanRecords : public CleanFixture {};
INSTANTIATE_TEST_SUITE_P(Mykafka, CleanRecords, ::testing::Values(RecordFormat::kMykafka));

TEST_P(CleanRecords, TombstonesGoBelowTheOffsetThatIsSaid) {
  Create();
  Write({{"a", "1"}, {"b", std::nullopt}, {"a", std::nullopt}, {"c", std::nullopt}, {"c", "1"}, {"d", std::nullopt}});
  Roll();
  Index();
  CleanAll();
  using Records = std::vector<StoredRecord>;
  EXPECT_EQ(Left(), (Records{{1, "b", std::nullopt}, {2, "a", std::nullopt}, {4, "c", "1"}, {5, "d", std::nullopt}}));
  EXPECT_EQ(cleaned.counts.tombstones, 3);
  CleanAll(2);
  EXPECT_EQ(Left(), (Records{{2, "a", std::nullopt}, {4, "c", "1"}, {5, "d", std::nullopt}}));
  CleanAll(6);
  EXPECT_EQ(Left(), (Records{{4, "c", "1"}}));
  EXPECT_EQ(cleaned.counts.tombstones, 0);
}

TEST_P(CleanRecords, EntriesAreCopiedByteByByte) {
  Create();
  Fill(300, 5);
  Roll();
  const Bytes source = ReadFile(segments[0]->log_path());
  // With nothing indexed, all of it.
  CleanAll();
  EXPECT_EQ(bytes, source);
  Index();
  CleanAll();
  const LogReading reading(bytes, GetParam());
  for (const auto& [offset, position] : reading.positions()) {
    const Bytes entry = models[0].Slice(offset, offset + 1);
    ASSERT_TRUE(std::equal(entry.begin(), entry.end(), bytes.begin() + static_cast<int64_t>(position)));
  }
}

class CleanGroups : public CleanFixture {};
INSTANTIATE_EACH_FORMAT(CleanGroups);

TEST_P(CleanGroups, CountWhatChangesWhateverTheBytes) {
  Create();
  Write({{"a", "1"}});
  Write({{"b", "1"}, {"c", "1"}});
  Write({{"a", "2"}});
  Write({{"c", "2"}});
  Roll();
  // Nothing is known, so all stays.
  CleanAll();
  EXPECT_EQ(writer->changes(), 0);
  Index();
  CleanAll();
  // One record goes by itself, and one out of the midst of others.
  EXPECT_EQ(writer->changes(), 2);
}

TEST_P(CleanGroups, EndWithWhatIsCopiedLast) {
  Create();
  Write({{"a", "1"}});
  Roll();
  Write({{"b", "1"}});
  Roll();
  Index();
  OpenWriter();
  ASSERT_OK(Copy(segments[0]));
  copied_to = segments[0]->next_offset();
  Finish();
  EXPECT_EQ(Left().size(), 1u);
}

class CleanWriterOf : public CleanFixture {
 protected:
  CleanWriterOf() { writer_options.file_system = faulty; }

  // A pass 2 from its beginning to its end.
  Status TryAll() {
    Result<std::shared_ptr<CleanWriter>> created = CleanWriter::Create(cleaner, writer_options);
    if (!created.ok()) return created.status();
    writer = *created;
    for (const auto& each : segments) MYKAFKA_RETURN_IF_ERROR(Copy(each, 0, 1 << 20));
    return writer->Finish().status();
  }

  std::shared_ptr<FaultyFileSystem> faulty = std::make_shared<FaultyFileSystem>();
};
INSTANTIATE_EACH_FORMAT(CleanWriterOf);

TEST_P(CleanWriterOf, ADiskThatFailsIsToldAndLeavesNothingBehind) {
  Create();
  Fill(1000, 1, 6000);
  Roll();
  NewCleaner();
  writer_options.end_offset = End();
  struct Case {
    Operation operation;
    int n;
    int sys_errno;
  };
  // Three files are made, written (the log in a few writes) and two of them synced.
  for (const Case& each :
       {Case{Operation::kOpen, 1, EMFILE}, Case{Operation::kOpen, 2, ENOSPC}, Case{Operation::kOpen, 3, EDQUOT},
        Case{Operation::kUnlink, 1, EACCES}, Case{Operation::kUnlink, 2, EROFS}, Case{Operation::kUnlink, 3, EROFS},
        Case{Operation::kUnlink, 4, EROFS}, Case{Operation::kWrite, 1, ENOSPC}, Case{Operation::kWrite, 2, EIO},
        Case{Operation::kWrite, 3, ENOSPC}, Case{Operation::kWrite, 4, ENOSPC}, Case{Operation::kWrite, 5, ENOSPC},
        Case{Operation::kSync, 1, EIO}, Case{Operation::kSync, 2, EIO}}) {
    SCOPED_TRACE(std::to_string(static_cast<int>(each.operation)) + " " + std::to_string(each.n));
    writer.reset();
    faulty->Fail(each.operation, each.n, each.sys_errno);
    const Status status = TryAll();
    EXPECT_EQ(status.code(), Code::kIo);
    EXPECT_EQ(status.sys_errno(), each.sys_errno);
    faulty->Heal();
    if (writer != nullptr) {
      EXPECT_EQ(writer->Finish().status().code(), Code::kInvalidArgument);
      EXPECT_EQ(writer->Copy(segments[0], 0, 0, kAll).status().code(), Code::kInvalidArgument);
      ASSERT_OK(writer->Abort());
    }
    for (const char* suffix : {".log.cleaned", ".index.cleaned", ".timeindex.cleaned"}) {
      EXPECT_FALSE(Exists(Path(0, suffix))) << suffix;
    }
  }
  ASSERT_OK(TryAll());
  EXPECT_EQ(ReadFile(writer->log_path()), ReadFile(segments[0]->log_path()));
}

TEST_P(CleanWriterOf, AWriteThatIsCutShortGoesOn) {
  Create();
  Fill(1000, 1, 6000);
  Roll();
  NewCleaner();
  writer_options.end_offset = End();
  faulty->CutWrite(1, 1000);
  faulty->CutWrite(3, 1);
  ASSERT_OK(TryAll());
  EXPECT_EQ(ReadFile(writer->log_path()), ReadFile(segments[0]->log_path()));
}

TEST_P(CleanWriterOf, AReadThatFailsIsTold) {
  auto reading = std::make_shared<FaultyFileSystem>();
  options.file_system = reading;
  Create();
  Fill(100);
  Roll();
  reading->Fail(Operation::kRead, 1, EIO, ".log");
  EXPECT_EQ(cleaner->Index(segments[0], 0, kAll, kAll).status().sys_errno(), EIO);
  EXPECT_EQ(cleaner->indexed_to(), 0);
  EXPECT_EQ(Index().stop, CleanStop::kEnd);
  OpenWriter();
  reading->Fail(Operation::kRead, 1, EIO, ".log");
  EXPECT_EQ(Copy(segments[0]).sys_errno(), EIO);
  ASSERT_OK(writer->Abort());
}

TEST_P(CleanWriterOf, TheSegmentIsReadByOthersMeanwhile) {
  Create();
  FillTogether(2000, 4);
  Roll();
  std::atomic<bool> done{false};
  std::thread reader([&] {
    std::mt19937 random(1);
    while (!done) {
      const auto offset = static_cast<int64_t>(random() % 2000);
      EXPECT_TRUE(segments[0]->FindRange(offset, 1000, 2000, Wait::kAllowed).ok());
    }
  });
  for (int round = 0; round < 5; ++round) {
    NewCleaner();
    EXPECT_EQ(Index().stop, CleanStop::kEnd);
    CleanAll();
  }
  done = true;
  reader.join();
  const std::vector<StoredRecord> once = Left();
  EXPECT_FALSE(once.empty());
}

TEST_P(CleanWriterOf, CloseEndsACallUnderWay) {
  Create();
  FillTogether(3000, 4);
  Roll();
  std::thread closing([this] { cleaner->Close(); });
  Status status;
  while (status.ok()) status = cleaner->Index(segments[0], 0, kAll, kAll).status();
  closing.join();
  EXPECT_EQ(status.code(), Code::kCancelled);
}

TEST_P(CleanWriterOf, ASegmentThatWasClosedMeanwhileIsReadToItsEnd) {
  Create();
  Fill(200);
  Roll();
  Result<CleanStep> step = cleaner->Index(segments[0], 0, kAll, 2000);
  ASSERT_OK(step.status());
  segments[0]->Close();
  step = cleaner->Index(segments[0], step->next_offset, kAll, kAll);
  ASSERT_OK(step.status());
  EXPECT_EQ(step->next_offset, 200);
  EXPECT_EQ(cleaner->Index(segments[0], 0, kAll, kAll).status().code(), Code::kClosed);
}

}  // namespace
}  // namespace mykafka::testing
