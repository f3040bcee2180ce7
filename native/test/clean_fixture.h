// A log of a few segments, the log cleaner over it, and a reading of what it leaves that is the tests' own.
#ifndef MYKAFKA_TEST_CLEAN_FIXTURE_H_
#define MYKAFKA_TEST_CLEAN_FIXTURE_H_

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/clean_writer.h"
#include "core/cleaner.h"
#include "test/batch_vectors.h"
#include "test/segment_fixture.h"

namespace mykafka::testing {

// A record as it stands in a log.
struct StoredRecord {
  int64_t offset;
  std::optional<std::string> key;
  std::optional<std::string> value;

  bool operator==(const StoredRecord& other) const {
    return offset == other.offset && key == other.key && value == other.value;
  }
};

inline std::ostream& operator<<(std::ostream& out, const StoredRecord& record) {
  return out << record.offset << " " << record.key.value_or("(null)") << "=" << record.value.value_or("(null)");
}

// Reads a log file from the formats' description, with nothing of the core's. Checks lengths and CRCs.
class LogReading {
 public:
  LogReading(const Bytes& bytes, RecordFormat format) : bytes_(bytes) {
    while (at_ < bytes_.size() && !::testing::Test::HasFailure()) {
      positions_.push_back({static_cast<int64_t>(GetBig(bytes_, at_, 8)), at_});
      if (format == RecordFormat::kMykafka) {
        ReadRecord();
      } else {
        ReadBatch();
      }
    }
  }

  const std::vector<StoredRecord>& records() const { return records_; }
  // Of each entry: its offset and where it begins.
  const std::vector<std::pair<int64_t, size_t>>& positions() const { return positions_; }

 private:
  std::optional<std::string> Text(int64_t length) {
    if (length < 0) return std::nullopt;
    std::string text(bytes_.begin() + static_cast<int64_t>(at_), bytes_.begin() + static_cast<int64_t>(at_) + length);
    at_ += static_cast<size_t>(length);
    return text;
  }
  int32_t Int32() {
    at_ += 4;
    return static_cast<int32_t>(GetBig(bytes_, at_ - 4, 4));
  }
  int64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const uint8_t byte = bytes_[at_++];
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
  }

  void ReadRecord() {
    const size_t begin = at_;
    StoredRecord record;
    record.offset = static_cast<int64_t>(GetBig(bytes_, at_, 8));
    at_ += 16;
    record.key = Text(Int32());
    record.value = Text(Int32());
    EXPECT_EQ(ModelCrc(bytes_.data() + begin, at_ - begin), GetBig(bytes_, at_, 4));
    at_ += 4;
    records_.push_back(record);
  }

  void ReadBatch() {
    const size_t begin = at_;
    const size_t end = begin + 12 + GetBig(bytes_, begin + 8, 4);
    ASSERT_LE(end, bytes_.size());
    EXPECT_EQ(bytes_[begin + 16], 2);
    EXPECT_EQ(ModelCrc(bytes_.data() + begin + 21, end - begin - 21, 0x82F63B78u), GetBig(bytes_, begin + 17, 4));
    at_ = begin + 57;
    for (int32_t count = Int32(); count > 0; --count) {
      const int64_t length = Varint();
      const size_t record_end = at_ + static_cast<size_t>(length);
      ++at_;  // attributes
      Varint();
      StoredRecord record;
      record.offset = static_cast<int64_t>(GetBig(bytes_, begin, 8)) + Varint();
      record.key = Text(Varint());
      record.value = Text(Varint());
      at_ = record_end;
      records_.push_back(record);
    }
    EXPECT_EQ(at_, end);
  }

  const Bytes& bytes_;
  size_t at_ = 0;
  std::vector<StoredRecord> records_;
  std::vector<std::pair<int64_t, size_t>> positions_;
};

class CleanFixture : public EachFormat {
 protected:
  static constexpr int64_t kNow = 1800000000000;
  static constexpr int64_t kHorizon = kNow + 1000;
  static constexpr int64_t kAll = INT64_MAX;

  CleanFixture() {
    writer_options.directory = directory.path();
    writer_options.file_system = FileSystem::Posix();
    writer_options.now = kNow;
    writer_options.delete_horizon = kHorizon;
    NewCleaner();
  }

  void NewCleaner(size_t map_bytes = 1 << 20) { cleaner = std::make_shared<Cleaner>(GetParam(), map_bytes, 0.9); }

  // The segment there is becomes one of the log; a new one begins behind it.
  void Roll() {
    ASSERT_OK(segment->Seal());
    segments.push_back(segment);
    models.push_back(model);
    Create(model.next_offset());
  }
  // A record, as an entry of its own or together with others.
  void Write(const std::vector<ModelRecord>& records) { ASSERT_OK(Append(records)); }

