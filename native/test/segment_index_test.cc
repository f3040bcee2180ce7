// The index is disposable: whatever becomes of it, answers stay the same, and it is made right again.
#include <errno.h>

#include "test/faulty_file_system.h"
#include "test/segment_fixture.h"

namespace mykafka::testing {
namespace {

struct Harm {
  const char* name;
  Bytes (*apply)(const Bytes& index, int64_t log_size);
};

Bytes Zeroed(const Bytes& index, int64_t) {
  return Bytes(index.size(), 0);
}
Bytes Emptied(const Bytes&, int64_t) {
  return {};
}
Bytes CutInHalf(const Bytes& index, int64_t) {
  return Bytes(index.begin(), index.begin() + static_cast<int64_t>(index.size() / 16 * 8));
}
Bytes CutInsideAnEntry(const Bytes& index, int64_t) {
  return Bytes(index.begin(), index.begin() + static_cast<int64_t>(index.size() - 3));
}
Bytes OnlyTheFirst(const Bytes& index, int64_t) {
  return Bytes(index.begin(), index.begin() + 8);
}
Bytes Garbage(const Bytes& index, int64_t) {
  std::mt19937 random(4);
  Bytes bytes(index.size());
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}
// In order, within the log, and wrong.
Bytes SortedGarbage(const Bytes& index, int64_t log_size) {
  std::mt19937 random(5);
  const size_t count = index.size() / 8;
  std::vector<uint32_t> offsets(count);
  std::vector<uint32_t> positions(count);
  for (size_t i = 1; i < count; ++i) {
    offsets[i] = static_cast<uint32_t>(random() % 600);
    positions[i] = static_cast<uint32_t>(random() % static_cast<uint64_t>(log_size));
  }
  std::sort(offsets.begin(), offsets.end());
  std::sort(positions.begin(), positions.end());
  Bytes bytes;
  for (size_t i = 0; i < count; ++i) {
    PutBig(&bytes, offsets[i], 4);
    PutBig(&bytes, positions[i], 4);
  }
  return bytes;
}
Bytes Reversed(const Bytes& index, int64_t) {
  Bytes bytes;
  for (size_t at = index.size(); at >= 8; at -= 8) {
    bytes.insert(bytes.end(), index.begin() + static_cast<int64_t>(at) - 8, index.begin() + static_cast<int64_t>(at));
  }
  return bytes;
}
Bytes PositionsOffByOne(const Bytes& index, int64_t) {
  Bytes bytes = index;
  for (size_t at = 7; at < bytes.size(); at += 8) ++bytes[at];
  return bytes;
}
Bytes OffsetsOffByOne(const Bytes& index, int64_t) {
  Bytes bytes = index;
  for (size_t at = 3; at < bytes.size(); at += 8) ++bytes[at];
  return bytes;
}
Bytes EverySecondMissing(const Bytes& index, int64_t) {
  Bytes bytes;
  for (size_t at = 0; at + 8 <= index.size(); at += 16) {
    bytes.insert(bytes.end(), index.begin() + static_cast<int64_t>(at), index.begin() + static_cast<int64_t>(at) + 8);
  }
  return bytes;
}
Bytes BeyondTheLog(const Bytes& index, int64_t) {
  return Bytes(index.size(), 0xff);
}
Bytes ZeroTail(const Bytes& index, int64_t) {
  Bytes bytes = index;
  bytes.resize(bytes.size() + 4096);
  return bytes;
}

constexpr Harm kHarms[] = {{"Zeroed", Zeroed},
                           {"Emptied", Emptied},
                           {"CutInHalf", CutInHalf},
                           {"CutInsideAnEntry", CutInsideAnEntry},
                           {"OnlyTheFirst", OnlyTheFirst},
                           {"Garbage", Garbage},
                           {"SortedGarbage", SortedGarbage},
                           {"Reversed", Reversed},
                           {"PositionsOffByOne", PositionsOffByOne},
                           {"OffsetsOffByOne", OffsetsOffByOne},
                           {"EverySecondMissing", EverySecondMissing},
                           {"BeyondTheLog", BeyondTheLog},
                           {"ZeroTail", ZeroTail}};

class SegmentIndex : public SegmentFixture, public ::testing::WithParamInterface<Harm> {
 protected:
  static constexpr uint32_t kInterval = 512;

  SegmentIndex() { options.index_interval_bytes = kInterval; }

