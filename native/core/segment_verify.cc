// Checking what this process did not write itself: on reads, on request, and to rebuild an index.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/entry_scanner.h"
#include "core/header_walk.h"
#include "core/resync.h"
#include "core/segment_state.h"

namespace mykafka {

namespace {

// From what is certain to a place this near, the log itself leads: no index can lie about the way.
constexpr int64_t kNear = 256 << 10;
constexpr int64_t kVerifyChunk = 8 << 20;  // between two chances for others to verify what they need
constexpr int64_t kIndexWalkBlock = 8192;

}  // namespace

// One pass over the log from a boundary on, with verify_mutex. What is known is skipped, what is found
// right becomes a run, what is not a damage.
class Segment::State::Walk {
 public:
  Walk(State& state, File& log, const Boundary& end)
      : state_(state), log_(log), end_(end), scanner_(log, state.format, 0, end.position) {}

  // From a boundary that is certain.
  void StartAt(const Boundary& certain) { Restart(certain); }
  // From one that the index names: where the chain from there breaks, the pass starts over at the
  // certain one before it, since a wrong index may have led into the inside of a value.
  void StartAt(const Boundary& indexed, const Boundary& certain) {
    Restart(indexed);
    certain_ = certain;
    confirmed_ = false;
  }

  // Goals; without any the pass goes to the end.
  void StopAtPosition(int64_t position) { stop_position_ = position; }
  void StopBehind(int64_t offset, int64_t start, int64_t max_bytes, int64_t upper_bound) {
    wanted_ = offset;
    wanted_start_ = start;
    max_bytes_ = max_bytes;
    upper_bound_ = upper_bound;
  }
  // Index entries for everything that the pass goes over; nothing is skipped then.
  void CollectIndex(IndexRule* rule, std::vector<IndexEntry>* entries) {
    rule_ = rule;
    entries_ = entries;
  }

  Status Run() {
    Status status = Status::Ok();
    while (status.ok() && !Done()) status = Step();
    Flush();
    return status;
  }

  const Boundary& at() const { return at_; }
  bool AtEnd() const { return at_.position >= end_.position && at_.offset >= end_.offset; }

 private:
  void Restart(const Boundary& from) {
    at_ = from;
    checked_ = {from, from};
    confirmed_ = true;
    known_ahead_ = -1;
  }

  bool Done() const {
    if (AtEnd() || at_.position >= stop_position_) return true;
    if (wanted_ < 0 || at_.offset <= wanted_) return false;
    // Behind the wanted entry; where it begins, only the caller can say now.
    if (wanted_start_ < 0 || damage_behind_) return true;
    return at_.offset >= upper_bound_ || at_.position - wanted_start_ >= max_bytes_;
  }

  Status Step() {
    if (at_.offset == wanted_) wanted_start_ = at_.position;
    if (known_ahead_ < 0) FindKnown();
    if (at_.position >= known_ahead_) return SkipKnown();
    if (at_.position >= end_.position) return Broken(nullptr);

    ScannedEntry entry;
    scanner_.Seek(at_.position);
    Result<bool> any = scanner_.Next(&entry);
    if (!any.ok()) return any.status();
    if (entry.verdict == EntryVerdict::kRight && entry.header.offset == at_.offset && !Straddles(entry.header)) {
      if (wanted_ >= at_.offset && wanted_ <= entry.header.last_offset) wanted_start_ = at_.position;
      Index(at_);
      at_ = {scanner_.position(), entry.header.next_offset()};
      checked_.to = at_;
      return Status::Ok();
    }
    return Broken(&entry);
  }

  // The next segment's base lies inside of it.
  bool Straddles(const EntryHeader& header) const {
    return header.offset < end_.offset && header.last_offset >= end_.offset;
  }

