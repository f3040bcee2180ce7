// TruncateTo: cut at an offset, then go on from there.
#include <errno.h>

#include "test/faulty_file_system.h"
#include "test/segment_fixture.h"

namespace mykafka::testing {
namespace {

class SegmentTruncate : public EachFormat {
 protected:
  SegmentTruncate() {
    options.file_system = files;
    options.index_interval_bytes = 256;
  }

  static std::vector<ModelRecord> Records(int count) {
    std::mt19937 random(31);
    std::vector<ModelRecord> records;
    for (int i = 0; i < count; ++i) records.push_back(RandomRecord(&random, 100));
    return records;
  }
  void Make() {
    Create(20);
    for (const ModelRecord& record : Records(50)) ASSERT_OK(Append({record}));
  }
  void ExpectCutAt(int64_t offset) {
    EXPECT_EQ(segment->next_offset(), offset);
    EXPECT_EQ(segment->size(), model.PositionOf(offset));
    EXPECT_EQ(static_cast<int64_t>(std::filesystem::file_size(Path(".log"))), model.PositionOf(offset));
    model = model.Upto(offset);
    ExpectAllRight();
    for (int i = 0; i < 30; ++i) ASSERT_OK(Append({{"after", "the cut " + std::to_string(i)}}));
    ExpectAllRight(Wait::kNever);
    ASSERT_OK(segment->Sync());
    ASSERT_OK(segment->Seal());
    EXPECT_EQ(ReadFile(Path(".index")), model.Index(256));
    EXPECT_TRUE(ReadFile(Path(".log")) == model.bytes());
  }
  void Remove() {
    Close();
    std::filesystem::remove(Path(".log"));
    std::filesystem::remove(Path(".index"));
  }

  std::shared_ptr<FaultyFileSystem> files = std::make_shared<FaultyFileSystem>();
};

TEST_P(SegmentTruncate, CutsAtAnyOffsetAndAppendsGoOn) {
  for (int64_t offset = 20; offset <= 70; offset += 5) {
    SCOPED_TRACE(offset);
    Make();
    ASSERT_OK(segment->TruncateTo(offset));
    ExpectCutAt(offset);
    if (HasFailure()) return;
    Remove();
  }
}

TEST_P(SegmentTruncate, ASealedSegmentIsOpenForAppendsAgain) {
  for (const bool reopened : {false, true}) {
    for (const int64_t offset : {20, 21, 44, 69}) {
      SCOPED_TRACE(offset);
      Make();
      ASSERT_OK(segment->Seal());
      if (reopened) {
        Close();
        OpenSealed();
      }
      ASSERT_OK(segment->TruncateTo(offset));
      ExpectCutAt(offset);
      if (HasFailure()) return;
      Remove();
    }
  }
}

TEST_P(SegmentTruncate, AboveTheEndNothingHappensAndBelowTheBaseNothingMay) {
  Make();
  ASSERT_OK(segment->TruncateTo(70));
  ASSERT_OK(segment->TruncateTo(1000));
  EXPECT_EQ(segment->TruncateTo(19).code(), Code::kOffsetOutOfRange);
  EXPECT_EQ(segment->next_offset(), 70);
  ExpectAllRight();
}

TEST_P(SegmentTruncate, TheCutIsOnTheDiskBeforePositionsAreUsedAgain) {
  Make();
  ASSERT_OK(segment->Sync());
  const int syncs = files->calls(Operation::kSync);
  ASSERT_OK(segment->TruncateTo(40));
  EXPECT_EQ(files->calls(Operation::kSync), syncs + 1);
  EXPECT_EQ(segment->synced_size(), segment->size());
}

TEST_P(SegmentTruncate, WhereTheCutFailsNothingIsAppended) {
  Make();
  files->Fail(Operation::kTruncate, 1, EIO, ".log");
  EXPECT_EQ(segment->TruncateTo(40).sys_errno(), EIO);
  const Bytes packed = Pack({{"k", "v"}});
  const PackedBatch batch = {packed.data(), packed.size(), 1, 1};
  EXPECT_EQ(segment->Append(&batch, 1, segment->next_offset()).code(), Code::kIo);
}

TEST_P(SegmentTruncate, NotIntoADamageButToItsBeginning) {
  Make();
  ASSERT_OK(segment->Seal());
  Close();
  Bytes log = ReadFile(Path(".log"));
  std::fill(log.begin() + model.PositionOf(40) + 3, log.begin() + model.PositionOf(45) - 3, 0xee);
  WriteFile(Path(".log"), log);
  OpenSealed();
  ASSERT_OK(segment->Verify());
  ASSERT_EQ(segment->damages().size(), 1u);
  EXPECT_EQ(segment->TruncateTo(42).code(), Code::kCorrupt);
  EXPECT_EQ(segment->next_offset(), 70);
  ASSERT_OK(segment->TruncateTo(50));
  EXPECT_EQ(segment->damages().size(), 1u);
  EXPECT_EQ(segment->TruncateTo(40).code(), Code::kCorrupt);
  ASSERT_OK(segment->TruncateTo(39));
  EXPECT_TRUE(segment->damages().empty());
  ExpectCutAt(39);
}

INSTANTIATE_EACH_FORMAT(SegmentTruncate);

}  // namespace
}  // namespace mykafka::testing
