// A segment in a directory of its own, beside a model of what its log should hold.
#ifndef MYKAFKA_TEST_SEGMENT_FIXTURE_H_
#define MYKAFKA_TEST_SEGMENT_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/segment.h"
#include "test/log_model.h"
#include "test/temporary_directory.h"

namespace mykafka::testing {

inline std::string Describe(const Status& status) {
  return std::string(CodeName(status.code())) + " " + status.message();
}

#define ASSERT_OK(expr)                                                                 \
  do {                                                                                  \
    const ::mykafka::Status status_of_expr_ = (expr);                                   \
    ASSERT_TRUE(status_of_expr_.ok()) << ::mykafka::testing::Describe(status_of_expr_); \
  } while (0)

class SegmentFixture : public ::testing::Test {
 protected:
  SegmentFixture() {
    options.file_system = FileSystem::Posix();
    options.directory = directory.path();
  }

  std::string Path(const char* suffix) const {
    char name[24];
    snprintf(name, sizeof name, "%020lld", static_cast<long long>(options.base_offset));
    return directory / (std::string(name) + suffix);
  }

  void Create(int64_t base_offset = 0) {
    options.base_offset = base_offset;
    model = ModelLog(base_offset, options.record_format);
    Result<std::shared_ptr<Segment>> created = Segment::Create(options);
    ASSERT_OK(created.status());
    segment = *created;
  }

  Status Append(const std::vector<ModelRecord>& records) {
    const Bytes bytes = model.ToAppend(records);
    const PackedBatch batch = {bytes.data(), bytes.size(), static_cast<uint32_t>(records.size()), AppendTime()};
    Status status = segment->Append(&batch, 1, model.next_offset());
    if (status.ok()) model.AddTogether(records);
    return status;
  }

  int64_t AppendTime() const { return model.format() == RecordFormat::kKafka ? -1 : model.timestamp(); }

  // `count` entries of one record, of a few sizes, the same for the same seed.
  void Fill(int count, uint32_t seed = 1, size_t largest_value = 300) {
    std::mt19937 random(seed);
    for (int i = 0; i < count; ++i) ASSERT_OK(Append({RandomRecord(&random, largest_value)}));
  }

  // `count` records in appends of one to five.
  void FillTogether(int count, uint32_t seed, size_t largest_value = 300) {
    std::mt19937 random(seed);
    while (count > 0) {
      std::vector<ModelRecord> records;
      for (uint32_t more = 1 + random() % 5; more > 0 && count > 0; --more, --count) {
        records.push_back(RandomRecord(&random, largest_value));
      }
      ASSERT_OK(Append(records));
    }
  }

  static ModelRecord RandomRecord(std::mt19937* random, size_t largest_value) {
    ModelRecord record;
    if ((*random)() % 4 != 0) record.key = "key-" + std::to_string((*random)() % 1000);
    if ((*random)() % 10 != 0) {
      std::string value((*random)() % (largest_value + 1), ' ');
      for (char& letter : value) letter = static_cast<char>((*random)());
      record.value = value;
    }
    return record;
  }

  // Closes the segment, so that the files can be changed by hand.
  void Close() {
    segment->Close();
    segment.reset();
  }

  void OpenSealed() {
    Result<std::shared_ptr<Segment>> opened = Segment::OpenSealed(options, model.next_offset());
    ASSERT_OK(opened.status());
    segment = *opened;
  }
  void OpenClean(int64_t recovery_point) {
    Result<std::shared_ptr<Segment>> opened = Segment::OpenClean(options, recovery_point, &report);
    ASSERT_OK(opened.status());
    segment = *opened;
  }
  void OpenRecovering(int64_t recovery_point) {
    Result<std::shared_ptr<Segment>> opened = Segment::OpenRecovering(options, recovery_point, &report);
    ASSERT_OK(opened.status());
    segment = *opened;
  }

  // What the file holds at the range.
  Bytes BytesOf(const Range& range) {
    Bytes bytes(static_cast<size_t>(range.length));
    Result<size_t> got = segment->Read(bytes.data(), bytes.size(), range.position, Wait::kAllowed);
    EXPECT_TRUE(got.ok() && *got == bytes.size());
    return bytes;
  }

  // One question, whose answer the model knows.
  void ExpectAnswer(int64_t offset, int64_t max_bytes, int64_t upper_bound, Wait wait = Wait::kAllowed) {
    SCOPED_TRACE("offset " + std::to_string(offset) + " max " + std::to_string(max_bytes) + " bound " +
                 std::to_string(upper_bound));
    Result<Range> range = segment->FindRange(offset, max_bytes, upper_bound, wait);
    ASSERT_TRUE(range.ok()) << Describe(range.status());
    const int64_t first = model.FirstOf(offset);
    const int64_t end = model.AnswerEnd(offset, max_bytes, upper_bound);
    ASSERT_EQ(range->length, model.PositionOf(end) - model.PositionOf(first));
    ASSERT_EQ(range->count, end - first);
    if (end == first) return;
    ASSERT_EQ(range->position, model.PositionOf(first));
    ASSERT_EQ(range->first_offset, first);
    ASSERT_EQ(range->last_offset, end - 1);
    ASSERT_TRUE(BytesOf(*range) == model.Slice(first, end)) << "other bytes";
  }

  // Every entry is found and right, one by one.
  void ExpectAllRight(Wait wait = Wait::kAllowed) {
    for (int64_t offset = model.base_offset(); offset < model.next_offset(); ++offset) {
      ExpectAnswer(offset, 1, model.next_offset(), wait);
      if (HasFatalFailure()) return;
    }
  }

  void ExpectCorrupt(int64_t offset) {
    EXPECT_EQ(segment->FindRange(offset, 1, model.next_offset(), Wait::kAllowed).status().code(), Code::kCorrupt)
        << "offset " << offset;
  }

  TemporaryDirectory directory;
  SegmentOptions options;
  std::shared_ptr<Segment> segment;
  ModelLog model;
  RecoveryReport report;
};

// The same tests for logs of both formats.
class EachFormat : public SegmentFixture, public ::testing::WithParamInterface<RecordFormat> {
 protected:
  EachFormat() { options.record_format = GetParam(); }
  static bool Batches() { return GetParam() == RecordFormat::kKafka; }
  // A batch's leader epoch may be anything: nothing notices a change.
  static bool Unchecked(int64_t byte) { return Batches() && byte >= 12 && byte < 16; }
  // One record as it stands in a log.
  static Bytes Stored(const ModelRecord& record, int64_t offset, int64_t timestamp) {
    return Batches() ? EncodeBatch({record}, offset, timestamp) : Encode(record, offset, timestamp);
  }
};

#define INSTANTIATE_EACH_FORMAT(suite)                                                                      \
  INSTANTIATE_TEST_SUITE_P(Formats, suite, ::testing::Values(RecordFormat::kMykafka, RecordFormat::kKafka), \
                           [](const auto& info) { return info.param == RecordFormat::kKafka ? "Kafka" : "Mykafka"; })

}  // namespace mykafka::testing

#endif  // MYKAFKA_TEST_SEGMENT_FIXTURE_H_
