// Entries one after another: what a scan says of each is what the description of the formats says of the bytes there,
// in whatever order it is asked; a walk over headers agrees wherever an entry is whole.
#include "core/entry_scanner.h"
#include "core/header_walk.h"
#include "fuzz/check.h"
#include "fuzz/reference.h"
#include "fuzz/segment_case.h"
#include "fuzz/targets.h"

namespace mykafka::fuzz {

namespace {

class Scan {
 public:
  Scan(const SegmentCase& segment, File& file, int64_t end)
      : segment_(segment), file_(file), format_(EntryFormat::Of(segment.format)), end_(end) {}

  // From a position, as far as entries are whole.
  void Follow(EntryScanner* scanner, int64_t from) {
    scanner->Seek(from);
    for (int entries = 0; entries < 500; ++entries) {
      FUZZ_CHECK(scanner->position() == from);
      ScannedEntry scanned;
      const Result<bool> any = scanner->Next(&scanned);
      FUZZ_OK(any.status());
      FUZZ_CHECK(*any == (from < end_));
      if (!*any) return;
      CheckEntry(*scanner, scanned, from);
      if (scanner->position() == from) return;
      from = scanner->position();
    }
  }

 private:
  void CheckEntry(const EntryScanner& scanner, const ScannedEntry& scanned, int64_t at) {
    const auto entry = reference::ReadEntry(segment_.log, segment_.format, at, end_);
    FUZZ_CHECK(scanned.position == at && EntryVerdictName(scanned.verdict) != nullptr);
    HeaderWalk walk(file_, format_, end_, segment_.interval, Wait::kAllowed);
    EntryHeader header;
    const bool walked = walk.At(at, &header);
    if (!entry) {
      FUZZ_CHECK(scanned.verdict == EntryVerdict::kTorn || scanned.verdict == EntryVerdict::kNotAnEntry);
      FUZZ_CHECK((scanned.verdict == EntryVerdict::kNotAnEntry) == (scanned.header.length == 0));
      FUZZ_CHECK(scanner.position() == at);
      // A walk does not know zeroes from a record: where it is asked, the region is verified.
      FUZZ_CHECK(!walked || (header.length == format_.smallest && scanned.verdict == EntryVerdict::kNotAnEntry));
      FUZZ_CHECK(walked || walk.status().code() == Code::kCorrupt);
      return;
    }
    FUZZ_CHECK(scanned.verdict == (entry->right ? EntryVerdict::kRight : EntryVerdict::kCrcWrong));
    FUZZ_CHECK(scanner.position() == entry->end());
    CheckHeader(scanned.header, *entry);
    FUZZ_CHECK(walked);
    CheckHeader(header, *entry);
    EntryHeader again;
    FUZZ_CHECK(walk.At(at, entry->first, &again) && walk.From(at, entry->first, &again));
    FUZZ_CHECK(!walk.From(at, entry->first + (entry->first < INT64_MAX ? 1 : 0), &again) || entry->first == INT64_MAX);
    if (segment_.format == RecordFormat::kMykafka) return FUZZ_CHECK(scanner.BytesOf(scanned) == nullptr);
    const uint8_t* expected = segment_.log.data() + at;
    FUZZ_CHECK(std::equal(expected, expected + format_.header_length, scanner.BytesOf(scanned)));
  }

  static void CheckHeader(const EntryHeader& header, const reference::Entry& entry) {
    FUZZ_CHECK(header.offset == entry.first && header.last_offset == entry.last);
    FUZZ_CHECK(header.timestamp == entry.timestamp && header.records == entry.records);
    FUZZ_CHECK(static_cast<int64_t>(header.length) == entry.length);
    FUZZ_CHECK(header.key_length == entry.key_length && header.value_length == entry.value_length);
  }

  const SegmentCase& segment_;
  File& file_;
  const EntryFormat& format_;
  const int64_t end_;
};

}  // namespace

void FuzzScan(Input input) {
  SegmentCase segment = SegmentCase::Take(&input);
  const auto files = segment.Files();
  const Result<std::shared_ptr<File>> file = files->Open(segment.Path(".log"), OpenMode::kReadOnly);
  FUZZ_OK(file.status());
  const auto size = static_cast<int64_t>(segment.log.size());
  const Result<RecordFormat> detected = DetectFormat(**file);
  FUZZ_OK(detected.status());
  FUZZ_CHECK((*detected == RecordFormat::kKafka) == (size > 16 && segment.log[16] == 2));

  Input& questions = segment.questions;
  // Nothing behind the end is looked at, be it there or not.
  const int64_t end = questions.empty() ? size : size - questions.NumberIn(0, size);
  EntryScanner scanner(**file, EntryFormat::Of(segment.format), 0, end);
  Scan scan(segment, **file, end);
  scan.Follow(&scanner, 0);
  for (int i = 0; i < 16 && !questions.empty(); ++i) scan.Follow(&scanner, questions.NumberIn(0, size));

  files->FailAt(questions.Byte());
  EntryScanner failing(**file, EntryFormat::Of(segment.format), 0, end);
  ScannedEntry scanned;
  for (int entries = 0; entries < 500; ++entries) {
    const int64_t at = failing.position();
    const Result<bool> any = failing.Next(&scanned);
    if (!any.ok()) FUZZ_CHECK(files->failed() && failing.position() == at);
    if (any.ok() && (!*any || failing.position() == at)) break;
  }
}

}  // namespace mykafka::fuzz
