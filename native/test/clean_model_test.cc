// Random logs, cleaned again and again in random groups with maps of random sizes, against a model that has every
// record.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <random>

#include "test/clean_fixture.h"

namespace mykafka::testing {
namespace {

// What the model knows of a record in the log.
struct Living {
  StoredRecord record;
  int64_t batch;  // its entry's first offset
};

class CleanModel : public CleanFixture {
 protected:
  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>(random_() % bound); }

  ModelRecord AnyRecord() {
    ModelRecord record;
    if (Below(12) != 0) record.key = "key-" + std::to_string(Below(keys_));
    if (Below(5) != 0) record.value = std::string(Below(120), static_cast<char>('a' + Below(26)));
    return record;
  }

  void Grow() {
    Create(next_);
    for (uint32_t appends = 1 + Below(30); appends > 0; --appends) {
      std::vector<ModelRecord> records;
      for (uint32_t count = 1 + Below(6); count > 0; --count) records.push_back(AnyRecord());
      const int64_t batch = next_;
      Write(records);
      for (const ModelRecord& record : records) {
        living_.push_back({{next_, record.key, record.value}, Batches() ? batch : next_});
        if (record.key) last_[*record.key] = record.value;
        ++next_;
      }
    }
    ASSERT_OK(segment->Seal());
    segments.push_back(segment);
  }

  // One run from where the last one ended.
  void Clean() {
    now_ += Below(1500);
    writer_options.now = now_;
    writer_options.delete_horizon = now_ + 1000;
    NewCleaner((4 + Below(2 * keys_)) * OffsetMap::kSlotLength);
    const int64_t from = Below(4) == 0 ? 0 : known_to_;
    const CleanStep step = Index(from, kAll, 1 + Below(3000));
    known_to_ = step.next_offset;
    ASSERT_EQ(step.stop == CleanStop::kEnd, known_to_ == next_);
    const int64_t drop_below = Below(2) == 0 ? 0 : from;
    Forget(from, drop_below);

    std::vector<std::shared_ptr<Segment>> cleaned_segments;
    for (size_t first = 0; first < segments.size();) {
      const size_t last = std::min<size_t>(first + Below(4), segments.size() - 1);
      OpenWriter(first, last);
      for (size_t i = first; i <= last; ++i) ASSERT_OK(Copy(segments[i], drop_below, 1 + Below(3000)));
      Finish();
      ExpectLiving();
      // The files take the place of the group's.
      SegmentOptions swapped = options;
      swapped.base_offset = writer_options.base_offset;
      swapped.sparse = true;
      for (size_t i = first; i <= last; ++i) segments[i]->Close();
      ASSERT_OK(FileSystem::Posix()->Rename(writer->log_path(), segments[first]->log_path()));
      (void)FileSystem::Posix()->Unlink(Path(swapped.base_offset, ".timeindex"));
      (void)FileSystem::Posix()->Rename(Path(swapped.base_offset, ".timeindex.cleaned"),
                                        Path(swapped.base_offset, ".timeindex"));
      Result<std::shared_ptr<Segment>> opened = Segment::OpenSealed(swapped, writer_options.end_offset);
      ASSERT_OK(opened.status());
      // Its time index is taken for what it is.
      EXPECT_TRUE((*opened)->LoadTimestamps().ok());
      EXPECT_EQ((*opened)->largest_timestamp(), cleaned.largest_timestamp);
      cleaned_segments.push_back(*opened);
      first = last + 1;
    }
    segments = cleaned_segments;
  }

  // What a run takes out of the log, by the rules.
  void Forget(int64_t from, int64_t drop_below) {
    std::map<std::string, int64_t> highest;
    for (const Living& each : living_) {
      const StoredRecord& record = each.record;
      if (record.key && record.offset >= from && record.offset < known_to_) highest[*record.key] = record.offset;
    }
    std::vector<Living> left;
    std::map<int64_t, int64_t> horizons = horizons_;
    for (const Living& each : living_) {
      const StoredRecord& record = each.record;
      const bool tombstone = !record.value;
      if (record.offset < known_to_) {
        if (!record.key || (highest.count(*record.key) > 0 && record.offset < highest[*record.key])) continue;
        if (tombstone && Batches()) {
          const auto horizon = horizons_.find(each.batch);
          if (horizon != horizons_.end() && horizon->second <= now_) continue;
          horizons.emplace(each.batch, now_ + 1000);
        } else if (tombstone && record.offset < drop_below) {
          continue;
        }
      }
      left.push_back(each);
    }
    horizons_ = horizons;
    living_ = left;
  }

  // The group just written holds what the model has of it.
  void ExpectLiving() {
    std::vector<StoredRecord> expected;
    for (const Living& each : living_) {
      const int64_t offset = each.record.offset;
      if (offset >= writer_options.base_offset && offset < writer_options.end_offset) expected.push_back(each.record);
    }
    ASSERT_EQ(Left(), expected);
  }

  // Read as a consumer does, the log says what the last value of each key is.
  void ExpectLastValues() {
    std::map<std::string, std::optional<std::string>> seen;
    for (const Living& each : living_) {
      if (each.record.key) seen[*each.record.key] = each.record.value;
    }
    for (const auto& [key, value] : last_) {
      const auto found = seen.find(key);
      ASSERT_EQ(found == seen.end() ? std::nullopt : found->second, value) << key;
    }
  }

  std::mt19937 random_;
  uint32_t keys_ = 1;
  int64_t next_ = 0;
  int64_t known_to_ = 0;  // of the last run
  int64_t now_ = kNow;
  std::vector<Living> living_;
  std::map<std::string, std::optional<std::string>> last_;
  std::map<int64_t, int64_t> horizons_;  // of batches
};
INSTANTIATE_EACH_FORMAT(CleanModel);

TEST_P(CleanModel, EveryRunLeavesWhatTheModelSays) {
  for (uint32_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    segments.clear();
    for (const auto& file : std::filesystem::directory_iterator(directory.path())) std::filesystem::remove(file);
    living_.clear();
    last_.clear();
    horizons_.clear();
    next_ = 0;
    known_to_ = 0;
    random_.seed(seed);
    keys_ = 2 + Below(150);
    writer_options.index_interval_bytes = 1 + Below(2000);
    for (int round = 0; round < 12; ++round) {
      for (uint32_t more = 1 + Below(3); more > 0; --more) Grow();
      Clean();
      ExpectLastValues();
      if (HasFailure()) return;
    }
    EXPECT_LT(living_.size(), static_cast<size_t>(next_));
  }
}

}  // namespace
}  // namespace mykafka::testing
