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

  // One append of so many entries, each so much later than the one before it.
  Status AppendTimed(int count, int64_t step) {
    std::vector<Bytes> bytes;
    std::vector<PackedBatch> batches;
    bytes.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
      const int64_t time = model.timestamp() + i * step;
      bytes.push_back(Batches() ? EncodeBatch({{"key", "value"}}, 0, time) : Pack({{"key", "value"}}));
      batches.push_back({bytes.back().data(), bytes.back().size(), 1, Batches() ? -1 : time});
    }
    return segment->Append(batches.data(), batches.size(), segment->next_offset());
  }

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

TEST_P(SegmentLeftovers, ALargerIndexOfOffsetsStandsForNoLargerOneOfTimes) {
  options.index_max_bytes = 8;
  options.index_interval_bytes = 1;
  Create();
  ASSERT_OK(AppendTimed(20, 0));
  ASSERT_OK(segment->Seal());
  ASSERT_OK(segment->TruncateTo(0));
  ASSERT_OK(AppendTimed(20, 1));
  for (int64_t offset = 0; offset < 20; ++offset) {
    const Result<std::optional<FoundEntry>> found = segment->FindTimestamp(model.timestamp() + offset, 0);
    ASSERT_OK(found.status());
    ASSERT_TRUE(found->has_value());
    EXPECT_EQ((*found)->offset, offset);
  }
}

INSTANTIATE_EACH_FORMAT(SegmentLeftovers);

}  // namespace
}  // namespace mykafka::testing
