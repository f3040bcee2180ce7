// A start on any bytes: nothing is cut below the recovery point, what is cut is kept, what is left is right up to its
// end, a second start changes nothing, and appends go on behind it.
#include "core/segment.h"
#include "fuzz/check.h"
#include "fuzz/readable.h"
#include "fuzz/segment_case.h"
#include "fuzz/targets.h"

namespace mykafka::fuzz {

namespace {

void CheckReport(const SegmentCase& before, const SegmentCase& after, const RecoveryReport& report,
                 MemoryFileSystem* files, int64_t recovery_point) {
  FUZZ_CHECK(report.next_offset >= std::max(before.base, recovery_point));
  const bool cut = report.cut_position >= 0;
  const auto size = static_cast<int64_t>(before.log.size());
  FUZZ_CHECK(static_cast<int64_t>(after.log.size()) == (cut ? report.cut_position : size));
  FUZZ_CHECK(std::equal(after.log.begin(), after.log.end(), before.log.begin()));
  if (!cut) return;
  FUZZ_CHECK(!report.damaged_tail && report.cut_length == size - report.cut_position);
  FUZZ_CHECK(report.next_offset >= recovery_point);
  const Bytes aside = files->Get(report.cut_path);
  FUZZ_CHECK(std::equal(aside.begin(), aside.end(), before.log.begin() + report.cut_position, before.log.end()));
}

void CheckAppends(Segment* segment, RecordFormat format) {
  if (format != RecordFormat::kMykafka) return;
  const Bytes packed = {0, 0, 0, 1, 'k', 0xff, 0xff, 0xff, 0xff};
  const PackedBatch batch = {packed.data(), packed.size(), 1, 5};
  const int64_t offset = segment->next_offset();
  const int64_t size = segment->size();
  const Status appended = segment->Append(&batch, 1, offset);
  if (!appended.ok()) return FUZZ_CHECK(appended.code() == Code::kSegmentFull);
  const Result<Range> found = segment->FindRange(offset, 1, INT64_MAX, Wait::kAllowed);
  FUZZ_OK(found.status());
  FUZZ_CHECK(found->position == size && found->length == 29 && found->first_offset == offset);
  FUZZ_OK(segment->Sync());
  FUZZ_CHECK(segment->synced_size() == segment->size());
}

}  // namespace

void FuzzRecovery(Input input) {
  SegmentCase segment = SegmentCase::Take(&input);
  Input& questions = segment.questions;
  const uint8_t kind = questions.Byte();
  const int64_t recovery_point = segment.base + questions.NumberIn(0, INT64_MAX / 4);
  const bool clean = (kind & 1) != 0;
  const auto open = clean ? Segment::OpenClean : Segment::OpenRecovering;
  const auto files = segment.Files();
  const SegmentOptions options = segment.Options(files);

  // First with an operation that fails: it may fail, but not do harm.
  if ((kind & 2) != 0) {
    files->FailAt(questions.Byte());
    RecoveryReport report;
    const Result<std::shared_ptr<Segment>> failing = open(options, recovery_point, &report);
    FUZZ_CHECK(failing.ok() || files->failed());
    files->FailAt(0);
    const Bytes left = files->Get(segment.Path(".log"));
    FUZZ_CHECK(left.size() <= segment.log.size() && std::equal(left.begin(), left.end(), segment.log.begin()));
    segment.log = left;
  }
  RecoveryReport report;
  Result<std::shared_ptr<Segment>> opened = open(options, recovery_point, &report);
  FUZZ_OK(opened.status());
  SegmentCase after = segment;
  after.log = files->Get(segment.Path(".log"));
  CheckReport(segment, after, report, files.get(), recovery_point);
  FUZZ_CHECK(!clean || report.cut_position < 0);
  FUZZ_CHECK(report.next_offset == (*opened)->next_offset());

  FUZZ_OK((*opened)->Verify());
  const Readable readable(after, report.next_offset);
  const bool whole = (*opened)->damages().empty();
  FUZZ_CHECK(whole == readable.damages().empty());
  for (int i = 0; i < 8 && !questions.empty(); ++i) {
    const int64_t offset = segment.base + questions.NumberIn(-1, INT32_MAX);
    const int64_t max_bytes = questions.Number();
    const Result<Range> found = (*opened)->FindRange(offset, max_bytes, INT64_MAX, Wait::kAllowed);
    if (whole) FUZZ_CHECK(Describe(found) == readable.Answer(offset, max_bytes, INT64_MAX));
  }
  (*opened)->Close();

  RecoveryReport second;
  opened = open(options, recovery_point, &second);
  FUZZ_OK(opened.status());
  FUZZ_CHECK(second.next_offset == report.next_offset && second.cut_position < 0);
  FUZZ_CHECK(second.damaged_tail == report.damaged_tail);
  FUZZ_CHECK(files->Get(segment.Path(".log")) == after.log);
  if (!second.damaged_tail) CheckAppends(opened->get(), segment.format);
  (*opened)->Close();

  RecoveryReport aside;
  FUZZ_OK(Segment::SetAside(options, &aside));
  FUZZ_CHECK(!files->Exists(segment.Path(".log")) && files->Exists(aside.cut_path));
  FUZZ_CHECK(!files->Exists(segment.Path(".index")) && !files->Exists(segment.Path(".timeindex")));
}

}  // namespace mykafka::fuzz