  // Where the next thing begins that is known already: a run or a damage.
  void FindKnown() {
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

  Status SkipKnown() {
    known_ahead_ = -1;
    if (known_damage_) {
      if (known_damage_->first_offset != at_.offset && !confirmed_) return StartOver();
      Flush();
      if (at_.offset > wanted_) damage_behind_ = true;
      Resume({known_damage_->position + known_damage_->length, known_damage_->next_offset});
      return Status::Ok();
    }
    const mykafka::Run run = *known_run_;
    if (run.from.position == at_.position && run.from.offset != at_.offset) {
      if (!confirmed_) return StartOver();
      if (run.from.offset > at_.offset) Record({at_.position, 0, at_.offset, run.from.offset});
      at_.offset = run.from.offset;
      checked_ = {at_, at_};
    }
    confirmed_ = true;
    if (entries_ != nullptr) MYKAFKA_RETURN_IF_ERROR(IndexRun(run.to.position));
    // What others append behind our end is not ours to look at.
    at_ = run.to.position <= end_.position ? run.to : end_;
    checked_.to = at_;
    return Status::Ok();
  }

  Status StartOver() {
    Restart(certain_);
    return Status::Ok();
  }

  // No entry with our offset is here: `entry` is what is, or null at the end of the file.
  Status Broken(const ScannedEntry* entry) {
    if (!confirmed_) return StartOver();
    Flush();
    Boundary resumed = end_;
    if (entry != nullptr) {
      Result<std::optional<ScannedEntry>> found =
          Resync(log_, *entry, {end_.position, at_.offset, end_.offset, state_.options.record_format});
      if (!found.ok()) return found.status();
      if (found->has_value()) resumed = {(*found)->position, (*found)->header.offset};
    }
    Record({at_.position, resumed.position - at_.position, at_.offset, resumed.offset});
    if (at_.offset > wanted_) damage_behind_ = true;
    Resume(resumed);
    return Status::Ok();
  }

  void Resume(const Boundary& at) {
    at_ = at;
    checked_ = {at, at};
    known_ahead_ = -1;
  }

  void Flush() {
    std::lock_guard<std::mutex> lock(state_.mutex);
    state_.runs.Add(checked_);
    checked_.from = checked_.to;
    known_ahead_ = -1;
  }

  void Record(const Damage& damage) {
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

  void Index(const Boundary& at) {
    if (entries_ == nullptr || !rule_->Takes(at.position)) return;
    entries_->push_back({static_cast<uint32_t>(state_.Relative(at.offset)), static_cast<uint32_t>(at.position)});
  }

  // The entries of a verified run from here to a position, or to our end.
  Status IndexRun(int64_t to) {
    to = std::min(to, end_.position);
    HeaderWalk headers(log_, state_.format, to, kIndexWalkBlock, Wait::kAllowed);
    for (Boundary at = at_; at.position < to;) {
      EntryHeader header;
      if (!headers.At(at.position, at.offset, &header)) return headers.status();
      Index(at);
      at = {at.position + static_cast<int64_t>(header.length), header.next_offset()};
    }
    return Status::Ok();
  }

  State& state_;
  File& log_;
  const Boundary end_;
  EntryScanner scanner_;
  Boundary at_;
  mykafka::Run checked_;
  Boundary certain_;
  bool confirmed_ = true;
  bool damage_behind_ = false;

  int64_t known_ahead_ = -1;  // position of what is known next, -1: not looked up
  std::optional<mykafka::Run> known_run_;
  std::optional<Damage> known_damage_;

  int64_t stop_position_ = INT64_MAX;
  int64_t wanted_ = -1;
  int64_t wanted_start_ = -1;
  int64_t max_bytes_ = 0;
  int64_t upper_bound_ = INT64_MAX;

  IndexRule* rule_ = nullptr;
  std::vector<IndexEntry>* entries_ = nullptr;
};

Status Segment::State::VerifyFor(int64_t offset, int64_t start, int64_t max_bytes, int64_t upper_bound) {
  std::lock_guard<std::mutex> verifying(verify_mutex);
  Result<FilesPointer> opened = Acquire(Wait::kAllowed);
  if (!opened.ok()) return opened.status();
  Boundary end;
  Boundary certain = {0, options.base_offset};
  bool held = false;
  {
    std::lock_guard<std::mutex> lock(mutex);
    end = {size, next_offset};
    if (const mykafka::Run* run = runs.LastFromOffset(offset)) {
      certain = run->to;
      held = run->to.offset > offset;
    }
    for (const Damage& damage : damages) {
      const Boundary behind = {damage.position + damage.length, damage.next_offset};
      if (behind.offset <= offset && behind.position >= certain.position && behind.offset > certain.offset) {
        certain = behind;
      }
    }
  }
  Walk walk(*this, *(*opened)->log, end);
  walk.StartAt(certain);
  if (!held) {
    const std::optional<IndexEntry> floor = (*opened)->index->FloorByOffset(Relative(offset));
    const Boundary indexed = floor ? Boundary{floor->position, options.base_offset + floor->relative_offset} : certain;
    if (indexed.position > certain.position + kNear && indexed.offset > certain.offset &&
        indexed.position < end.position) {
      walk.StartAt(indexed, certain);
    }
  }
  walk.StopBehind(offset, start, max_bytes, upper_bound);
  return walk.Run();
}

Status Segment::State::VerifyAll() {
  Boundary at = {0, options.base_offset};
  uint64_t seen_truncations = 0;
  for (;;) {
    std::lock_guard<std::mutex> verifying(verify_mutex);
    Result<FilesPointer> opened = Acquire(Wait::kAllowed);
    if (!opened.ok()) return opened.status();
    Boundary end;
    {
      std::lock_guard<std::mutex> lock(mutex);
      end = {size, next_offset};
      if (truncations != seen_truncations) at = {0, options.base_offset};
      seen_truncations = truncations;
    }
    Walk walk(*this, *(*opened)->log, end);
    walk.StartAt(at);
    walk.StopAtPosition(at.position + kVerifyChunk);
    MYKAFKA_RETURN_IF_ERROR(walk.Run());
    if (walk.AtEnd()) return Status::Ok();
    at = walk.at();
  }
}

Status Segment::State::RebuildIndex(const FilesPointer& seen) {
  std::lock_guard<std::mutex> verifying(verify_mutex);
  Result<FilesPointer> opened = Acquire(Wait::kAllowed);
  if (!opened.ok()) return opened.status();
  if ((*opened)->index != seen->index) return Status::Ok();
  File& log = *(*opened)->log;
  Boundary end;
  const auto look_at_end = [&] {
    std::lock_guard<std::mutex> lock(mutex);
    end = {size, next_offset};
  };
  look_at_end();

  IndexRule rule(options.index_interval_bytes);
  std::vector<IndexEntry> entries;
  Walk walk(*this, log, end);
  walk.StartAt({0, options.base_offset});
  walk.CollectIndex(&rule, &entries);
  MYKAFKA_RETURN_IF_ERROR(walk.Run());

  // What was appended meanwhile is little; the writer waits for it.
  std::lock_guard<std::mutex> writing(writer_mutex);
  const Boundary reached = end;
  look_at_end();
  Walk rest(*this, log, end);
  rest.StartAt(reached);
  rest.CollectIndex(&rule, &entries);
  MYKAFKA_RETURN_IF_ERROR(rest.Run());

  bool for_appends;
  {
    std::lock_guard<std::mutex> lock(mutex);
    for_appends = !sealed;
  }
  const size_t capacity = std::max(for_appends ? IndexCapacity() : 0, entries.size());
  Result<std::shared_ptr<OffsetIndex>> index = OffsetIndex::Create(*options.file_system, index_path, capacity);
  if (!index.ok()) return index.status();
  MYKAFKA_RETURN_IF_ERROR((*index)->Reserve(entries.size()));
  for (const IndexEntry& entry : entries) (*index)->Append(entry);
  if (!for_appends) MYKAFKA_RETURN_IF_ERROR((*index)->Trim());
  auto replaced = std::make_shared<SegmentFiles>();
  replaced->log = (*opened)->log;
  replaced->index = *index;
  Install(std::move(replaced));
  return Status::Ok();
}

}  // namespace mykafka
