#include "sim/simulated_file_system.h"

#include <errno.h>

#include <algorithm>
#include <utility>

namespace mykafka::sim {

namespace {

std::string NameOf(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

Status Refused(const std::string& path, int sys_errno) {
  return Status::FromErrno("simulated " + path, sys_errno);
}

}  // namespace

const char* OperationName(Operation operation) {
  static const char* const kNames[kOperations] = {"open",     "read",     "create", "write",  "sync",
                                                  "truncate", "allocate", "rename", "unlink", "sync of the directory"};
  return kNames[static_cast<int>(operation)];
}

class SimulatedFile : public File {
 public:
  SimulatedFile(SimulatedFileSystem* system, StoredFilePointer inode, std::string path)
      : system_(system), inode_(std::move(inode)), path_(std::move(path)) {}

  Result<size_t> Read(void* into, size_t length, int64_t position, Wait) override {
    MYKAFKA_RETURN_IF_ERROR(system_->Begin(Operation::kRead, path_));
    return inode_->Read(into, length, position);
  }

  Result<size_t> Write(const iovec* parts, int part_count, int64_t position) override {
    size_t length = 0;
    for (int i = 0; i < part_count; ++i) length += parts[i].iov_len;
    Status failed =
        system_->Begin(Operation::kWrite, path_ + " " + std::to_string(position) + "+" + std::to_string(length));
    if (system_->dead()) return failed;
    size_t written = length;
    if (!failed.ok()) {
      // Some of it may have been written before: that is a short write, and what follows it fails.
      written = system_->random_->OneIn(2) ? 0 : system_->random_->Below(length);
      if (written == 0) {
        if (std::exchange(system_->sync_behind_write_fails_, false)) system_->FailAt(Operation::kSync, 1, EIO);
        return failed;
      }
      system_->fail_in_ = 1;
    }
    inode_->Write(parts, part_count, written, position, system_->disk_->Number());
    MYKAFKA_RETURN_IF_ERROR(system_->Done());
    return written;
  }

  Status Sync() override {
    Status failed = system_->Begin(Operation::kSync, path_);
    if (system_->dead()) return failed;
    inode_->NoticeStores(system_->disk_->Number());
    inode_->BeginSync();
    if (system_->during_sync) {
      const std::function<void()> run = std::exchange(system_->during_sync, nullptr);
      run();
      if (system_->dead()) return Refused(path_, EIO);
    }
    inode_->EndSync(failed.ok());
    if (!failed.ok()) return failed;
    return system_->Done();
  }

  Status Truncate(int64_t length) override {
    MYKAFKA_RETURN_IF_ERROR(system_->Begin(Operation::kTruncate, path_ + " to " + std::to_string(length)));
    inode_->SetLength(length, system_->disk_->Number());
    return system_->Done();
  }

  Status Allocate(int64_t position, int64_t length) override {
    MYKAFKA_RETURN_IF_ERROR(system_->Begin(Operation::kAllocate, path_ + " to " + std::to_string(position + length)));
    if (position + length > inode_->length()) inode_->SetLength(position + length, system_->disk_->Number());
    return system_->Done();
  }

  Result<int64_t> Size() override { return inode_->length(); }
  void DropCache() override {
    if (!system_->dead()) inode_->DropClean(system_->random_);
  }
  int fd() const override { return inode_->MappableFd(); }

 private:
  SimulatedFileSystem* const system_;
  const StoredFilePointer inode_;
  const std::string path_;
};

Status SimulatedFileSystem::Begin(Operation operation, const std::string& path) {
  if (dead_) return Refused(path, EIO);
  if (operation == fails_ && fail_in_ > 0 && --fail_in_ == 0) {
    if (fail_left_ > 0) {
      --fail_left_;
      fail_in_ = 1;
    }
    ++failed_;
    sync_failed_ = sync_failed_ || operation == Operation::kSync || operation == Operation::kSyncDirectory;
    any_sync_failed_ = any_sync_failed_ || sync_failed_;
    if (traced()) Note(std::string(OperationName(operation)) + " " + NameOf(path) + " fails");
    return Refused(path, fail_errno_);
  }
  if (operation <= Operation::kRead) return Status::Ok();
  if (traced()) Note(std::string(OperationName(operation)) + " " + NameOf(path));
  if (die_in_ > 0 && --die_in_ == 0) {
    die_behind_ = random_->OneIn(2);
    if (!die_behind_) {
      Die();
      return Refused(path, EIO);
    }
  }
  // The system writes pages back whenever it likes.
  if (random_->OneIn(8)) disk_->NoticeStores();
  return Status::Ok();
}

Status SimulatedFileSystem::Done() {
  if (!die_behind_) return Status::Ok();
  Die();
  return Refused("", EIO);
}

void SimulatedFileSystem::Die() {
  if (dead_) return;
  Note("the process dies");
  disk_->NoticeStores();
  dead_ = true;
  die_in_ = 0;
  die_behind_ = false;
}

void SimulatedFileSystem::Restart(bool power_lost) {
  Die();
  Heal();
  during_sync = nullptr;
  disk_->Unmap();
  if (power_lost) {
    disk_->LosePower();
  } else if (any_sync_failed_) {
    disk_->DropClean();
  }
  any_sync_failed_ = false;
  Note(power_lost ? "the power comes back" : "another process begins");
  dead_ = false;
}

void SimulatedFileSystem::FailAt(Operation operation, int n, int sys_errno, int more) {
  fails_ = operation;
  fail_in_ = n;
  fail_left_ = more;
  fail_errno_ = sys_errno;
}

Result<std::shared_ptr<File>> SimulatedFileSystem::Open(const std::string& path, OpenMode mode) {
  const bool creates = mode == OpenMode::kCreateNew;
  if (creates && !dead_ && disk_->Find(path) != nullptr) return Refused(path, EEXIST);
  MYKAFKA_RETURN_IF_ERROR(Begin(creates ? Operation::kCreate : Operation::kOpen, path));
  if (creates) {
    disk_->Create(path);
    MYKAFKA_RETURN_IF_ERROR(Done());
  }
  StoredFilePointer inode = disk_->Find(path);
  if (inode == nullptr) return Refused(path, ENOENT);
  return std::shared_ptr<File>(std::make_shared<SimulatedFile>(this, std::move(inode), path));
}

Status SimulatedFileSystem::Rename(const std::string& from, const std::string& to) {
  MYKAFKA_RETURN_IF_ERROR(Begin(Operation::kRename, from + " to " + NameOf(to)));
  if (!disk_->Move(from, to)) return Refused(from, ENOENT);
  return Done();
}

Status SimulatedFileSystem::Unlink(const std::string& path) {
  MYKAFKA_RETURN_IF_ERROR(Begin(Operation::kUnlink, path));
  if (!disk_->Remove(path)) return Refused(path, ENOENT);
  return Done();
}

Status SimulatedFileSystem::SyncDirectory(const std::string& path) {
  MYKAFKA_RETURN_IF_ERROR(Begin(Operation::kSyncDirectory, path));
  disk_->SyncNames();
  return Done();
}

}  // namespace mykafka::sim
