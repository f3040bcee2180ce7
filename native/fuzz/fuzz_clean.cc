// Compaction of a segment whose file is any bytes: one with damage is refused, of any other the last value of each key
// is left, as it was. Batches marked as compressed have their records as they are: to decompress changes nothing.
#include <map>

#include "core/clean_writer.h"
#include "fuzz/check.h"
#include "fuzz/readable.h"
#include "fuzz/segment_case.h"
#include "fuzz/targets.h"

namespace mykafka::fuzz {

namespace {

constexpr size_t kHeader = kBatchHeaderLength;

// A record of the log, whatever the format.
struct Kept {
  int64_t offset;
  std::optional<std::string> key;
  std::optional<std::string> value;

  bool operator==(const Kept& other) const {
    return offset == other.offset && key == other.key && value == other.value;
  }
};

// Nothing where records of a batch do not parse.
std::optional<std::vector<Kept>> RecordsOf(const Bytes& log, RecordFormat format, const reference::Entry& entry) {
  const uint8_t* at = log.data() + entry.position;
  if (format == RecordFormat::kMykafka) {
    Kept kept = {entry.first, {}, {}};
    const uint8_t* value = at + 24 + std::max(entry.key_length, 0);
    if (entry.key_length >= 0) kept.key.emplace(at + 20, at + 20 + entry.key_length);
    if (entry.value_length >= 0) kept.value.emplace(value, value + entry.value_length);
    return std::vector<Kept>{kept};
  }
  const BatchHeader header = BatchHeader::Read(at);
  std::vector<Kept> all;
  if (header.control() || entry.records == 0) return all;
  const auto length = static_cast<size_t>(entry.length) - kHeader;
  const auto records = reference::ReadRecords(at + kHeader, length, header.count, false);
  if (!records) return std::nullopt;
  int64_t next = 0;
  for (const reference::Record& record : *records) {
    if (record.offset_delta < next || record.offset_delta > header.last_offset_delta) return std::nullopt;
    next = record.offset_delta + 1;
    all.push_back({entry.first + record.offset_delta, record.key, record.value});
  }
  return all;
}

class Cleaning {
 public:
  Cleaning(const SegmentCase& segment, const Readable& readable, Input* questions)
      : segment_(segment), readable_(readable), questions_(questions) {
    for (const reference::Entry& entry : readable.entries()) {
      auto records = RecordsOf(segment.log, segment.format, entry);
      if (!records) malformed_ = true;
      if (records) all_.insert(all_.end(), records->begin(), records->end());
    }
  }

  void Run() {
    const auto files = segment_.Files();
    const Result<std::shared_ptr<Segment>> opened =
        Segment::OpenSealed(segment_.Options(files), readable_.next_offset());
    FUZZ_OK(opened.status());
    const size_t map_bytes = (4 + questions_->Byte()) * OffsetMap::kSlotLength;
    cleaner_ = std::make_shared<Cleaner>(segment_.format, map_bytes, 0.9, questions_->Short());
    from_ = segment_.base + questions_->NumberIn(-1, INT32_MAX);
    to_ = std::max(
        from_, (questions_->Byte() & 1) == 0 ? INT64_MAX : segment_.base + questions_->NumberIn(0, int64_t{1} << 53));
    const Status indexed = Index(*opened);
    if (!indexed.ok()) {
      FUZZ_CHECK(indexed.code() == Code::kCorrupt);
      return FUZZ_CHECK(malformed_ || !readable_.damages().empty());
    }
    CheckMap();
    Copy(*opened, files);
  }

 private:
  static BytesView RecordsAt(const HandedOut& run, uint32_t position) {
    const uint8_t* batch = run.bytes.data() + position;
    const auto length = static_cast<size_t>(12 + reference::Int32(batch + 8));
    FUZZ_CHECK(position + length <= run.bytes.size());
    return {batch + kHeader, length - kHeader};
  }
  // The handed out batches, by one call or by one for each.
  template <typename F>
  Status EachPart(const HandedOut& run, F call) {
    std::vector<BytesView> records;
    for (const uint32_t position : run.compressed) records.push_back(RecordsAt(run, position));
    if ((questions_->Byte() & 1) == 0) return call(records);
    for (const BytesView& each : records) MYKAFKA_RETURN_IF_ERROR(call(std::vector<BytesView>{each}));
    return Status::Ok();
  }

  Status Index(const std::shared_ptr<Segment>& segment) {
    for (int64_t from = from_;;) {
      const Result<CleanStep> step = cleaner_->Index(segment, from, to_, questions_->NumberIn(1, 1 << 20));
      if (!step.ok()) return step.status();
      bool full = step->stop == CleanStop::kFull;
      FUZZ_CHECK(step->stop == CleanStop::kCompressed || step->next_offset == cleaner_->indexed_to());
      if (step->stop == CleanStop::kCompressed) {
        MYKAFKA_RETURN_IF_ERROR(EachPart(*step->run, [&](const std::vector<BytesView>& records) -> Status {
          if (full) return Status::Ok();
          const Result<CleanStep> indexed = cleaner_->IndexRecords(records);
          if (!indexed.ok()) return indexed.status();
          full = indexed->stop == CleanStop::kFull;
          return Status::Ok();
        }));
      }
      if (step->stop == CleanStop::kEnd || full) return Status::Ok();
      FUZZ_CHECK(step->next_offset > from || step->bytes_read > 0);
      from = step->next_offset;
    }
  }

