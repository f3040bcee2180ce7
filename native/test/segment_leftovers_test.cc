// What failures, cuts and dead processes leave behind must not come back behind a power loss: it is on the disk before
// anything builds on it. (native/sim found each of these.)
#include <errno.h>

#include "core/open_files.h"
#include "test/faulty_file_system.h"
#include "test/segment_fixture.h"

namespace mykafka::testing {
namespace {

class SegmentLeftovers : public EachFormat {
 protected:
  SegmentLeftovers() { options.file_system = files; }
  ~SegmentLeftovers() override { OpenFiles::Instance().SetLimit(limit_); }

  std::shared_ptr<FaultyFileSystem> files = std::make_shared<FaultyFileSystem>();

 private:
  const size_t limit_ = OpenFiles::Instance().limit();
};

TEST_P(SegmentLeftovers, ASegmentThatCannotBeMadeNeverHadALog) {
  options.base_offset = 7;
  for (const char* suffix : {".index", ".timeindex"}) {
    files->Fail(Operation::kOpen, 1, EMFILE, suffix);
    files->Fail(Operation::kUnlink, 1, EIO, ".log");
    EXPECT_EQ(Segment::Create(options).status().sys_errno(), EMFILE);
    EXPECT_FALSE(Exists(Path(".log")));
    files->Heal();
  }
  Create(7);
  Fill(1);
  EXPECT_EQ(Segment::Create(options).status().sys_errno(), EEXIST);
  ExpectAllRight();
}

TEST_P(SegmentLeftovers, ARecoverySyncsWhatAnotherProcessMayHaveCut) {
  Create();
  Fill(3);
  ASSERT_OK(segment->Sync());
  Close();
  OpenRecovering(model.next_offset());
  const int before = files->calls(Operation::kSync);
  ASSERT_OK(segment->Sync());
  EXPECT_EQ(files->calls(Operation::kSync), before + 1);
}

TEST_P(SegmentLeftovers, WhatATimeIndexSaysOfCutRecordsIsForgottenOnTheDisk) {
  Create();
  Fill(20);
  ASSERT_OK(segment->Seal());
  // Synced once by the cut, beside the log.
  files->Fail(Operation::kSync, 1, EIO, ".timeindex");
  EXPECT_EQ(segment->TruncateTo(10).sys_errno(), EIO);
  files->Heal();
  ASSERT_OK(segment->TruncateTo(10));
}

TEST_P(SegmentLeftovers, WhatATimeIndexSaysOfLostRecordsIsForgottenOnTheDisk) {
  Create();
  Fill(20);
  ASSERT_OK(segment->Seal());
  Close();
  std::filesystem::resize_file(Path(".log"), static_cast<uint64_t>(model.PositionOf(10)));
  files->Fail(Operation::kSync, 1, EIO, ".timeindex");
  EXPECT_EQ(Segment::OpenRecovering(options, 0, &report).status().sys_errno(), EIO);
  files->Heal();
  model = model.Upto(10);
  OpenRecovering(0);
  ExpectAllRight();
}

TEST_P(SegmentLeftovers, ReservedZeroesAreNoEntriesWhenTheFilesAreOpenedAgain) {
  options.index_max_bytes = 8;
  Create();
  Close();
  OpenRecovering(0);
  ASSERT_OK(segment->Sync());
  OpenFiles::Instance().SetLimit(0);
  OpenFiles::Instance().Trim();
  ASSERT_FALSE(segment->files_open());
  Fill(1);
  ExpectAllRight();
}

INSTANTIATE_EACH_FORMAT(SegmentLeftovers);

}  // namespace
}  // namespace mykafka::testing
