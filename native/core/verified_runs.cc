#include "core/verified_runs.h"

#include <algorithm>
#include <iterator>

namespace mykafka {

// Whether two runs, the first not behind the second, are one: they overlap, or one begins where the other
// ends. At the same place with another offset, there is a gap between them.
bool VerifiedRuns::Join(const Run& first, const Run& second) const {
  if (first.to == second.from || first.to.position > second.from.position) return true;
  return sparse_ && first.to.position == second.from.position && first.to.offset < second.from.offset;
}

void VerifiedRuns::Cover(Run* run, const Run& other) const {
  if (other.from.position < run->from.position) run->from = other.from;
  const bool behind = other.to.position == run->to.position && other.to.offset > run->to.offset;
  if (other.to.position > run->to.position || (sparse_ && behind)) run->to = other.to;
}

void VerifiedRuns::Add(const Run& run) {
  if (run.from.position >= run.to.position) return;
  auto next = runs_.upper_bound(run.from.position);
  if (sparse_ && next != runs_.begin()) {
    const auto same = std::prev(next);
    if (same->first.position == run.from.position && same->first.offset > run.from.offset) {
      // It was reached by the index: only now it is known where the gap before it begins.
      Run wider = same->second;
      wider.from = run.from;
      Cover(&wider, run);
      runs_.erase(same);
      return Add(wider);
    }
  }
  auto joined = runs_.end();
  if (next != runs_.begin() && Join(std::prev(next)->second, run)) {
    joined = std::prev(next);
    Cover(&joined->second, run);
  } else {
    joined = runs_.emplace_hint(next, run.from, run);
  }
  while (next != runs_.end() && Join(joined->second, next->second)) {
    Cover(&joined->second, next->second);
    next = runs_.erase(next);
  }
}

const Run* VerifiedRuns::Holding(int64_t offset) const {
  const Run* run = LastFromOffset(offset);
  return run != nullptr && offset < run->to.offset ? run : nullptr;
}

const Run* VerifiedRuns::LastFrom(int64_t position) const {
  auto behind = runs_.upper_bound(position);
  return behind == runs_.begin() ? nullptr : &std::prev(behind)->second;
}

const Run* VerifiedRuns::LastFromOffset(int64_t offset) const {
  auto behind = runs_.upper_bound(ByOffset{offset});
  return behind == runs_.begin() ? nullptr : &std::prev(behind)->second;
}

const Run* VerifiedRuns::FirstBehind(int64_t position) const {
  auto behind = runs_.upper_bound(position);
  return behind == runs_.end() ? nullptr : &behind->second;
}

void VerifiedRuns::CutAt(const Boundary& end) {
  runs_.erase(runs_.lower_bound(end), runs_.end());
  if (runs_.empty()) return;
  Run& last = runs_.rbegin()->second;
  if (last.to.position > end.position || last.to.offset > end.offset) last.to = end;
}

}  // namespace mykafka
