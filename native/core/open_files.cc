#include "core/open_files.h"

#include <stdio.h>
#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace mykafka {

namespace {

constexpr size_t kLeast = 10;
constexpr size_t kMost = 65536;
// What Linux has where nothing else is set.
constexpr size_t kUsualMappings = 65530;

// How many mappings the process may have.
size_t MappingLimit() {
  size_t limit = kUsualMappings;
  if (FILE* file = ::fopen("/proc/sys/vm/max_map_count", "re")) {
    if (::fscanf(file, "%zu", &limit) != 1) limit = kUsualMappings;
    ::fclose(file);
  }
  return limit;
}

// Of segments that take appends, which have one file open and two mapped: a half of what the process may have of each.
size_t DefaultLimit() {
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return kLeast;
  const auto by_files = static_cast<size_t>(std::min<rlim_t>(files.rlim_cur / 2, kMost));
  return std::clamp(std::min(by_files, MappingLimit() / 4), kLeast, kMost);
}

}  // namespace

OpenFiles& OpenFiles::Instance() {
  static auto* instance = new OpenFiles();
  return *instance;
}

OpenFiles::OpenFiles() : limit_(DefaultLimit()) {}

void OpenFiles::Add(Owner* owner) {
  Touch(owner);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (owner->place_ != Owner::kNotListed) return;
    owner->place_ = owners_.size();
    owners_.push_back(owner);
    count_.store(owners_.size(), std::memory_order_relaxed);
  }
  if (count() > limit()) Evict(owner);
}

void OpenFiles::Remove(Owner* owner) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (owner->place_ != Owner::kNotListed) Unlist(owner);
}

void OpenFiles::SetLimit(size_t limit) {
  limit_.store(limit, std::memory_order_relaxed);
  Trim();
}

void OpenFiles::Unlist(Owner* owner) {
  Owner* last = owners_.back();
  owners_[owner->place_] = last;
  last->place_ = owner->place_;
  owners_.pop_back();
  owner->place_ = Owner::kNotListed;
  count_.store(owners_.size(), std::memory_order_relaxed);
}

void OpenFiles::Evict(const Owner* newest) {
  std::vector<std::shared_ptr<const void>> released;  // closed when the lock is gone
  std::lock_guard<std::mutex> lock(mutex_);
  if (owners_.size() <= limit()) return;
  // A few more than must go, so that not every open has to look for one.
  size_t excess = owners_.size() - limit() + limit() / 16;
  using Use = std::pair<uint64_t, Owner*>;
  std::vector<Use> by_age;
  by_age.reserve(owners_.size());
  for (Owner* owner : owners_) {
    if (owner != newest) by_age.emplace_back(owner->last_used_.load(std::memory_order_relaxed), owner);
  }
  const auto older_on_top = [](const Use& a, const Use& b) { return a.first > b.first; };
  std::make_heap(by_age.begin(), by_age.end(), older_on_top);
  while (excess > 0 && !by_age.empty()) {
    std::pop_heap(by_age.begin(), by_age.end(), older_on_top);
    Owner* owner = by_age.back().second;
    by_age.pop_back();
    std::shared_ptr<const void> files = owner->ReleaseIfIdle();
    if (files == nullptr) continue;
    released.push_back(std::move(files));
    Unlist(owner);
    --excess;
  }
}

}  // namespace mykafka
