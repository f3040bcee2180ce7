// Where reading resumes, asked directly.
#include "core/resync.h"

#include "test/segment_fixture.h"

namespace mykafka::testing {
namespace {

class ResyncTest : public ::testing::Test {
 protected:
  ResyncTest() {
    std::mt19937 random(2);
    for (int i = 0; i < 20; ++i) model.Add(ModelRecord{"k", std::string(20 + random() % 50, 'v')});
  }

  // The offset where reading resumes behind a damage at this offset, or -1.
  int64_t Resumed(const Bytes& log, int64_t offset, int64_t end_offset) {
    WriteFile(directory / "log", log);
    std::shared_ptr<File> file = *FileSystem::Posix()->Open(directory / "log", OpenMode::kReadOnly);
    EntryScanner scanner(*file, EntryFormat::Of(RecordFormat::kMykafka), model.PositionOf(offset),
                         static_cast<int64_t>(log.size()));
    ScannedEntry damaged;
    EXPECT_TRUE(scanner.Next(&damaged).ok());
    EXPECT_NE(damaged.verdict, EntryVerdict::kRight);
    Result<std::optional<ScannedEntry>> found =
        Resync(*file, damaged, {static_cast<int64_t>(log.size()), offset, end_offset});
    EXPECT_TRUE(found.ok());
    if (!found->has_value()) return -1;
    EXPECT_EQ((*found)->verdict, EntryVerdict::kRight);
    return (*found)->header.offset;
  }
  void Spoil(Bytes* log, int64_t offset, int64_t byte) {
    (*log)[static_cast<size_t>(model.PositionOf(offset) + byte)] ^= 0x20;
  }

  TemporaryDirectory directory;
  ModelLog model{100};
};

TEST_F(ResyncTest, BehindAFlippedBitInAnyField) {
  for (const int64_t byte : {0, 7, 8, 16, 19, 20, 21, 24, 30}) {
    Bytes log = model.bytes();
    Spoil(&log, 105, byte);
    EXPECT_EQ(Resumed(log, 105, 120), 106) << byte;
  }
}

TEST_F(ResyncTest, AcrossNeighbouringDamages) {
  for (const int64_t byte : {16, 23, 30}) {
    Bytes log = model.bytes();
    for (const int64_t offset : {105, 106, 107}) Spoil(&log, offset, byte);
    EXPECT_EQ(Resumed(log, 105, 120), 108) << byte;
  }
}

TEST_F(ResyncTest, AtTheFirstOfTwoStretchesApart) {
  Bytes log = model.bytes();
  Spoil(&log, 105, 23);
  std::fill(log.begin() + model.PositionOf(110), log.begin() + model.PositionOf(112), 0x77);
  EXPECT_EQ(Resumed(log, 105, 120), 106);
}

TEST_F(ResyncTest, NotAtOffsetsThatTheSegmentCannotHold) {
  Bytes log = model.bytes();
  Spoil(&log, 105, 23);
  EXPECT_EQ(Resumed(log, 105, 106), -1);
  // What lies behind was written over by entries from before.
  ModelLog stale(90);
  for (int i = 0; i < 10; ++i) stale.Add(ModelRecord{"stale", "entry"});
  log.resize(static_cast<size_t>(model.PositionOf(106)));
  log.insert(log.end(), stale.bytes().begin(), stale.bytes().end());
  EXPECT_EQ(Resumed(log, 105, 120), -1);
}

TEST_F(ResyncTest, BehindBytesPutInBetweenAnEntryLater) {
  Bytes log = model.bytes();
  log.insert(log.begin() + model.PositionOf(105), 33, 0x55);
  // Nothing tells the entry that follows from a copy of one that is lost.
  EXPECT_EQ(Resumed(log, 105, 120), 106);
}

TEST_F(ResyncTest, NowhereInGarbage) {
  Bytes log = model.bytes();
  std::mt19937 random(3);
  for (size_t at = static_cast<size_t>(model.PositionOf(105)); at < log.size(); ++at) {
    log[at] = static_cast<uint8_t>(random());
  }
  EXPECT_EQ(Resumed(log, 105, 120), -1);
}

TEST_F(ResyncTest, AnEntryThatClaimsTheRestByAWrongLengthHidesNothing) {
  Bytes log = model.bytes();
  // The damaged one's value now reaches exactly to the end of the log.
  const int64_t length = model.size() - model.PositionOf(105) - 29;
  for (int i = 0; i < 4; ++i) {
    log[static_cast<size_t>(model.PositionOf(105) + 21 + i)] = static_cast<uint8_t>(length >> (24 - 8 * i));
  }
  EXPECT_EQ(Resumed(log, 105, 120), 106);
  EXPECT_EQ(Resumed(log, 105, INT32_MAX), 106);  // where nobody knows how many there should be
}

TEST_F(ResyncTest, RightEntriesAreCountedAcrossWhatIsNot) {
  Bytes log = model.bytes();
  for (const int64_t offset : {101, 102, 110}) Spoil(&log, offset, 23);
  log.resize(log.size() - 1);
  WriteFile(directory / "log", log);
  std::shared_ptr<File> file = *FileSystem::Posix()->Open(directory / "log", OpenMode::kReadOnly);
  const ResyncBounds bounds = {static_cast<int64_t>(log.size()), 100, 200};
  EXPECT_EQ(*CountRightEntries(*file, 0, bounds), 16);
  EXPECT_EQ(*CountRightEntries(*file, 3, bounds), 15);
  EXPECT_EQ(*CountRightEntries(*file, bounds.end, bounds), 0);
}

}  // namespace
}  // namespace mykafka::testing
