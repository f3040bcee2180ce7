// What a segment keeps open, and what it does where a file of it is opened anew and is not there.
#include <algorithm>
#include <filesystem>

#include "test/faulty_file_system.h"
#include "test/segment_fixture.h"

namespace mykafka::testing {
namespace {

class SegmentDescriptors : public SegmentFixture {
 protected:
  SegmentDescriptors() {
    options.file_system = files;
    options.index_interval_bytes = 1;
  }

  // By the ends of their names, the files of the segment that the process has open.
  std::vector<std::string> Open() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      const std::filesystem::path target = std::filesystem::read_symlink(entry.path(), gone);
      if (!gone && target.parent_path() == options.directory) names.push_back(target.extension());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  // More entries than the first step of the index has room for.
  void FillMore() { Fill(600, 7, 10); }

  std::shared_ptr<FaultyFileSystem> files = std::make_shared<FaultyFileSystem>();
};

const std::vector<std::string> kLogAlone = {".log"};

TEST_F(SegmentDescriptors, OneThatTakesAppendsKeepsItsLogOpenAlone) {
  Create();
  EXPECT_EQ(Open(), kLogAlone);
  FillMore();
  EXPECT_EQ(Open(), kLogAlone);
  ASSERT_OK(segment->Sync());
  Close();
  EXPECT_TRUE(Open().empty());
  OpenClean(model.next_offset());
  EXPECT_EQ(Open(), kLogAlone);
  FillMore();
  ASSERT_OK(segment->TruncateTo(5));
  EXPECT_EQ(Open(), kLogAlone);
  ASSERT_OK(segment->Seal());
  EXPECT_EQ(Open(), kLogAlone);
}

TEST_F(SegmentDescriptors, IndexesThatWereTakenAwayAreThereAgainWhenTheyGrow) {
  Create();
  Fill(5);
  std::filesystem::remove(Path(".index"));
  std::filesystem::remove(Path(".timeindex"));
  FillMore();
  ExpectAllRight(Wait::kNever);
  ASSERT_OK(segment->Seal());
  EXPECT_EQ(ReadFile(Path(".index")), model.Index(1));
  EXPECT_TRUE(std::filesystem::exists(Path(".timeindex")));
}

TEST_F(SegmentDescriptors, AnotherFileInPlaceOfAnIndexIsNotWrittenTo) {
  Create();
  Fill(5);
  const std::string aside = Path(".index.other");
  std::filesystem::copy_file(Path(".index"), aside);
  std::filesystem::rename(aside, Path(".index"));
  FillMore();
  ExpectAllRight(Wait::kNever);
  ASSERT_OK(segment->Seal());
  EXPECT_EQ(ReadFile(Path(".index")), model.Index(1));
}

TEST_F(SegmentDescriptors, WithoutADescriptorForAnIndexNothingIsWritten) {
  Create();
  Fill(5);
  files->Fail(Operation::kOpen, 1, EMFILE, ".index", true);
  Status status = Status::Ok();
  while (status.ok()) status = Append({{"k", "v"}});
  EXPECT_EQ(status.sys_errno(), EMFILE);
  EXPECT_TRUE(ReadFile(Path(".log")) == model.bytes());
  files->Heal();
  Fill(5);
  ExpectAllRight(Wait::kNever);
}

TEST_F(SegmentDescriptors, OneSealedUntrimmedTakesAppendsBehindTheNextOpening) {
  Create();
  Fill(5);
  ASSERT_OK(segment->Sync());
  const uintmax_t allocated = std::filesystem::file_size(Path(".index"));
  ASSERT_OK(segment->SealUntrimmed());
  EXPECT_EQ(std::filesystem::file_size(Path(".index")), allocated);
  Close();
  OpenClean(model.next_offset());
  EXPECT_TRUE(segment->timestamps_known());
  ExpectAllRight();
  FillMore();
  ExpectAllRight(Wait::kNever);
  ASSERT_OK(segment->Seal());
  EXPECT_EQ(ReadFile(Path(".index")), model.Index(1));
}

}  // namespace
}  // namespace mykafka::testing
