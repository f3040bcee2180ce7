#include "core/segment_walk.h"

#include <algorithm>

#include "core/header_walk.h"
#include "core/resync.h"

namespace mykafka {

namespace {

constexpr int64_t kBlock = 8192;  // of a walk over headers

}  // namespace

Status SegmentWalk::Run() {
  Status status = Status::Ok();
  while (status.ok() && !ended_ && !Done()) status = Step();
  Flush();
  return status;
}

void SegmentWalk::Restart(const Boundary& from) {
  at_ = from;
  checked_ = {from, from};
  confirmed_ = true;
  exact_ = false;
  known_ahead_ = -1;
}

bool SegmentWalk::Done() const {
  if (AtEnd() || at_.position >= stop_position_) return true;
  if (wanted_ < 0 || at_.offset <= wanted_) return false;
  // Behind the wanted entry; where it begins, only the caller can say now.
  if (wanted_start_ < 0 || damage_behind_) return true;
  return at_.offset >= upper_bound_ || at_.position - wanted_start_ >= max_bytes_;
}

Status SegmentWalk::Step() {
  if (at_.offset == wanted_) wanted_start_ = at_.position;
  if (known_ahead_ < 0) FindKnown();
  if (at_.position >= known_ahead_) return SkipKnown();
  if (at_.position >= end_.position) return OutOfBytes();

  ScannedEntry entry;
  scanner_.Seek(at_.position);
  Result<bool> any = scanner_.Next(&entry);
  if (!any.ok()) return any.status();
  if (entry.verdict == EntryVerdict::kRight && Fits(entry.header)) {
    if (wanted_ >= at_.offset && wanted_ <= entry.header.last_offset) wanted_start_ = at_.position;
    const Boundary at = at_;
    StepOver(entry.header);
    checked_.to = at_;
    ShowEntry(at, entry.header, scanner_.BytesOf(entry));
    return Status::Ok();
  }
  return Broken(&entry);
}

void SegmentWalk::StepOver(const EntryHeader& header) {
  at_ = {at_.position + static_cast<int64_t>(header.length), header.next_offset()};
  exact_ = false;
  // What a sparse segment does not hold behind its last entry is not to be looked for.
  if (sparse_ && at_.position >= end_.position) at_.offset = end_.offset;
}

Status SegmentWalk::OutOfBytes() {
  if (!sparse_) return Broken(nullptr);
  at_ = end_;
  checked_.to = at_;
  return Status::Ok();
}

void SegmentWalk::FindKnown() {
  std::lock_guard<std::mutex> lock(state_.mutex);
  known_ahead_ = INT64_MAX;
  known_run_.reset();
  known_damage_.reset();
  const mykafka::Run* run = state_.runs.LastFrom(at_.position);
  if (run == nullptr || run->to.position <= at_.position) run = state_.runs.FirstBehind(at_.position);
  if (run != nullptr) {
    known_run_ = *run;
    known_ahead_ = std::max(run->from.position, at_.position);
  }
  for (const Damage& damage : state_.damages) {
    const bool ahead =
        damage.position > at_.position || (damage.position == at_.position && damage.first_offset == at_.offset);
    if (!ahead || damage.position > known_ahead_) continue;
    // A gap stands before the run that begins at the same place.
    known_damage_ = damage;
    known_run_.reset();
    known_ahead_ = damage.position;
    break;
  }
}

Status SegmentWalk::SkipKnown() {
  known_ahead_ = -1;
  if (known_damage_) {
    if (known_damage_->first_offset != at_.offset && !confirmed_) return StartOver();
    Flush();
    if (at_.offset > wanted_) damage_behind_ = true;
    Resume({known_damage_->position + known_damage_->length, known_damage_->next_offset});
    return Status::Ok();
  }
  const mykafka::Run run = *known_run_;
  if (sparse_ && (confirmed_ || run.from.offset <= at_.offset)) {
    // The index leads to an entry, not to the gap before it: one of us may have begun there.
    at_.offset = std::max(at_.offset, run.from.offset);
  } else if (run.from.position == at_.position && run.from.offset != at_.offset) {
    if (!confirmed_) return StartOver();
    if (run.from.offset > at_.offset) Record({at_.position, 0, at_.offset, run.from.offset});
    at_.offset = run.from.offset;
    checked_ = {at_, at_};
  }
  confirmed_ = true;
  exact_ = false;
  // What others append behind our end is not ours to look at.
  const Boundary to = run.to.position <= end_.position ? run.to : end_;
  if (visitor_ == nullptr) {
    at_ = to;
  } else {
    MYKAFKA_RETURN_IF_ERROR(ShowRun(to));
  }
  checked_.to = at_;
  return Status::Ok();
}

Status SegmentWalk::StartOver() {
  Restart(certain_);
  return Status::Ok();
}

Status SegmentWalk::Broken(const ScannedEntry* entry) {
  if (!confirmed_) return StartOver();
  Flush();
  Boundary resumed = end_;
  if (entry != nullptr) {
    Result<std::optional<ScannedEntry>> found =
        Resync(log_, *entry, {end_.position, at_.offset, end_.offset, state_.options.record_format, sparse_});
    if (!found.ok()) return found.status();
    if (found->has_value()) resumed = {(*found)->position, (*found)->header.offset};
  }
  Record({at_.position, resumed.position - at_.position, at_.offset, resumed.offset});
  if (at_.offset > wanted_) damage_behind_ = true;
  Resume(resumed);
  return Status::Ok();
}

void SegmentWalk::Resume(const Boundary& at) {
  at_ = at;
  checked_ = {at, at};
  known_ahead_ = -1;
}

void SegmentWalk::Flush() {
  std::lock_guard<std::mutex> lock(state_.mutex);
  state_.runs.Add(checked_);
  checked_.from = checked_.to;
  known_ahead_ = -1;
}

void SegmentWalk::Record(const Damage& damage) {
  std::lock_guard<std::mutex> lock(state_.mutex);
  std::vector<Damage>& known = state_.damages;
  const auto behind = std::find_if(known.begin(), known.end(), [&](const Damage& other) {
    return other.position > damage.position ||
           (other.position == damage.position && other.first_offset >= damage.first_offset);
  });
  const bool recorded =
      behind != known.end() && behind->position == damage.position && behind->first_offset == damage.first_offset;
  if (!recorded) known.insert(behind, damage);
}

Status SegmentWalk::ShowRun(const Boundary& to) {
  HeaderWalk headers(log_, state_.format, to.position, kBlock, Wait::kAllowed);
  while (at_.position < std::min(to.position, stop_position_) && !ended_) {
    EntryHeader header;
    const bool found =
        sparse_ ? headers.From(at_.position, at_.offset, &header) : headers.At(at_.position, at_.offset, &header);
    if (!found) return headers.status();
    const Boundary at = at_;
    StepOver(header);
    ShowEntry(at, header, headers.bytes());
  }
  return Status::Ok();
}

}  // namespace mykafka
