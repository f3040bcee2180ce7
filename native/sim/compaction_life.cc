#include "sim/compaction_life.h"

#include <errno.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/cleaner.h"
#include "sim/checks.h"
#include "sim/said.h"

namespace mykafka::sim {

namespace {

constexpr size_t kMapBytes = 1 << 14;
constexpr int64_t kNow = 1800000000000;

}  // namespace

CompactionLife::CompactionLife(uint64_t seed, bool fails, std::vector<std::string>* trace)
    : random_(seed),
      fails_(fails),
      disk_(&random_),
      file_system_(std::make_shared<SimulatedFileSystem>(&disk_, &random_)),
      ledger_(random_.OneIn(2) ? RecordFormat::kKafka : RecordFormat::kMykafka, &random_) {
  file_system_->Trace(trace);
  options_.segment.file_system = file_system_;
  options_.segment.directory = "/log";
  options_.segment.record_format = ledger_.format();
  options_.segment.index_interval_bytes = random_.Between(1, 600);
  options_.segment.index_max_bytes = 4096;
  options_.segment_bytes = random_.Between(500, 4000);
}

std::string CompactionLife::PathOf(const char* ending) const {
  const std::string log = LogName(0);
  return "/log/" + log.substr(0, log.size() - 4) + ending;
}

void CompactionLife::Run(Tally* tally) {
  Fill();
  Choose();
  tally->synced += ledger_.end();
  tally->written += ledger_.end();
  file_system_->DieAt(static_cast<int>(random_.Between(1, 40)));
  if (fails_ && random_.Percent(70)) {
    const auto operation = static_cast<Operation>(random_.Below(kOperations));
    file_system_->FailAt(operation, static_cast<int>(random_.Between(1, 5)), random_.OneIn(2) ? EIO : ENOSPC);
    ++tally->failures;
  }
  const Status cleaned = Clean();
  if (!cleaned.ok()) {
    Require(file_system_->dead() || file_system_->failed() > 0, "compaction fails: ", Said(cleaned));
    if (!file_system_->dead()) GoOn();
  }
  partition_.reset();
  file_system_->Restart(random_.Percent(80));
  ++tally->crashes;
  CheckLeft(tally);
}

void CompactionLife::Fill() {
  partition_ = std::make_unique<Partition>(options_, &disk_);
  Require(partition_->Open(0, true).ok(), "a new log cannot be made");
  BatchShape shape;
  // Batches that lose some of their records are written anew: other tests know those.
  shape.most_records = ledger_.format() == RecordFormat::kKafka ? 1 : 5;
  shape.nulls = ledger_.format() == RecordFormat::kMykafka;
  const uint32_t segments = random_.Between(3, 5);
  while (partition_->segments().size() < segments) {
    std::vector<Batch> batches = ledger_.NewBatches(random_.Between(1, 4), shape);
    Require(partition_->Append(&batches).ok(), "an append fails");
    ledger_.Appended(batches);
  }
  int64_t reached = 0;
  Require(partition_->Flush(&reached).ok(), "a flush fails");
  ledger_.Synced(reached);
}

void CompactionLife::Choose() {
  const auto& segments = partition_->segments();
  group_ = random_.Between(1, static_cast<uint32_t>(segments.size()) - 1);
  group_end_ = segments[group_]->base_offset();
  const int64_t dirty_end = segments.back()->base_offset();
  std::map<std::string, int64_t> last;
  for (const EntryPointer& entry : ledger_.entries()) {
    if (entry->key && entry->first < dirty_end) last[*entry->key] = entry->first;
  }
  for (const EntryPointer& entry : ledger_.entries()) {
    if (entry->first >= group_end_ || !entry->key || last[*entry->key] != entry->first) continue;
    kept_.push_back(entry);
    kept_bytes_.insert(kept_bytes_.end(), entry->bytes.begin(), entry->bytes.end());
  }
}

Status CompactionLife::Clean() {
  const auto cleaner = std::make_shared<Cleaner>(ledger_.format(), kMapBytes, 0.9);
  const auto& segments = partition_->segments();
  for (size_t i = 0; i + 1 < segments.size(); ++i) {
    CleanStep step;
    step.next_offset = segments[i]->base_offset();
    do {
      const Result<CleanStep> result = cleaner->Index(segments[i], step.next_offset, INT64_MAX, 700);
      if (!result.ok()) return result.status();
      step = *result;
    } while (step.stop == CleanStop::kBudget);
  }
  MYKAFKA_RETURN_IF_ERROR(Write(cleaner));
  file_system_->Note("the cleaned segment is finished");
  MYKAFKA_RETURN_IF_ERROR(BeginSwap());
  return FinishSwap();
}

Status CompactionLife::Write(const std::shared_ptr<Cleaner>& cleaner) {
  CleanWriterOptions options;
  options.file_system = file_system_;
  options.directory = "/log";
  options.base_offset = 0;
  options.end_offset = group_end_;
  options.index_interval_bytes = options_.segment.index_interval_bytes;
  options.now = kNow;
  options.delete_horizon = kNow + 1000;
  const Result<std::shared_ptr<CleanWriter>> writer = CleanWriter::Create(cleaner, options);
  if (!writer.ok()) return writer.status();
  Status written;
  for (size_t i = 0; i < group_ && written.ok(); ++i) {
    const std::shared_ptr<Segment>& from = partition_->segments()[i];
    CleanStep step;
    step.next_offset = from->base_offset();
    do {
      const Result<CleanStep> result = (*writer)->Copy(from, step.next_offset, 0, 500);
      written = result.status();
      if (result.ok()) step = *result;
    } while (written.ok() && step.stop == CleanStop::kBudget);
  }
  if (written.ok()) written = (*writer)->Finish().status();
  if (!written.ok()) {
    (void)(*writer)->Abort();
    return written;
  }
  const StoredFilePointer file = disk_.Find(PathOf(".log.cleaned"));
  Require(file != nullptr && file->Contents() == kept_bytes_, "other entries stay than should");
  return Status::Ok();
}

Status CompactionLife::BeginSwap() {
  MYKAFKA_RETURN_IF_ERROR(file_system_->Rename(PathOf(".log.cleaned"), PathOf(".log.swap")));
  Status synced = file_system_->SyncDirectory("/log");
  if (!synced.ok()) {
    (void)file_system_->Unlink(PathOf(".log.swap"));
    return synced;
  }
  begun_ = true;
  return Status::Ok();
}

// Each step can be done again.
Status CompactionLife::FinishSwap() {
  const auto remove = [&](const std::string& path) {
    const Status removed = file_system_->Unlink(path);
    return removed.sys_errno() == ENOENT ? Status::Ok() : removed;
  };
  partition_.reset();
  for (const int64_t base : BaseOffsets(disk_)) {
    if (base == 0 || base >= group_end_) continue;
    const std::string path = "/log/" + LogName(base);
    MYKAFKA_RETURN_IF_ERROR(remove(path));
    for (const char* ending : {"index", "timeindex"}) {
      MYKAFKA_RETURN_IF_ERROR(remove(path.substr(0, path.size() - 3) + ending));
    }
  }
  for (const char* ending : {".index", ".timeindex", ".log"}) MYKAFKA_RETURN_IF_ERROR(remove(PathOf(ending)));
  MYKAFKA_RETURN_IF_ERROR(file_system_->SyncDirectory("/log"));
  MYKAFKA_RETURN_IF_ERROR(file_system_->Rename(PathOf(".log.swap"), PathOf(".log")));
  for (const char* ending : {".index", ".timeindex"}) {
    const Status moved = file_system_->Rename(PathOf(ending) + ".cleaned", PathOf(ending));
    if (!moved.ok() && moved.sys_errno() != ENOENT) return moved;
  }
  return file_system_->SyncDirectory("/log");
}

// What failed has changed nothing.
void CompactionLife::GoOn() {
  if (begun_) return;
  file_system_->Heal();
  CheckAnswers(*partition_, ledger_, &random_, [this] { return file_system_->dead(); });
  std::vector<Batch> batches = ledger_.NewBatches(1, {});
  if (partition_->Append(&batches).ok()) ledger_.Appended(batches);
}

void CompactionLife::CheckLeft(Tally* tally) {
  const StoredFilePointer swap = disk_.Find(PathOf(".log.swap"));
  const StoredFilePointer log = disk_.Find(PathOf(".log"));
  const bool is_swapped = log != nullptr && swap == nullptr && log->Contents() == kept_bytes_ && begun_;
  if (swap != nullptr) Require(swap->Contents() == kept_bytes_, "a finished segment has other bytes behind a crash");
  if (swap != nullptr || is_swapped) {
    if (!is_swapped) Require(FinishSwap().ok(), "a swap cannot be finished");
    CheckCompacted();
    return;
  }
  if (begun_) throw Broken("a segment that took the place of others is gone", group_end_);
  const int64_t synced = ledger_.synced();
  Survivors survivors = ledger_.Survey(ImageOf(disk_), synced);
  partition_ = std::make_unique<Partition>(options_, &disk_);
  const Status opened = partition_->Open(synced, false);
  Require(opened.ok(), "the log cannot be opened: ", Said(opened));
  tally->written_lost += ledger_.end() - survivors.end;
  ledger_.Recovered(survivors);
  CheckAnswers(*partition_, ledger_, &random_, [] { return false; });
  CheckUndamaged(*partition_, ledger_, disk_, options_);
}

void CompactionLife::CheckCompacted() {
  SegmentOptions options = options_.segment;
  options.sparse = true;
  const Result<std::shared_ptr<Segment>> opened = Segment::OpenSealed(options, group_end_);
  Require(opened.ok(), "a compacted segment cannot be opened");
  CheckSegment(opened->get());
  (*opened)->Close();
}

void CompactionLife::CheckSegment(Segment* segment) {
  int64_t position = 0;
  int64_t asked = 0;
  const Entry* largest = nullptr;
  for (const EntryPointer& entry : kept_) {
    // Where an offset is missing, the first entry behind it answers.
    const int64_t offset = random_.OneIn(3) ? asked : entry->first;
    const Result<Range> range = segment->FindRange(offset, 1, group_end_, Wait::kAllowed);
    Require(range.ok(), "no answer at offset ", offset, ": ", range.ok() ? "" : Said(range.status()));
    Require(range->position == position && range->length == static_cast<int64_t>(entry->bytes.size()) &&
                range->first_offset == entry->first && range->last_offset == entry->next - 1,
            "another entry than that at ", entry->first, " answers for ", offset);
    position += range->length;
    asked = entry->next;
    if (largest == nullptr || entry->timestamp > largest->timestamp) largest = entry.get();
  }
  for (int i = 0; i < 3 && largest != nullptr; ++i) {
    const int64_t timestamp = i == 0 ? kLargestTimestamp : kept_[random_.Below(kept_.size())]->timestamp;
    const Entry* right = largest;
    if (i > 0) {
      right = std::find_if(kept_.begin(), kept_.end(), [&](const auto& entry) {
                return entry->timestamp >= timestamp;
              })->get();
    }
    const auto found = segment->FindTimestamp(timestamp, 0);
    Require(found.ok() && found->has_value(), "no entry for time ", timestamp);
    Require((*found)->offset == right->first, "the entry at ", (*found)->offset, " in place of that at ", right->first,
            " for time ", timestamp);
  }
  Require(segment->Verify().ok() && segment->damages().empty(), "damage in a compacted segment");
}

}  // namespace mykafka::sim