  int64_t End() const { return segments.back()->next_offset(); }

  // Pass 1 over the segments rolled, in steps of a few bytes.
  CleanStep Index(int64_t from = 0, int64_t to = kAll, int64_t budget = 500) {
    CleanStep step;
    step.next_offset = from;
    for (const auto& each : segments) {
      if (each->next_offset() <= from || each->base_offset() >= to) continue;
      do {
        Result<CleanStep> result = cleaner->Index(each, step.next_offset, to, budget);
        EXPECT_TRUE(result.ok()) << Describe(result.status());
        if (!result.ok()) return step;
        step = *result;
      } while (step.stop == CleanStop::kBudget);
      if (step.stop != CleanStop::kEnd) break;
    }
    return step;
  }

  void OpenWriter(size_t first = 0, size_t last = SIZE_MAX) {
    last = std::min(last, segments.size() - 1);
    writer_options.base_offset = segments[first]->base_offset();
    writer_options.end_offset = copied_to = segments[last]->next_offset();
    Result<std::shared_ptr<CleanWriter>> created = CleanWriter::Create(cleaner, writer_options);
    ASSERT_OK(created.status());
    writer = *created;
  }

  // Pass 2 over segments of the group.
  Status Copy(const std::shared_ptr<Segment>& from, int64_t drop_tombstones_below = 0, int64_t budget = 500) {
    int64_t offset = from->base_offset();
    for (;;) {
      Result<CleanStep> step = writer->Copy(from, offset, drop_tombstones_below, budget);
      if (!step.ok()) return step.status();
      offset = step->next_offset;
      if (step->stop == CleanStop::kEnd) return Status::Ok();
      EXPECT_EQ(step->stop, CleanStop::kBudget);
      EXPECT_GE(step->bytes_read, budget);
    }
  }

  void CleanAll(int64_t drop_tombstones_below = 0) {
    OpenWriter();
    for (const auto& each : segments) ASSERT_OK(Copy(each, drop_tombstones_below));
    Finish();
  }

  void Finish() {
    Result<Cleaned> result = writer->Finish();
    ASSERT_OK(result.status());
    cleaned = *result;
    bytes = ReadFile(writer->log_path());
    ASSERT_EQ(cleaned.bytes, static_cast<int64_t>(bytes.size()));
    ExpectIndexRight();
  }

  std::vector<StoredRecord> Left() const { return LogReading(bytes, GetParam()).records(); }

  // The index by the rule, over what the file holds.
  void ExpectIndexRight() {
    Bytes expected;
    int64_t last = -1;
    const LogReading reading(bytes, GetParam());
    EXPECT_EQ(cleaned.entries, static_cast<int64_t>(reading.positions().size()));
    for (const auto& [offset, position] : reading.positions()) {
      const auto at = static_cast<int64_t>(position);
      if (last >= 0 && at - last < writer_options.index_interval_bytes) continue;
      last = at;
      PutBig(&expected, static_cast<uint64_t>(offset - writer_options.base_offset), 4);
      PutBig(&expected, position, 4);
    }
    EXPECT_EQ(ReadFile(writer->index_path()), expected);
    std::string times_path = writer->index_path();
    times_path.replace(times_path.rfind(".index"), 1, ".time");
    ASSERT_EQ(Exists(times_path), cleaned.entries > 0);
    if (cleaned.entries == 0) return;
    const Bytes times = ReadFile(times_path);
    ASSERT_GE(times.size(), 12u);
    // What closes it speaks of the whole group, as far as it was copied.
    EXPECT_EQ(static_cast<int64_t>(GetBig(times, times.size() - 12, 8)), cleaned.largest_timestamp);
    EXPECT_EQ(static_cast<int64_t>(GetBig(times, times.size() - 4, 4)), copied_to - 1 - writer_options.base_offset);
  }

  std::string Path(int64_t base, const char* suffix) const {
    char name[24];
    snprintf(name, sizeof name, "%020lld", static_cast<long long>(base));
    return directory / (std::string(name) + suffix);
  }
  using SegmentFixture::Path;

  std::vector<std::shared_ptr<Segment>> segments;
  std::vector<ModelLog> models;
  std::shared_ptr<Cleaner> cleaner;
  CleanWriterOptions writer_options;
  std::shared_ptr<CleanWriter> writer;
  int64_t copied_to = 0;  // what a test will have copied when it finishes
  Cleaned cleaned;
  Bytes bytes;
};

}  // namespace mykafka::testing

#endif  // MYKAFKA_TEST_CLEAN_FIXTURE_H_
