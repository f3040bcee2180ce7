// Thousands of segments, few open files.
#include "core/open_files.h"

#include <dirent.h>

#include "test/segment_fixture.h"

namespace mykafka::testing {
namespace {

size_t OpenDescriptors() {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/fd")) {
    (void)entry;
    ++count;
  }
  return count;
}

class OpenFilesTest : public SegmentFixture {
 protected:
  OpenFilesTest() : limit_(OpenFiles::Instance().limit()), listed_(OpenFiles::Instance().count()) {
    OpenFiles::Instance().SetLimit(listed_ + 4);
  }
  ~OpenFilesTest() override { OpenFiles::Instance().SetLimit(limit_); }

  size_t Open() const { return OpenFiles::Instance().count() - listed_; }

  std::shared_ptr<Segment> MakeOne(int64_t base, bool sync) {
    Create(base);
    Fill(5, static_cast<uint32_t>(base));
    EXPECT_TRUE(!sync || segment->Sync().ok());
    models_.push_back(model);
    return segment;
  }
  // The segment's first record is found and right.
  void ExpectReadable(size_t i, const std::shared_ptr<Segment>& one) {
    segment = one;
    model = models_[i];
    ExpectAnswer(model.base_offset() + 3, 1, model.next_offset());
  }
  bool IsOpen(const std::shared_ptr<Segment>& one) const {
    return one->FindRange(one->base_offset(), 1, INT64_MAX, Wait::kNever).ok();
  }

  const size_t limit_;
  const size_t listed_;
  std::vector<ModelLog> models_;
};

TEST_F(OpenFilesTest, AHundredCleanSegmentsKeepFourOpen) {
  const size_t before = OpenDescriptors();
  std::vector<std::shared_ptr<Segment>> segments;
  for (int64_t i = 0; i < 100; ++i) {
    segments.push_back(MakeOne(i * 10, true));
    EXPECT_LE(Open(), 5u);
  }
  std::mt19937 random(1);
  for (int i = 0; i < 400; ++i) {
    const size_t one = random() % segments.size();
    ExpectReadable(one, segments[one]);
    EXPECT_LE(Open(), 4u);
  }
  EXPECT_LE(OpenDescriptors() - before, 4u);
  segments.clear();
  segment.reset();
  EXPECT_EQ(Open(), 0u);
  EXPECT_EQ(OpenDescriptors(), before);
}

TEST_F(OpenFilesTest, TheLeastRecentlyUsedIsClosedFirst) {
  std::vector<std::shared_ptr<Segment>> segments;
  for (int64_t i = 0; i < 4; ++i) segments.push_back(MakeOne(i * 10, true));
  EXPECT_TRUE(IsOpen(segments[0]));  // a use: now 1 is the oldest
  segments.push_back(MakeOne(40, true));
  segments.push_back(MakeOne(50, true));
  OpenFiles::Instance().Trim();
  EXPECT_FALSE(IsOpen(segments[1]));
  EXPECT_TRUE(IsOpen(segments[0]));
  EXPECT_TRUE(IsOpen(segments[5]));
}

TEST_F(OpenFilesTest, WhatIsDirtyStaysOpenUntilItIsSynced) {
  std::vector<std::shared_ptr<Segment>> segments;
  for (int64_t i = 0; i < 10; ++i) segments.push_back(MakeOne(i * 10, false));
  EXPECT_EQ(Open(), 10u);
  for (const std::shared_ptr<Segment>& one : segments) EXPECT_TRUE(IsOpen(one));
  for (const std::shared_ptr<Segment>& one : segments) ASSERT_OK(one->Sync());
  EXPECT_LE(Open(), 4u);
  for (size_t i = 0; i < segments.size(); ++i) ExpectReadable(i, segments[i]);
}

TEST_F(OpenFilesTest, WhatIsPinnedStaysOpen) {
  std::shared_ptr<Segment> pinned = MakeOne(0, true);
  std::shared_ptr<File> pin = *pinned->PinFile();
  std::vector<std::shared_ptr<Segment>> segments;
  for (int64_t i = 1; i < 20; ++i) segments.push_back(MakeOne(i * 10, true));
  EXPECT_TRUE(IsOpen(pinned));
  pin.reset();
  for (size_t i = 0; i < segments.size(); ++i) ExpectReadable(i + 1, segments[i]);
  EXPECT_FALSE(IsOpen(pinned));
}

TEST_F(OpenFilesTest, AClosedActiveSegmentIsAppendedToAgain) {
  std::vector<std::shared_ptr<Segment>> segments;
  for (int64_t i = 0; i < 20; ++i) segments.push_back(MakeOne(i * 10, true));
  for (size_t i = 0; i < segments.size(); ++i) {
    segment = segments[i];
    model = models_[i];
    Fill(3);
    ExpectAllRight(Wait::kNever);
    ASSERT_OK(segment->Sync());
    models_[i] = model;
  }
  EXPECT_LE(Open(), 4u);
}

TEST_F(OpenFilesTest, OpeningSealedSegmentsOpensNothing) {
  for (int64_t i = 0; i < 10; ++i) {
    MakeOne(i * 10, true);
    ASSERT_OK(segment->Seal());
    Close();
  }
  const size_t before = OpenDescriptors();
  std::vector<std::shared_ptr<Segment>> segments;
  for (int64_t i = 0; i < 10; ++i) {
    options.base_offset = i * 10;
    segments.push_back(*Segment::OpenSealed(options, i * 10 + 5));
  }
  EXPECT_EQ(Open(), 0u);
  EXPECT_EQ(OpenDescriptors(), before);
  EXPECT_EQ(segments[3]->FindRange(30, 1, 100, Wait::kNever).status().code(), Code::kWouldBlock);
}

}  // namespace
}  // namespace mykafka::testing
