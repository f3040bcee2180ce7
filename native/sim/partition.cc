#include "sim/partition.h"

#include <errno.h>
#include <stdlib.h>

#include <algorithm>

namespace mykafka::sim {

namespace {

constexpr size_t kDigits = 20;

std::string EndingOf(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return name.size() > kDigits ? name.substr(kDigits) : name;
}

int64_t BaseOf(const std::string& path) {
  return strtoll(path.c_str() + path.rfind('/') + 1, nullptr, 10);
}

}  // namespace

std::vector<int64_t> BaseOffsets(const SimulatedDisk& disk) {
  std::vector<int64_t> bases;
  for (const auto& [path, file] : disk.names()) {
    if (EndingOf(path) == ".log") bases.push_back(BaseOf(path));
  }
  return bases;
}

Image ImageOf(const SimulatedDisk& disk) {
  Image image;
  for (const auto& [path, file] : disk.names()) {
    if (EndingOf(path) == ".log") image[BaseOf(path)] = file->Contents();
  }
  return image;
}

SegmentOptions Partition::At(int64_t base) const {
  SegmentOptions options = options_.segment;
  options.base_offset = base;
  return options;
}

Status Partition::Unlink(const std::string& path) {
  Status removed = options_.segment.file_system->Unlink(path);
  return removed.sys_errno() == ENOENT ? Status::Ok() : removed;
}

Status Partition::RemoveIndexes(int64_t base) {
  const std::string log = options_.segment.directory + "/" + LogName(base);
  const std::string path = log.substr(0, log.size() - 4);
  MYKAFKA_RETURN_IF_ERROR(Unlink(path + ".index"));
  return Unlink(path + ".timeindex");
}

// Indexes whose log is gone, and what compaction had begun.
Status Partition::RemoveOrphans() {
  std::vector<std::string> orphans;
  for (const auto& [path, file] : disk_->names()) {
    const std::string ending = EndingOf(path);
    names_changed_ = names_changed_ || ending.find(".log.cut-") == 0;
    const bool companion = ending == ".index" || ending == ".timeindex";
    const bool unfinished = ending.find(".cleaned") != std::string::npos;
    if (unfinished || (companion && !std::binary_search(bases_.begin(), bases_.end(), BaseOf(path)))) {
      orphans.push_back(path);
    }
  }
  if (orphans.empty()) return Status::Ok();
  MYKAFKA_RETURN_IF_ERROR(options_.segment.file_system->SyncDirectory(options_.segment.directory));
  for (const std::string& path : orphans) MYKAFKA_RETURN_IF_ERROR(Unlink(path));
  return Status::Ok();
}

Status Partition::Create(int64_t base) {
  names_changed_ = true;
  Result<std::shared_ptr<Segment>> made = Segment::Create(At(base));
  if (!made.ok()) return made.status();
  segments_.push_back(*made);
  return Status::Ok();
}

Status Partition::OpenSealed(int64_t base, int64_t next) {
  Result<std::shared_ptr<Segment>> opened = Segment::OpenSealed(At(base), next);
  if (!opened.ok()) return opened.status();
  segments_.push_back(*opened);
  return Status::Ok();
}

Status Partition::Open(int64_t recovery_point, bool clean) {
  bases_ = BaseOffsets(*disk_);
  MYKAFKA_RETURN_IF_ERROR(RemoveOrphans());
  if (bases_.empty()) {
    MYKAFKA_RETURN_IF_ERROR(Create(recovery_point));
    MYKAFKA_RETURN_IF_ERROR(options_.segment.file_system->SyncDirectory(options_.segment.directory));
  } else if (clean) {
    MYKAFKA_RETURN_IF_ERROR(OpenClean(recovery_point));
  } else {
    MYKAFKA_RETURN_IF_ERROR(OpenUnclean(recovery_point));
    MYKAFKA_RETURN_IF_ERROR(SyncAccepted(recovery_point));
  }
  names_changed_ = false;
  flushed_ = end();
  return Status::Ok();
}

Status Partition::OpenClean(int64_t recovery_point) {
  for (size_t i = 0; i + 1 < bases_.size(); ++i) MYKAFKA_RETURN_IF_ERROR(OpenSealed(bases_[i], bases_[i + 1]));
  const int64_t base = bases_.back();
  RecoveryReport report;
  Result<std::shared_ptr<Segment>> opened = Segment::OpenClean(At(base), std::max(recovery_point, base), &report);
  if (!opened.ok()) return opened.status();
  reports_.emplace_back(LogName(base), report);
  if (report.damaged_tail) return GoOnBehindDamage(base, report);
  segments_.push_back(*opened);
  return Status::Ok();
}

Status Partition::OpenUnclean(int64_t recovery_point) {
  int64_t end = bases_.front();
  for (size_t i = 0; i < bases_.size(); ++i) {
    const int64_t base = bases_[i];
    const bool last = i + 1 == bases_.size();
    const int64_t next = last ? INT64_MAX : bases_[i + 1];
    if (next <= recovery_point) {
      MYKAFKA_RETURN_IF_ERROR(OpenSealed(base, next));
      end = next;
      continue;
    }
    if (base > end && base > recovery_point && i > 0) return SetAsideFrom(i);
    RecoveryReport report;
    Result<std::shared_ptr<Segment>> opened = Segment::OpenRecovering(At(base), recovery_point, &report);
    if (!opened.ok()) return opened.status();
    reports_.emplace_back(LogName(base), report);
    if (report.damaged_tail) {
      if (last || next > report.next_offset) {
        opened->reset();
        MYKAFKA_RETURN_IF_ERROR(SetAsideFrom(i + 1));
        return GoOnBehindDamage(base, report);
      }
      MYKAFKA_RETURN_IF_ERROR(OpenSealed(base, next));
      end = next;
      continue;
    }
    if (!recovered_.empty()) MYKAFKA_RETURN_IF_ERROR(recovered_.back()->Seal());
    recovered_.push_back(*opened);
    segments_.push_back(*opened);
    end = report.next_offset;
    if (report.cut_position >= 0) return SetAsideFrom(i + 1);
  }
  return Status::Ok();
}

Status Partition::GoOnBehindDamage(int64_t base, const RecoveryReport& report) {
  if (report.next_offset == base) {
    RecoveryReport moved;
    MYKAFKA_RETURN_IF_ERROR(Segment::SetAside(At(base), &moved));
  } else {
    MYKAFKA_RETURN_IF_ERROR(OpenSealed(base, report.next_offset));
  }
  MYKAFKA_RETURN_IF_ERROR(Create(report.next_offset));
  return options_.segment.file_system->SyncDirectory(options_.segment.directory);
}

Status Partition::SetAsideFrom(size_t index) {
  for (size_t i = index; i < bases_.size(); ++i) {
    RecoveryReport report;
    MYKAFKA_RETURN_IF_ERROR(Segment::SetAside(At(bases_[i]), &report));
    names_changed_ = true;
    reports_.emplace_back(LogName(bases_[i]), report);
    MYKAFKA_RETURN_IF_ERROR(RemoveIndexes(bases_[i]));
    MYKAFKA_RETURN_IF_ERROR(options_.segment.file_system->SyncDirectory(options_.segment.directory));
  }
  return Status::Ok();
}

Status Partition::SyncAccepted(int64_t recovery_point) {
  for (const auto& segment : recovered_) MYKAFKA_RETURN_IF_ERROR(segment->Sync());
  if (!names_changed_ && recovery_point > bases_.back()) return Status::Ok();
  return options_.segment.file_system->SyncDirectory(options_.segment.directory);
}

Status Partition::Append(std::vector<Batch>* batches) {
  int64_t bytes = 0;
  for (const Batch& batch : *batches) {
    for (const EntryPointer& entry : batch.entries) bytes += static_cast<int64_t>(entry->bytes.size());
  }
  if (active().size() > 0 && bytes > options_.segment_bytes - active().size()) MYKAFKA_RETURN_IF_ERROR(Roll());
  Status written = Write(batches);
  if (written.code() != Code::kSegmentFull) return written;
  MYKAFKA_RETURN_IF_ERROR(Roll());
  return Write(batches);
}

Status Partition::Write(std::vector<Batch>* batches) {
  std::vector<PackedBatch> packed;
  for (Batch& batch : *batches) {
    packed.push_back({batch.packed.data(), batch.packed.size(), batch.count, batch.timestamp});
  }
  return active().Append(packed.data(), packed.size(), end());
}

Status Partition::Roll() {
  const std::shared_ptr<Segment> old = segments_.back();
  MYKAFKA_RETURN_IF_ERROR(Create(old->next_offset()));
  // Where it fails an index is longer than it has to be.
  (void)old->Seal();
  return Status::Ok();
}

Status Partition::Flush(int64_t* reached) {
  const int64_t at = end();
  const bool names_changed = names_changed_;
  // Also a segment that begins meanwhile is not counted.
  const std::vector<std::shared_ptr<Segment>> segments = segments_;
  for (size_t i = 0; i < segments.size(); ++i) {
    const bool flushed = i + 1 < segments.size() && segments[i + 1]->base_offset() <= flushed_;
    if (flushed || segments[i]->synced_size() >= segments[i]->size()) continue;
    MYKAFKA_RETURN_IF_ERROR(segments[i]->Sync());
  }
  if (names_changed) {
    names_changed_ = false;
    Status synced = options_.segment.file_system->SyncDirectory(options_.segment.directory);
    names_changed_ = !synced.ok();
    MYKAFKA_RETURN_IF_ERROR(synced);
  }
  flushed_ = std::max(flushed_, at);
  *reached = at;
  return Status::Ok();
}

Status Partition::TruncateTo(int64_t offset) {
  flushed_ = std::min(flushed_, offset);
  while (segments_.size() > 1 && active().base_offset() > offset) {
    const int64_t base = active().base_offset();
    active().Close();
    segments_.pop_back();
    // The indexes stay until it is gone for certain: they tell a start that it was.
    MYKAFKA_RETURN_IF_ERROR(Unlink(options_.segment.directory + "/" + LogName(base)));
    MYKAFKA_RETURN_IF_ERROR(options_.segment.file_system->SyncDirectory(options_.segment.directory));
    MYKAFKA_RETURN_IF_ERROR(RemoveIndexes(base));
  }
  return active().TruncateTo(offset);
}

void Partition::Close(bool trims) {
  (void)(trims ? active().Seal() : active().SealUntrimmed());
  for (const auto& segment : segments_) segment->Close();
}

}  // namespace mykafka::sim
