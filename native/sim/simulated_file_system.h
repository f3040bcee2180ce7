// The interface of native/core/file.h on a simulated disk: the process dies at the n-th change, and the n-th operation
// of a kind fails.
#ifndef MYKAFKA_SIM_SIMULATED_FILE_SYSTEM_H_
#define MYKAFKA_SIM_SIMULATED_FILE_SYSTEM_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/file.h"
#include "sim/random.h"
#include "sim/simulated_disk.h"

namespace mykafka::sim {

enum class Operation : uint8_t {
  kOpen,
  kRead,
  kCreate,
  kWrite,
  kSync,
  kTruncate,
  kAllocate,
  kRename,
  kUnlink,
  kSyncDirectory,
};
constexpr int kOperations = 10;

const char* OperationName(Operation operation);

class SimulatedFileSystem : public FileSystem {
 public:
  SimulatedFileSystem(SimulatedDisk* disk, Random* random) : disk_(disk), random_(random) {}

  Result<std::shared_ptr<File>> Open(const std::string& path, OpenMode mode) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status Unlink(const std::string& path) override;
  Status SyncDirectory(const std::string& path) override;

  // The process dies before, in or behind its n-th change from now on (1: the next); then nothing works any more.
  void DieAt(int n) { die_in_ = n; }
  void Die();
  bool dead() const { return dead_; }
  // Another process begins; the power was on all the time or not.
  void Restart(bool power_lost);

  // The n-th operation of the kind from now on fails, and as many behind it as `more` says.
  void FailAt(Operation operation, int n, int sys_errno, int more = 0);
  // So does the next sync behind a write that fails: that of what is cut back.
  void FailSyncBehindWrite() { sync_behind_write_fails_ = true; }
  void Heal() { fail_in_ = -1, fail_left_ = 0, sync_behind_write_fails_ = false; }
  // Operations that failed because they were to.
  int failed() const { return failed_; }
  // Whether a sync was among them, of a file or a directory.
  bool sync_failed() const { return sync_failed_; }
  void ForgetFailures() { failed_ = 0, sync_failed_ = false; }
  // Whether one failed since this process began: pages that it left are as good as not written.
  bool any_sync_failed() const { return any_sync_failed_; }

  // Runs while a file is synced, where it is called at all: appends beside an fdatasync.
  std::function<void()> during_sync;

  // What was done, where it is asked for.
  void Trace(std::vector<std::string>* trace) { trace_ = trace; }
  void Note(const std::string& what) {
    if (trace_ != nullptr) trace_->push_back(what);
  }
  bool traced() const { return trace_ != nullptr; }

 private:
  friend class SimulatedFile;
  // What hinders the operation. Where it is Ok, Done follows when it was done.
  Status Begin(Operation operation, const std::string& path);
  Status Done();

  SimulatedDisk* const disk_;
  Random* const random_;
  int die_in_ = 0;
  bool die_behind_ = false;
  bool dead_ = false;
  Operation fails_ = Operation::kOpen;
  int fail_in_ = -1;
  int fail_left_ = 0;
  int fail_errno_ = 0;
  bool sync_behind_write_fails_ = false;
  int failed_ = 0;
  bool sync_failed_ = false;
  bool any_sync_failed_ = false;
  std::vector<std::string>* trace_ = nullptr;
};

}  // namespace mykafka::sim

#endif  // MYKAFKA_SIM_SIMULATED_FILE_SYSTEM_H_
