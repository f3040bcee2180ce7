#include "sim/simulated_disk.h"

#include <set>

namespace mykafka::sim {

StoredFilePointer SimulatedDisk::Find(const std::string& path) const {
  const auto found = names_.find(path);
  return found == names_.end() ? nullptr : found->second;
}

bool SimulatedDisk::Create(const std::string& path) {
  if (names_.count(path) > 0) return false;
  Make({Number(), {{path, std::make_shared<StoredFile>()}}});
  return true;
}

bool SimulatedDisk::Move(const std::string& from, const std::string& to) {
  const StoredFilePointer file = Find(from);
  if (file == nullptr) return false;
  Make({Number(), {{from, nullptr}, {to, file}}});
  return true;
}

bool SimulatedDisk::Remove(const std::string& path) {
  if (names_.count(path) == 0) return false;
  Make({Number(), {{path, nullptr}}});
  return true;
}

void SimulatedDisk::Make(Change change) {
  Apply(change, &names_);
  changes_.push_back(std::move(change));
}

void SimulatedDisk::Apply(const Change& change, Names* to) {
  for (const auto& [path, file] : change.becomes) {
    if (file == nullptr) {
      to->erase(path);
    } else {
      (*to)[path] = file;
    }
  }
}

void SimulatedDisk::NoticeStores() {
  const uint64_t number = Number();
  for (const auto& [path, file] : names_) file->NoticeStores(number);
}

void SimulatedDisk::Unmap() {
  for (const auto& [path, file] : names_) file->Unmapped();
}

void SimulatedDisk::DropClean() {
  for (const auto& [path, file] : names_) file->DropClean(random_);
}

void SimulatedDisk::LosePower() {
  PowerLoss how;
  const uint32_t kind = random_->Below(10);
  how.loss = kind < 5 ? Loss::kEverySector : kind < 8 ? Loss::kInOrder : kind < 9 ? Loss::kAllLost : Loss::kNothingLost;
  how.last = settled_ + random_->Below(number_ - settled_ + 1);
  // Names come true in their order (a journal), or each for itself.
  const bool in_order = random_->OneIn(2);
  uint64_t last = how.loss == Loss::kAllLost ? 0 : random_->OneIn(3) ? number_ : 0;
  if (last == 0 && how.loss != Loss::kAllLost) last = settled_ + random_->Below(number_ - settled_ + 1);
  for (const Change& change : changes_) {
    const bool made = how.loss == Loss::kNothingLost ? true
                      : how.loss == Loss::kInOrder   ? change.number <= how.last
                      : how.loss == Loss::kAllLost   ? false
                      : in_order                     ? change.number <= last
                                                     : random_->OneIn(2);
    if (made) Apply(change, &durable_);
  }
  changes_.clear();
  names_ = durable_;
  std::set<StoredFile*> settled;
  for (const auto& [path, file] : names_) {
    if (settled.insert(file.get()).second) file->Settle(how, random_);
  }
  settled_ = number_;
}

}  // namespace mykafka::sim
