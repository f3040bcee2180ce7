// The files of one directory tree by their names, as the process sees them and as they are on the disk: a name that was
// made, moved or removed is so for certain only when its directory was synced.
#ifndef MYKAFKA_SIM_SIMULATED_DISK_H_
#define MYKAFKA_SIM_SIMULATED_DISK_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/random.h"
#include "sim/stored_file.h"

namespace mykafka::sim {

using StoredFilePointer = std::shared_ptr<StoredFile>;

class SimulatedDisk {
 public:
  explicit SimulatedDisk(Random* random) : random_(random) {}

  // Null where there is none.
  StoredFilePointer Find(const std::string& path) const;
  // False where it exists.
  bool Create(const std::string& path);
  bool Move(const std::string& from, const std::string& to);
  bool Remove(const std::string& path);
  void SyncNames() { changes_.clear(), durable_ = names_; }
  const std::map<std::string, StoredFilePointer>& names() const { return names_; }

  // The number of the next change, of any file.
  uint64_t Number() { return ++number_; }
  void NoticeStores();
  void Unmap();
  void LosePower();
  // Memory is short: clean pages go, also those that a failed sync took for written.
  void DropClean();

 private:
  using Names = std::map<std::string, StoredFilePointer>;
  // What becomes of names together: null is no file.
  struct Change {
    uint64_t number;
    std::vector<std::pair<std::string, StoredFilePointer>> becomes;
  };
  void Make(Change change);
  static void Apply(const Change& change, Names* to);

  Random* const random_;
  uint64_t number_ = 0;
  uint64_t settled_ = 0;  // what came up to here is on the disk
  Names names_;
  Names durable_;
  std::vector<Change> changes_;
};

}  // namespace mykafka::sim

#endif  // MYKAFKA_SIM_SIMULATED_DISK_H_
