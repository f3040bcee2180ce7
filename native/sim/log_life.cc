#include "sim/log_life.h"

#include <errno.h>

#include <algorithm>
#include <utility>

#include "core/open_files.h"
#include "sim/said.h"

namespace mykafka::sim {

namespace {

constexpr size_t kManyFiles = 1000;

bool IsOutOfFiles(const Status& status) {
  return status.sys_errno() == EMFILE || status.sys_errno() == ENFILE;
}

}  // namespace

LogLife::LogLife(uint64_t seed, const Habits& habits, std::vector<std::string>* trace)
    : random_(seed),
      habits_(habits),
      disk_(&random_),
      file_system_(std::make_shared<SimulatedFileSystem>(&disk_, &random_)),
      ledger_(random_.OneIn(2) ? RecordFormat::kKafka : RecordFormat::kMykafka, &random_) {
  file_system_->Trace(trace);
  options_.segment.file_system = file_system_;
  options_.segment.directory = "/log";
  options_.segment.record_format = ledger_.format();
  options_.segment.index_interval_bytes = random_.Between(1, habits.index_interval);
  options_.segment.index_max_bytes = 8 * random_.Between(1, habits.index_bytes / 8);
  options_.segment_bytes = random_.Between(600, static_cast<uint32_t>(habits.segment_bytes));
  // Files that are closed while nobody uses them are opened again by their names.
  OpenFiles::Instance().SetLimit(random_.OneIn(4) ? 1 : kManyFiles);
}

LogLife::~LogLife() {
  partition_.reset();
  OpenFiles::Instance().SetLimit(kManyFiles);
}

void LogLife::Run(Tally* tally) {
  tally_ = tally;
  Begin();
  for (uint32_t lives = random_.Between(2, 3); lives > 0; --lives) {
    Live();
    Die();
  }
  // What came back goes on.
  Append();
  Ask();
  CheckUndamaged(*partition_, ledger_, disk_, options_);
}

void LogLife::Begin() {
  partition_ = std::make_unique<Partition>(options_, &disk_);
  const Status opened = partition_->Open(0, true);
  Require(opened.ok(), "a new log cannot be made: ", Said(opened));
}

void LogLife::Live() {
  over_ = false;
  if (random_.Percent(90)) file_system_->DieAt(static_cast<int>(random_.Between(1, 2 * habits_.steps)));
  for (uint32_t steps = random_.Between(1, habits_.steps); steps > 0 && !over_ && !dead(); --steps) Step();
}

void LogLife::Step() {
  if (random_.Percent(habits_.failure)) PlanFailure();
  uint32_t choice = random_.Below(100);
  const auto takes = [&](uint32_t part) {
    const bool taken = choice < part;
    choice -= taken ? 0 : part;
    return taken;
  };
  if (takes(habits_.flush)) {
    Flush();
  } else if (takes(habits_.roll)) {
    Roll();
  } else if (takes(habits_.truncate)) {
    Truncate();
  } else if (takes(habits_.ask)) {
    Ask();
  } else if (takes(habits_.stop)) {
    Stop();
  } else {
    Append();
  }
  if (random_.OneIn(3)) Checkpoint();
}

void LogLife::PlanFailure() {
  static constexpr int kErrors[] = {EIO, ENOSPC, EMFILE};
  const auto operation = static_cast<Operation>(random_.Below(kOperations));
  const bool opens = operation == Operation::kOpen || operation == Operation::kCreate;
  file_system_->FailAt(operation, static_cast<int>(random_.Between(1, 4)), kErrors[random_.Below(opens ? 3 : 2)],
                       random_.OneIn(3) ? static_cast<int>(random_.Below(4)) : 0);
  if (operation == Operation::kWrite && random_.OneIn(2)) file_system_->FailSyncBehindWrite();
}

// An operation may fail where the process died, or because one of its was made to fail.
void LogLife::CheckRefusal(const Status& status, const char* what) {
  Require(dead() || file_system_->failed() > 0, what, " fails: ", Said(status));
  if (!dead()) Note(std::string(what) + " fails: " + Said(status));
}

void LogLife::Append() {
  file_system_->ForgetFailures();
  AppendBatches(false);
}

void LogLife::AppendBatches(bool beside_sync) {
  BatchShape shape = habits_.shape;
  if (random_.OneIn(30)) shape.largest_value = 6000;
  std::vector<Batch> batches = ledger_.NewBatches(random_.Between(1, habits_.batches), shape);
  const int64_t first = ledger_.end();
  const int64_t next = batches.back().entries.back()->next;
  if (file_system_->traced()) Note("appends " + std::to_string(first) + " to " + std::to_string(next));
  const Status appended = beside_sync ? partition_->Write(&batches) : partition_->Append(&batches);
  if (appended.ok()) {
    ledger_.Appended(batches);
    Require(partition_->end() == next, "an append of ", next - first, " records made ", partition_->end() - first);
    tally_->written += next - first;
    return;
  }
  if (!beside_sync || appended.code() != Code::kSegmentFull) CheckRefusal(appended, "an append");
  Require(partition_->end() == first, "a failed append left ", partition_->end() - first, " records");
  if (beside_sync || dead() || !file_system_->sync_failed()) return;
  // The sync of what was cut back: the system tells of lost pages once.
  file_system_->Heal();
  Require(!partition_->active().Sync().ok(), "a sync says that all is well behind one that failed");
  ExpectRefusals();
  over_ = true;
}

void LogLife::Flush() {
  file_system_->ForgetFailures();
  // What is appended beside a sync is not acknowledged by it.
  if (random_.OneIn(3)) file_system_->during_sync = [this] { AppendBatches(true); };
  Note("flushes");
  int64_t reached = 0;
  const Status flushed = partition_->Flush(&reached);
  file_system_->during_sync = nullptr;
  if (flushed.ok()) {
    Acknowledge(reached);
    // The append beside it may have begun the next segment, which takes no more.
    over_ = file_system_->sync_failed();
    return;
  }
  CheckRefusal(flushed, "a flush");
  if (dead() || IsOutOfFiles(flushed)) return;
  if (file_system_->sync_failed()) ExpectRefusals();
  over_ = true;
}

void LogLife::Acknowledge(int64_t synced) {
  if (file_system_->traced()) Note("acknowledged up to " + std::to_string(synced));
  tally_->synced += std::max<int64_t>(synced - ledger_.synced(), 0);
  ledger_.Synced(synced);
}

// Behind a sync of the active segment that failed, it takes nothing more, and no sync says that all is well.
void LogLife::ExpectRefusals() {
  file_system_->Heal();
  for (const auto& segment : partition_->segments()) {
    if (segment->synced_size() >= segment->size()) continue;
    const Status again = segment->Sync();
    if (again.ok()) continue;  // another file's sync failed
    Require(segment->synced_size() < segment->size(), "a failed sync counts");
    if (segment != partition_->segments().back()) continue;
    std::vector<Batch> batches = ledger_.NewBatches(1, habits_.shape);
    const PackedBatch packed = {batches[0].packed.data(), batches[0].packed.size(), batches[0].count,
                                batches[0].timestamp};
    Require(!segment->Append(&packed, 1, segment->next_offset()).ok(), "an append behind a failed sync");
  }
}

void LogLife::Roll() {
  file_system_->ForgetFailures();
  if (partition_->active().size() == 0) return;
  Note("rolls");
  const Status rolled = partition_->Roll();
  if (!rolled.ok()) CheckRefusal(rolled, "a roll");
  if (!dead() && random_.OneIn(2)) Flush();
}

void LogLife::Truncate() {
  file_system_->ForgetFailures();
  if (ledger_.entries().empty()) return;
  const auto& entries = ledger_.entries();
  const size_t back = random_.Below(std::min<uint64_t>(entries.size(), random_.OneIn(3) ? 40 : 8));
  const int64_t offset = entries[entries.size() - 1 - back]->first;
  Note("cuts at " + std::to_string(offset));
  checkpoint_ = std::min(checkpoint_, offset);
  ledger_.CutBegins(offset);
  const Status cut = partition_->TruncateTo(offset);
  if (cut.ok()) {
    ledger_.CutDone(offset);
    Require(partition_->end() == offset, "cut at ", offset, ", the log ends at ", partition_->end());
    return;
  }
  CheckRefusal(cut, "a truncation");
  // Memory and files may be at odds: the log is over until it is opened again.
  over_ = cutting_ = true;
}

void LogLife::Ask() {
  file_system_->ForgetFailures();
  CheckAnswers(*partition_, ledger_, &random_, [this] { return dead() || file_system_->failed() > 0; });
}

void LogLife::Checkpoint() {
  checkpoint_ = random_.OneIn(2) ? partition_->flushed() : checkpoint_;
  checkpoint_ = std::min(checkpoint_, ledger_.synced());
}

// What a clean stop does, and the start behind it.
void LogLife::Stop() {
  file_system_->ForgetFailures();
  Note("stops");
  int64_t reached = 0;
  const Status flushed = partition_->Flush(&reached);
  if (!flushed.ok()) {
    CheckRefusal(flushed, "a stop");
    over_ = true;
    return;
  }
  Acknowledge(reached);
  partition_->Close(random_.OneIn(2));
  over_ = true;
  if (dead()) return;
  checkpoint_ = reached;
  clean_ = true;
}

void LogLife::Die() {
  // A process that ends by itself leaves the disk in the same way.
  partition_.reset();
  const bool power_lost = random_.Percent(75);
  const bool all_written = !power_lost && !cutting_ && !file_system_->any_sync_failed();
  file_system_->Restart(power_lost);
  ++tally_->crashes;
  const int64_t written = ledger_.end();
  const bool lost_since = Recover(power_lost);
  // What only the process forgot, the system has.
  cutting_ = false;
  if (all_written && !lost_since && ledger_.end() < written) {
    throw Broken("written up to " + std::to_string(written) + ", and a death of the process left " +
                     std::to_string(ledger_.end()),
                 written - ledger_.end());
  }
}

bool LogLife::Recover(bool power_lost) {
  OpenFiles::Instance().SetLimit(random_.OneIn(4) ? 1 : kManyFiles);
  Survivors survivors = ledger_.Survey(ImageOf(disk_), checkpoint_);
  Survivors found_first = survivors;
  bool stable = power_lost;
  bool crashed = false;
  bool lost_since = false;
  const auto notes = [&] {
    if (!file_system_->traced()) return;
    std::string bases;
    for (const int64_t base : BaseOffsets(disk_)) bases += " " + std::to_string(base);
    Note("left: segments" + bases + ", up to " + std::to_string(survivors.end) + "; recovery point " +
         std::to_string(checkpoint_) + (clean_ ? ", clean" : ""));
  };
  notes();
  for (uint32_t crashes = random_.Below(habits_.recovery_crashes + 1);; --crashes) {
    if (crashes > 0) {
      file_system_->DieAt(static_cast<int>(random_.Between(1, 12)));
      if (random_.Percent(habits_.failure)) PlanFailure();
    }
    file_system_->ForgetFailures();
    partition_ = std::make_unique<Partition>(options_, &disk_);
    const Status opened = partition_->Open(checkpoint_, clean_);
    file_system_->DieAt(0);
    file_system_->Heal();
    clean_ = false;
    if (opened.ok() && !dead()) break;
    Require(crashes > 0 && (dead() || file_system_->failed() > 0), "the log cannot be opened: ", Said(opened));
    crashed = true;
    partition_.reset();
    const bool power_lost_again = random_.Percent(75);
    // Nor does the system have what a sync of a recovery failed to bring to the disk.
    lost_since = lost_since || power_lost_again || file_system_->any_sync_failed();
    file_system_->Restart(power_lost_again);
    ++tally_->crashes;
    survivors = ledger_.Survey(ImageOf(disk_), checkpoint_);
    notes();
    Require(!stable || survivors.end == found_first.end, "a crash during the recovery left ", survivors.end,
            " in place of ", found_first.end);
    if (!stable && power_lost_again) found_first = survivors;
    stable = stable || power_lost_again;
  }
  Require(partition_->end() == std::max(survivors.end, checkpoint_), "recovered up to ", partition_->end(),
          " in place of ", survivors.end);
  CheckAsides(survivors, *partition_, disk_, true, ledger_.format() == RecordFormat::kKafka);
  if (stable && crashed) CheckAsides(found_first, *partition_, disk_, false, false);
  const int64_t lost = std::max<int64_t>(ledger_.end() - survivors.end, 0);
  if (power_lost || lost_since) tally_->written_lost += lost;
  ledger_.Recovered(survivors);
  Checkpoint();
  Ask();
  if (random_.OneIn(2)) CheckUndamaged(*partition_, ledger_, disk_, options_);
  return lost_since;
}

}  // namespace mykafka::sim
