// FindRange against a naive model, whatever the sizes and the state of files, index and verification.
#include "test/segment_fixture.h"

namespace mykafka::testing {
namespace {

class SegmentLookup : public EachFormat {
 protected:
  // Random questions, some of them about the edges.
  void Ask(uint32_t seed, int questions, Wait wait = Wait::kAllowed) {
    std::mt19937 random(seed);
    const int64_t records = model.next_offset() - model.base_offset();
    for (int i = 0; i < questions && !HasFatalFailure(); ++i) {
      const int64_t offset = model.base_offset() + static_cast<int64_t>(random() % static_cast<uint64_t>(records + 1));
      int64_t max_bytes = 0;
      switch (random() % 4) {
        case 0:
          max_bytes = static_cast<int64_t>(random() % 64);
          break;
        case 1:
          max_bytes = static_cast<int64_t>(random() % 20000);
          break;
        case 2:  // exactly up to an entry's end, or one byte less or more
          max_bytes = model.PositionOf(std::min(offset + static_cast<int64_t>(random() % 50), model.next_offset())) -
                      model.PositionOf(offset) + static_cast<int64_t>(random() % 3) - 1;
          break;
        default:
          max_bytes = INT64_MAX;
      }
      int64_t bound = model.next_offset();
      if (random() % 2 == 0) bound = offset + static_cast<int64_t>(random() % 100);
      if (random() % 8 == 0) bound = INT64_MAX;
      ExpectAnswer(offset, max_bytes, bound, wait);
    }
  }
};

TEST_P(SegmentLookup, AnswersLikeTheModelWhileActive) {
  for (const uint32_t interval : {0u, 1u, 100u, 4096u, 1u << 20}) {
    SCOPED_TRACE(interval);
    options.index_interval_bytes = interval;
    Create(1000 * interval);
    FillTogether(600, interval + 7);
    Ask(interval, 1500, Wait::kNever);
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST_P(SegmentLookup, AnswersLikeTheModelBehindAReopen) {
  options.index_interval_bytes = 512;
  Create(77);
  FillTogether(600, 3);
  ASSERT_OK(segment->Seal());
  for (uint32_t seed = 0; seed < 4; ++seed) {
    OpenSealed();
    Ask(seed, 300);
    Close();
    OpenClean(0);
    Ask(seed, 300);
    Close();
    OpenRecovering(77 + 300);
    EXPECT_EQ(report.cut_position, -1);
    Ask(seed, 300);
    Close();
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST_P(SegmentLookup, SkipsLargeValuesByTheirLength) {
  Create();
  std::mt19937 random(5);
  for (int i = 0; i < 60; ++i) {
    ASSERT_OK(Append({RandomRecord(&random, i % 7 == 0 ? 300000 : 50), RandomRecord(&random, 100)}));
  }
  Ask(1, 500, Wait::kNever);
  Close();
  OpenSealed();
  Ask(2, 500);
}

INSTANTIATE_EACH_FORMAT(SegmentLookup);

}  // namespace
}  // namespace mykafka::testing
