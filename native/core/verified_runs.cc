#include "core/verified_runs.h"

#include <algorithm>
#include <iterator>

namespace mykafka {

namespace {

// Whether two runs, the first not behind the second, are one: they overlap, or one begins where the other
// ends. At the same place with another offset, there is a gap between them.
bool Join(const Run& first, const Run& second) {
  return first.to == second.from || first.to.position > second.from.position;
}

void Cover(Run* run, const Run& other) {
  if (other.from.position < run->from.position) run->from = other.from;
  if (other.to.position > run->to.position) run->to = other.to;
}

}  // namespace

void VerifiedRuns::Add(const Run& run) {
  if (run.from.position >= run.to.position) return;
  auto next = runs_.upper_bound(run.from.position);
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
  if (last.to.position > end.position) last.to = end;
}

}  // namespace mykafka
