// Seeded rounds of random harm to log and index: whatever is served is right, and what was not touched is
// served. (Where right entries were written to a wrong place, a neighbour may be lost with them: nothing
// tells which of two stands where it should.)
#include <algorithm>
#include <tuple>

#include "test/segment_fixture.h"

namespace mykafka::testing {
namespace {

class RandomDamage : public SegmentFixture, public ::testing::WithParamInterface<std::tuple<RecordFormat, uint32_t>> {
 protected:
  RandomDamage() : random_(std::get<1>(GetParam())) {
    options.record_format = std::get<0>(GetParam());
    options.index_interval_bytes = 128u << (std::get<1>(GetParam()) % 4);
  }

  static bool Batches() { return std::get<0>(GetParam()) == RecordFormat::kKafka; }
  int64_t Below(int64_t end) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(end)); }

  void Make() {
    Create(Below(1000));
    const int count = static_cast<int>(20 + Below(100));
    for (int i = 0; i < count; ++i) {
      ModelRecord record = RandomRecord(&random_, i % 9 == 0 ? 3000 : 80);
      if (i % 11 == 5) {  // a value that holds entries of this very log
        const int64_t from = model.base_offset() + Below(model.next_offset() - model.base_offset());
        const Bytes copy = model.Slice(from, model.NextOf(std::min(from + Below(5), model.next_offset() - 1)));
        record.value = "copied: " + std::string(copy.begin(), copy.end());
      }
      // In batches, where the format has them.
      std::vector<ModelRecord> records = {record};
      for (int64_t more = Below(4); more > 0; --more) records.push_back(RandomRecord(&random_, 40));
      ASSERT_OK(Append(records));
    }
    ASSERT_OK(segment->Seal());
    Close();
    touched_.assign(static_cast<size_t>(model.next_offset() - model.base_offset()), false);
  }

  void Touch(int64_t begin, int64_t end) {
    for (size_t i = 0; i < touched_.size(); ++i) {
      const int64_t offset = model.base_offset() + static_cast<int64_t>(i);
      if (model.PositionOf(offset) < end && model.PositionOf(model.NextOf(offset)) > begin) touched_[i] = true;
    }
  }

  void HarmLog() {
    Bytes log = model.bytes();
    misplaced_ = false;
    for (int64_t harms = Below(4); harms > 0; --harms) {
      const int64_t begin = Below(model.size());
      int64_t end = begin + 1;
      switch (random_() % 4) {
        case 0:
          log[static_cast<size_t>(begin)] ^= static_cast<uint8_t>(1u << (random_() % 8));
          break;
        case 1:
          end = std::min(begin + Below(500), model.size());
          std::fill(log.begin() + begin, log.begin() + end, 0);
          break;
        case 2:
          end = std::min(begin + Below(500), model.size());
          std::generate(log.begin() + begin, log.begin() + end, [&] { return static_cast<uint8_t>(random_()); });
          break;
        default:  // a block that went to the wrong place
          misplaced_ = true;
          end = std::min(begin + Below(300), model.size());
          std::copy_n(model.bytes().begin() + Below(model.size() - (end - begin)), end - begin, log.begin() + begin);
      }
      Touch(begin, end);
    }
    // Nothing notices a change of a batch's leader epoch.
    for (int64_t at = model.base_offset(); Batches() && at < model.next_offset(); at = model.NextOf(at)) {
      std::copy_n(model.bytes().begin() + model.PositionOf(at) + 12, 4, log.begin() + model.PositionOf(at) + 12);
    }
    if (random_() % 3 == 0) {
      const int64_t end = Below(model.size() + 1);
      Touch(end, model.size());
      log.resize(static_cast<size_t>(end));
    }
    WriteFile(Path(".log"), log);
  }

  void HarmIndex() {
    Bytes index = model.Index(options.index_interval_bytes);
    switch (random_() % 4) {
      case 0:
        return;
      case 1:
        index.resize(random_() % (index.size() + 1));
        break;
      case 2:
        for (int i = 0; i < 5; ++i) index[random_() % index.size()] = static_cast<uint8_t>(random_());
        break;
      default:
        std::fill(index.begin(), index.end(), 0);
    }
    WriteFile(Path(".index"), index);
  }

  // Every offset below `next`, in random order, in ranges of random size.
  void ExpectNothingWrong(int64_t next) {
    std::vector<int64_t> offsets;
    for (int64_t offset = model.base_offset(); offset < next; ++offset) offsets.push_back(offset);
    std::shuffle(offsets.begin(), offsets.end(), random_);
    for (const int64_t offset : offsets) {
      Result<Range> range = segment->FindRange(offset, Below(2000), next, Wait::kAllowed);
      if (!range.ok()) {
        ASSERT_EQ(range.status().code(), Code::kCorrupt) << Describe(range.status());
        const bool touched = touched_[static_cast<size_t>(offset - model.base_offset())];
        ASSERT_TRUE(touched || misplaced_) << "offset " << offset << " was not touched";
        continue;
      }
      if (range->length == 0) {  // the bound lies inside of its batch
        ASSERT_GT(model.NextOf(offset), next);
        continue;
      }
      const int64_t first = model.FirstOf(offset);
      ASSERT_EQ(range->first_offset, first);
      ASSERT_LE(range->last_offset, next - 1);
      ASSERT_EQ(range->count, range->last_offset - first + 1);
      ASSERT_TRUE(BytesOf(*range) == model.Slice(first, range->last_offset + 1)) << "offset " << offset;
    }
  }

  std::mt19937 random_;
  std::vector<bool> touched_;
  bool misplaced_ = false;
};

TEST_P(RandomDamage, NeverServesAWrongByteNorHidesARightOne) {
  for (int round = 0; round < 10; ++round) {
    SCOPED_TRACE(round);
    Make();
    HarmLog();
    HarmIndex();
    OpenSealed();
    ExpectNothingWrong(model.next_offset());
    ASSERT_FALSE(HasFatalFailure());
    ASSERT_OK(segment->Verify());
    ExpectNothingWrong(model.next_offset());
    ASSERT_FALSE(HasFatalFailure());
    Close();

    OpenClean(model.base_offset() + Below(static_cast<int64_t>(touched_.size()) + 1));
    ExpectNothingWrong(std::min(segment->next_offset(), model.next_offset()));
    ASSERT_FALSE(HasFatalFailure());
    Close();

    const int64_t recovery_point = model.base_offset() + Below(static_cast<int64_t>(touched_.size()) + 1);
    OpenRecovering(recovery_point);
    ASSERT_GE(segment->next_offset(), std::min(recovery_point, model.next_offset()));
    ExpectNothingWrong(std::min(segment->next_offset(), model.next_offset()));
    ASSERT_FALSE(HasFatalFailure());
    Close();
    for (const auto& file : std::filesystem::directory_iterator(directory.path())) std::filesystem::remove(file);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomDamage,
                         ::testing::Combine(::testing::Values(RecordFormat::kMykafka, RecordFormat::kKafka),
                                            ::testing::Range(1u, 21u)),
                         [](const auto& info) {
                           const bool batches = std::get<0>(info.param) == RecordFormat::kKafka;
                           return (batches ? "Kafka" : "Mykafka") + std::to_string(std::get<1>(info.param));
                         });

}  // namespace
}  // namespace mykafka::testing