  // What the map knows is what the log says of the offsets that it stands for.
  void CheckMap() {
    for (const Kept& record : all_) {
      const bool indexed = record.offset >= from_ && record.offset < std::min(to_, cleaner_->indexed_to());
      if (!record.key || !indexed) continue;
      int64_t& highest = highest_.emplace(*record.key, record.offset).first->second;
      highest = std::max(highest, record.offset);
    }
    const OffsetMap& map = cleaner_->map();
    for (const auto& [key, offset] : highest_) {
      FUZZ_CHECK(map.Find(map.HashOf(key.data(), key.size())) >= offset);
    }
    FUZZ_CHECK(map.bytes() <= std::max<size_t>(256 * 2 * OffsetMap::kSlotLength, OffsetMap::kLeastBytes));
  }

  void Copy(const std::shared_ptr<Segment>& segment, const std::shared_ptr<MemoryFileSystem>& files) {
    CleanWriterOptions options;
    options.file_system = files;
    options.directory = "/log";
    options.base_offset = segment_.base;
    options.end_offset = readable_.next_offset();
    options.index_interval_bytes = segment_.interval;
    options.now = 500;
    options.delete_horizon = INT64_MAX;
    for (const reference::Entry& entry : readable_.entries()) options.keep_empty.push_back(entry.last);
    const Result<std::shared_ptr<CleanWriter>> created = CleanWriter::Create(cleaner_, options);
    FUZZ_OK(created.status());
    CleanWriter& writer = **created;
    const int64_t drop_below = segment_.base + questions_->NumberIn(0, INT32_MAX);
    const Status copied = CopyAll(&writer, segment, drop_below);
    const bool refused = malformed_ || !readable_.damages().empty();
    FUZZ_CHECK(copied.ok() || (copied.code() == Code::kCorrupt && refused) || copied.code() == Code::kSegmentFull);
    FUZZ_CHECK(!copied.ok() || readable_.damages().empty());
    const Result<Cleaned> cleaned = writer.Finish();
    FUZZ_CHECK(cleaned.ok() == copied.ok());
    if (cleaned.ok()) CheckLeft(files->Get(writer.log_path()), *cleaned, drop_below);
    FUZZ_OK(writer.Abort());
    FUZZ_CHECK(!files->Exists(writer.log_path()) && !files->Exists(writer.index_path()));
  }

  Status CopyAll(CleanWriter* writer, const std::shared_ptr<Segment>& segment, int64_t drop_below) {
    for (int64_t from = segment_.base;;) {
      const Result<CleanStep> step = writer->Copy(segment, from, drop_below, questions_->NumberIn(1, 1 << 20));
      if (!step.ok()) return step.status();
      if (step->stop == CleanStop::kCompressed) {
        MYKAFKA_RETURN_IF_ERROR(EachPart(*step->run, [&](const std::vector<BytesView>& records) -> Status {
          const Result<FilteredRecords> left = writer->Filter(records);
          if (!left.ok()) return left.status();
          std::vector<CompressedRecords> compressed;
          size_t at = 0;
          for (const uint32_t length : left->lengths) {
            if (length > 0) compressed.push_back({{left->records.data() + at, length}, 1});
            at += length;
          }
          return compressed.empty() ? Status::Ok() : writer->Append(compressed).status();
        }));
      }
      from = step->next_offset;
      if (step->stop == CleanStop::kEnd) return Status::Ok();
      FUZZ_CHECK(step->bytes_read > 0);
    }
  }

  bool Stays(const Kept& record, int64_t drop_below) const {
    if (record.offset >= cleaner_->indexed_to()) return true;
    if (!record.key) return false;
    if (segment_.format == RecordFormat::kMykafka && !record.value && record.offset < drop_below) return false;
    const auto found = highest_.find(*record.key);
    return found == highest_.end() || record.offset >= found->second;
  }

  void CheckLeft(const Bytes& log, const Cleaned& cleaned, int64_t drop_below) {
    FUZZ_CHECK(cleaned.bytes == static_cast<int64_t>(log.size()));
    std::vector<Kept> left;
    int64_t end = 0;
    for (const reference::Entry& entry : reference::ReadChain(log, segment_.format, 0)) {
      const auto records = RecordsOf(log, segment_.format, entry);
      FUZZ_CHECK(malformed_ || records.has_value());
      if (records) left.insert(left.end(), records->begin(), records->end());
      end = entry.end();
    }
    FUZZ_CHECK(end == cleaned.bytes);
    if (malformed_ || HasHorizons()) return;
    std::vector<Kept> expected;
    for (const Kept& record : all_) {
      if (Stays(record, drop_below)) expected.push_back(record);
    }
    FUZZ_CHECK(left == expected);
    // A segment of its own, in which offsets are missing.
    SegmentCase made = segment_;
    made.sparse = true;
    made.log = log;
    const Readable again(made, readable_.next_offset());
    FUZZ_CHECK(again.damages().empty() && static_cast<int64_t>(again.entries().size()) == cleaned.entries);
  }

  // What becomes of tombstones then is batch-filter's matter.
  bool HasHorizons() const {
    if (segment_.format == RecordFormat::kMykafka) return false;
    for (const reference::Entry& entry : readable_.entries()) {
      if (BatchHeader::Read(segment_.log.data() + entry.position).has_delete_horizon()) return true;
    }
    return false;
  }

  const SegmentCase& segment_;
  const Readable& readable_;
  Input* questions_;
  std::vector<Kept> all_;
  bool malformed_ = false;  // a batch has records that do not parse
  std::shared_ptr<Cleaner> cleaner_;
  int64_t from_ = 0;
  int64_t to_ = 0;
  std::map<std::string, int64_t> highest_;
};

}  // namespace

void FuzzClean(Input input) {
  SegmentCase segment = SegmentCase::Take(&input);
  Input& questions = segment.questions;
  const int64_t next_offset = std::max(segment.base, segment.next_offset + questions.NumberIn(0, 255));
  const Readable readable(segment, next_offset);
  Cleaning(segment, readable, &questions).Run();
}

}  // namespace mykafka::fuzz