  void MakeHarmed() {
    Create(30);
    Fill(400, 9);
    ASSERT_OK(segment->Seal());
    Close();
    ASSERT_EQ(ReadFile(Path(".index")), model.Index(kInterval));
    WriteFile(Path(".index"), GetParam().apply(model.Index(kInterval), model.size()));
  }
  // In an order that meets the index cold.
  void ExpectSomeRight(uint32_t seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 60 && !HasFatalFailure(); ++i) {
      const int64_t offset = model.base_offset() + static_cast<int64_t>(random() % 400);
      ExpectAnswer(offset, static_cast<int64_t>(random() % 3000), model.next_offset());
    }
  }
};

TEST_P(SegmentIndex, NoAnswerOfASealedSegmentChanges) {
  for (uint32_t seed = 0; seed < 8; ++seed) {
    MakeHarmed();
    OpenSealed();
    ExpectSomeRight(seed);
    ASSERT_FALSE(HasFatalFailure());
    // Backwards: no question goes on where an answer ended, so that each needs the index.
    for (int64_t offset = model.next_offset() - 1; offset >= model.base_offset(); --offset) {
      ExpectAnswer(offset, 1, model.next_offset());
    }
    EXPECT_TRUE(segment->damages().empty());
    // By now it had to be found wrong, and is right: what never waits finds everything.
    ExpectAllRight(Wait::kNever);
    Close();
    Bytes index = ReadFile(Path(".index"));
    while (index.size() > 8 && GetBig(index, index.size() - 8, 8) == 0) index.resize(index.size() - 8);
    EXPECT_EQ(index, model.Index(kInterval));
    std::filesystem::remove(Path(".log"));
    std::filesystem::remove(Path(".index"));
  }
}

TEST_P(SegmentIndex, NoAnswerOfAnActiveSegmentChangesAndAppendsGoOn) {
  for (const bool clean : {true, false}) {
    MakeHarmed();
    if (clean) {
      OpenClean(model.next_offset());
    } else {
      OpenRecovering(model.base_offset() + 200);
    }
    EXPECT_FALSE(report.damaged_tail);
    EXPECT_EQ(report.cut_position, -1);
    EXPECT_EQ(segment->next_offset(), model.next_offset());
    Fill(50, 10);
    ExpectSomeRight(1);
    ASSERT_FALSE(HasFatalFailure());
    ExpectAllRight();
    ExpectAllRight(Wait::kNever);
    EXPECT_TRUE(segment->damages().empty());
    ASSERT_OK(segment->Seal());
    EXPECT_EQ(ReadFile(Path(".index")), model.Index(kInterval));
    Close();
    std::filesystem::remove(Path(".log"));
    std::filesystem::remove(Path(".index"));
  }
}

INSTANTIATE_TEST_SUITE_P(Harms, SegmentIndex, ::testing::ValuesIn(kHarms),
                         [](const auto& info) { return info.param.name; });

class SegmentIndexFile : public EachFormat {};

TEST_P(SegmentIndexFile, MayBeMissing) {
  Create();
  Fill(300);
  Close();
  std::filesystem::remove(Path(".index"));
  OpenSealed();
  ExpectAllRight();
  EXPECT_TRUE(Exists(Path(".index")));
}

TEST_P(SegmentIndexFile, OfAnActiveSegmentIsLongerThanItsEntries) {
  Create();
  Fill(300);
  const int64_t grown = static_cast<int64_t>(std::filesystem::file_size(Path(".index")));
  EXPECT_EQ(grown, 4096);
  Close();
  OpenClean(model.next_offset());
  Fill(300);
  ExpectAllRight();
  ASSERT_OK(segment->Seal());
  EXPECT_EQ(ReadFile(Path(".index")), model.Index(4096));
}

TEST_P(SegmentIndexFile, MayNameTheInsideOfAValueThatHoldsACopyOfTheLog) {
  // Entries inside of a value, whole and right, with the offsets of later ones; a wrong index leads there.
  options.index_interval_bytes = 1;
  Create();
  Fill(3);
  Bytes copy;
  for (int64_t offset = 4; offset < 8; ++offset) {
    const Bytes entry = Stored({"copy", "of another"}, offset, 1);
    copy.insert(copy.end(), entry.begin(), entry.end());
  }
  ASSERT_OK(Append({{"k", "some text" + std::string(copy.begin(), copy.end()) + "more text"}}));
  const auto found = std::search(model.bytes().begin(), model.bytes().end(), copy.begin(), copy.end());
  const int64_t inside = found - model.bytes().begin();
  Fill(10);
  ASSERT_OK(segment->Seal());
  Close();
  Bytes index = model.Index(1);
  Bytes wrong(index.begin(), index.begin() + 4 * 8);
  PutBig(&wrong, 4, 4);
  PutBig(&wrong, static_cast<uint64_t>(inside), 4);
  for (const int64_t first : {5, 7, 10}) {
    WriteFile(Path(".index"), wrong);
    OpenSealed();
    ExpectAnswer(first, 1, model.next_offset());
    ExpectAllRight();
    EXPECT_TRUE(segment->damages().empty());
    Close();
  }
}

TEST_P(SegmentIndexFile, ThatCannotBeWrittenChangesNoAnswer) {
  auto files = std::make_shared<FaultyFileSystem>();
  options.file_system = files;
  options.index_interval_bytes = 512;
  Create();
  Fill(300);
  Close();
  WriteFile(Path(".index"), Bytes(800, 0xab));
  files->Fail(Operation::kAllocate, 1, ENOSPC, ".index", true);
  OpenSealed();
  ExpectAllRight();
  Close();
  OpenClean(model.next_offset());
  ExpectAllRight();
  files->Heal();
  Fill(20);
  ExpectAllRight();
}

TEST_P(SegmentIndexFile, ThatIsUnreadableIsMadeAnew) {
  auto files = std::make_shared<FaultyFileSystem>();
  options.file_system = files;
  Create();
  Fill(300);
  ASSERT_OK(segment->Seal());
  Close();
  files->Fail(Operation::kRead, 1, EIO, ".index", true);
  OpenSealed();
  ExpectAllRight();
}

INSTANTIATE_EACH_FORMAT(SegmentIndexFile);

}  // namespace
}  // namespace mykafka::testing
