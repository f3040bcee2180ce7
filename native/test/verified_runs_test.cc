#include "core/verified_runs.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace mykafka::testing {
namespace {

// Entries of ten bytes each: offset n stands at 10 n.
Run Of(int64_t first, int64_t next) {
  return {{first * 10, first}, {next * 10, next}};
}

TEST(VerifiedRuns, JoinsWhatTouchesOrOverlaps) {
  VerifiedRuns runs;
  runs.Add(Of(10, 20));
  runs.Add(Of(30, 40));
  runs.Add(Of(5, 5));
  EXPECT_EQ(runs.count(), 2u);
  EXPECT_EQ(runs.Holding(25), nullptr);
  runs.Add(Of(20, 30));
  EXPECT_EQ(runs.count(), 1u);
  EXPECT_EQ(runs.Holding(25)->from.offset, 10);
  EXPECT_EQ(runs.Holding(10)->to.offset, 40);
  EXPECT_EQ(runs.Holding(40), nullptr);
  EXPECT_EQ(runs.Holding(9), nullptr);
  runs.Add(Of(0, 100));
  EXPECT_EQ(runs.count(), 1u);
}

TEST(VerifiedRuns, AGapInTheOffsetsKeepsRunsApart) {
  VerifiedRuns runs;
  runs.Add(Of(0, 10));
  runs.Add({{100, 12}, {150, 17}});  // begins where the other ends, two offsets later
  EXPECT_EQ(runs.count(), 2u);
  EXPECT_EQ(runs.Holding(9)->to.offset, 10);
  EXPECT_EQ(runs.Holding(10), nullptr);
  EXPECT_EQ(runs.Holding(11), nullptr);
  EXPECT_EQ(runs.Holding(12)->from.position, 100);
}

TEST(VerifiedRuns, InASparseSegmentAGapBelongsToWhatLiesAroundIt) {
  VerifiedRuns runs(true);
  runs.Add({{100, 12}, {150, 17}});  // reached by the index, which names its first entry
  EXPECT_EQ(runs.Holding(11), nullptr);
  runs.Add({{100, 10}, {120, 14}});
  EXPECT_EQ(runs.count(), 1u);
  EXPECT_EQ(runs.Holding(10)->to.offset, 17);
  runs.Add({{0, 0}, {100, 8}});
  EXPECT_EQ(runs.count(), 1u);
  EXPECT_EQ(runs.Holding(9)->from.offset, 0);
  runs.Add({{150, 20}, {200, 30}});
  EXPECT_EQ(runs.count(), 1u);
  EXPECT_EQ(runs.Holding(18)->to.position, 200);
  runs.CutAt({200, 25});
  EXPECT_EQ(runs.Holding(25), nullptr);
}

TEST(VerifiedRuns, ForgetsWhatIsCut) {
  VerifiedRuns runs;
  runs.Add(Of(0, 10));
  runs.Add(Of(20, 30));
  runs.Add(Of(40, 50));
  runs.CutAt({250, 25});
  EXPECT_EQ(runs.count(), 2u);
  EXPECT_EQ(runs.Holding(24)->to.offset, 25);
  EXPECT_EQ(runs.Holding(25), nullptr);
  runs.CutAt({200, 20});
  EXPECT_EQ(runs.count(), 1u);
  runs.CutAt({0, 0});
  EXPECT_EQ(runs.count(), 0u);
}

TEST(VerifiedRuns, AgreesWithASetOfOffsets) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    VerifiedRuns runs;
    std::vector<bool> held(200);
    for (int i = 0; i < 40; ++i) {
      const int64_t first = static_cast<int64_t>(random() % 190);
      const int64_t next = first + static_cast<int64_t>(random() % 10);
      runs.Add(Of(first, next));
      for (int64_t offset = first; offset < next; ++offset) held[static_cast<size_t>(offset)] = true;
    }
    size_t count = 0;
    for (int64_t offset = 0; offset < 200; ++offset) {
      const mykafka::Run* run = runs.Holding(offset);
      ASSERT_EQ(run != nullptr, held[static_cast<size_t>(offset)]);
      if (run != nullptr && run->from.offset == offset) ++count;
      const mykafka::Run* before = runs.LastFrom(offset * 10 + 5);
      ASSERT_EQ(before, runs.LastFromOffset(offset));
      const mykafka::Run* behind = runs.FirstBehind(offset * 10);
      ASSERT_TRUE(behind == nullptr || behind->from.offset > offset);
    }
    ASSERT_EQ(runs.count(), count);
  }
}

}  // namespace
}  // namespace mykafka::testing
