// The system's files, except that the n-th operation of a kind fails, or a write is cut short.
#ifndef MYKAFKA_TEST_FAULTY_FILE_SYSTEM_H_
#define MYKAFKA_TEST_FAULTY_FILE_SYSTEM_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/file.h"

namespace mykafka::testing {

enum class Operation : uint8_t { kOpen, kRead, kWrite, kSync, kTruncate, kAllocate, kRename, kUnlink, kSyncDirectory };

class FaultyFileSystem : public FileSystem {
 public:
  // The n-th operation of this kind from now on (1: the next) on a path that ends in `suffix` fails with
  // this errno, and where `from_then_on` all behind it.
  void Fail(Operation operation, int n, int sys_errno, const std::string& suffix = "", bool from_then_on = false) {
    faults_->Add({operation, n, sys_errno, suffix, from_then_on, std::nullopt});
  }
  // The n-th write takes this many bytes only.
  void CutWrite(int n, size_t bytes, const std::string& suffix = "") {
    faults_->Add({Operation::kWrite, n, 0, suffix, false, bytes});
  }
  void Heal() { faults_->Clear(); }
  int calls(Operation operation) const { return faults_->calls(operation); }

  Result<std::shared_ptr<File>> Open(const std::string& path, OpenMode mode) override {
    if (const int failed = faults_->Next(Operation::kOpen, path)) return Status::FromErrno("open " + path, failed);
    Result<std::shared_ptr<File>> file = system_->Open(path, mode);
    if (!file.ok()) return file;
    return std::shared_ptr<File>(std::make_shared<FaultyFile>(*file, path, faults_));
  }
  Status Rename(const std::string& from, const std::string& to) override {
    if (const int failed = faults_->Next(Operation::kRename, from)) return Status::FromErrno("rename " + from, failed);
    return system_->Rename(from, to);
  }
  Status Unlink(const std::string& path) override {
    if (const int failed = faults_->Next(Operation::kUnlink, path)) return Status::FromErrno("unlink " + path, failed);
    return system_->Unlink(path);
  }
  Status SyncDirectory(const std::string& path) override {
    if (const int failed = faults_->Next(Operation::kSyncDirectory, path)) {
      return Status::FromErrno("fsync " + path, failed);
    }
    return system_->SyncDirectory(path);
  }

 private:
  struct Fault {
    Operation operation;
    int n;
    int sys_errno;
    std::string suffix;
    bool from_then_on;
    std::optional<size_t> cut;
  };

  class Faults {
   public:
    void Add(Fault fault) {
      std::lock_guard<std::mutex> lock(mutex_);
      faults_.push_back(std::move(fault));
    }
    void Clear() {
      std::lock_guard<std::mutex> lock(mutex_);
      faults_.clear();
    }
    int calls(Operation operation) {
      std::lock_guard<std::mutex> lock(mutex_);
      return calls_[static_cast<size_t>(operation)];
    }
    // The errno that this operation fails with, or 0. `cut` is set where a write is cut short.
    int Next(Operation operation, const std::string& path, std::optional<size_t>* cut = nullptr) {
      std::lock_guard<std::mutex> lock(mutex_);
      ++calls_[static_cast<size_t>(operation)];
      for (Fault& fault : faults_) {
        const bool meant = fault.operation == operation && path.size() >= fault.suffix.size() &&
                           path.compare(path.size() - fault.suffix.size(), std::string::npos, fault.suffix) == 0;
        if (!meant || fault.n <= 0) continue;
        if (--fault.n > 0) continue;
        if (fault.from_then_on) fault.n = 1;
        if (fault.cut) *cut = fault.cut;
        return fault.sys_errno;
      }
      return 0;
    }

   private:
    std::mutex mutex_;
    std::vector<Fault> faults_;
    std::array<int, 16> calls_{};
  };

  class FaultyFile : public File {
   public:
    FaultyFile(std::shared_ptr<File> file, std::string path, std::shared_ptr<Faults> faults)
        : file_(std::move(file)), path_(std::move(path)), faults_(std::move(faults)) {}

    Result<size_t> Read(void* into, size_t length, int64_t position, Wait wait) override {
      if (const int failed = Next(Operation::kRead)) return Failure(failed);
      return file_->Read(into, length, position, wait);
    }
    Result<size_t> Write(const iovec* parts, int part_count, int64_t position) override {
      std::optional<size_t> cut;
      if (const int failed = faults_->Next(Operation::kWrite, path_, &cut)) return Failure(failed);
      if (!cut) return file_->Write(parts, part_count, position);
      std::vector<iovec> some;
      size_t left = *cut;
      for (int i = 0; i < part_count && left > 0; ++i) {
        some.push_back({parts[i].iov_base, std::min(left, parts[i].iov_len)});
        left -= some.back().iov_len;
      }
      return some.empty() ? Result<size_t>(0) : file_->Write(some.data(), static_cast<int>(some.size()), position);
    }
    Status Sync() override {
      return Or(Operation::kSync, [&] { return file_->Sync(); });
    }
    Status Truncate(int64_t length) override {
      return Or(Operation::kTruncate, [&] { return file_->Truncate(length); });
    }
    Status Allocate(int64_t position, int64_t length) override {
      return Or(Operation::kAllocate, [&] { return file_->Allocate(position, length); });
    }
    Result<int64_t> Size() override { return file_->Size(); }
    void DropCache() override { file_->DropCache(); }
    int fd() const override { return file_->fd(); }

   private:
    int Next(Operation operation) { return faults_->Next(operation, path_); }
    Status Failure(int sys_errno) const { return Status::FromErrno("injected " + path_, sys_errno); }
    template <typename F>
    Status Or(Operation operation, F real) {
      if (const int failed = Next(operation)) return Failure(failed);
      return real();
    }

    std::shared_ptr<File> file_;
    std::string path_;
    std::shared_ptr<Faults> faults_;
  };

  std::shared_ptr<FileSystem> system_ = FileSystem::Posix();
  std::shared_ptr<Faults> faults_ = std::make_shared<Faults>();
};

}  // namespace mykafka::testing

#endif  // MYKAFKA_TEST_FAULTY_FILE_SYSTEM_H_
