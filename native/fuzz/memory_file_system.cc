#include "fuzz/memory_file_system.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "fuzz/check.h"

namespace mykafka::fuzz {

struct MemoryFileSystem::Node {
  Node() : fd(::memfd_create("mykafka-fuzz", MFD_CLOEXEC)) { FUZZ_CHECK(fd >= 0); }
  ~Node() { ::close(fd); }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const int fd;
};

bool MemoryFileSystem::Fault::Strikes() {
  if (left <= 0 || --left > 0) return false;
  failed = true;
  return true;
}

class MemoryFileSystem::MemoryFile final : public File {
 public:
  MemoryFile(std::shared_ptr<Node> node, std::shared_ptr<Fault> fault)
      : node_(std::move(node)), fault_(std::move(fault)) {}

  Result<size_t> Read(void* into, size_t length, int64_t position, Wait) override {
    if (fault_->Strikes()) return Failure();
    const ssize_t got = ::pread(node_->fd, into, length, static_cast<off_t>(position));
    if (got < 0) return Status::FromErrno("pread", errno);
    return static_cast<size_t>(got);
  }
  Result<size_t> Write(const iovec* parts, int part_count, int64_t position) override {
    if (fault_->Strikes()) return Failure();
    const ssize_t written = ::pwritev(node_->fd, parts, part_count, static_cast<off_t>(position));
    if (written < 0) return Status::FromErrno("pwritev", errno);
    return static_cast<size_t>(written);
  }
  Status Sync() override { return fault_->Strikes() ? Failure() : Status::Ok(); }
  Status Truncate(int64_t length) override {
    if (fault_->Strikes()) return Failure();
    return ::ftruncate(node_->fd, static_cast<off_t>(length)) == 0 ? Status::Ok()
                                                                   : Status::FromErrno("ftruncate", errno);
  }
  Status Allocate(int64_t position, int64_t length) override {
    if (fault_->Strikes()) return Failure();
    const int done = ::fallocate(node_->fd, 0, static_cast<off_t>(position), static_cast<off_t>(length));
    return done == 0 ? Status::Ok() : Status::FromErrno("fallocate", errno);
  }
  Result<int64_t> Size() override {
    if (fault_->Strikes()) return Failure();
    struct stat info = {};
    if (::fstat(node_->fd, &info) != 0) return Status::FromErrno("fstat", errno);
    return static_cast<int64_t>(info.st_size);
  }
  void DropCache() override {}
  // What is mapped through it then cannot be.
  int fd() const override { return fault_->Strikes() ? -1 : node_->fd; }

 private:
  static Status Failure() { return Status::FromErrno("as the input says", EIO); }

  std::shared_ptr<Node> node_;
  std::shared_ptr<Fault> fault_;
};

Result<std::shared_ptr<File>> MemoryFileSystem::Open(const std::string& path, OpenMode mode) {
  if (fault_->Strikes()) return Status::FromErrno("open " + path, EIO);
  auto found = files_.find(path);
  if (mode == OpenMode::kCreateNew) {
    if (found != files_.end()) return Status::FromErrno("open " + path, EEXIST);
    found = files_.emplace(path, std::make_shared<Node>()).first;
  } else if (found == files_.end()) {
    return Status::FromErrno("open " + path, ENOENT);
  }
  return std::shared_ptr<File>(std::make_shared<MemoryFile>(found->second, fault_));
}

Status MemoryFileSystem::Rename(const std::string& from, const std::string& to) {
  if (fault_->Strikes()) return Status::FromErrno("rename " + from, EIO);
  const auto found = files_.find(from);
  if (found == files_.end()) return Status::FromErrno("rename " + from, ENOENT);
  files_[to] = found->second;
  files_.erase(found);
  return Status::Ok();
}

Status MemoryFileSystem::Unlink(const std::string& path) {
  if (fault_->Strikes()) return Status::FromErrno("unlink " + path, EIO);
  return files_.erase(path) > 0 ? Status::Ok() : Status::FromErrno("unlink " + path, ENOENT);
}

Status MemoryFileSystem::SyncDirectory(const std::string&) {
  return fault_->Strikes() ? Status::FromErrno("fsync", EIO) : Status::Ok();
}

void MemoryFileSystem::Put(const std::string& path, const Bytes& bytes) {
  auto node = std::make_shared<Node>();
  const ssize_t written = bytes.empty() ? 0 : ::pwrite(node->fd, bytes.data(), bytes.size(), 0);
  FUZZ_CHECK(written == static_cast<ssize_t>(bytes.size()));
  files_[path] = std::move(node);
}

void MemoryFileSystem::Cut(const std::string& path, size_t length) {
  const auto found = files_.find(path);
  FUZZ_CHECK(found != files_.end());
  FUZZ_CHECK(::ftruncate(found->second->fd, static_cast<off_t>(length)) == 0);
}

Bytes MemoryFileSystem::Get(const std::string& path) const {
  const auto found = files_.find(path);
  FUZZ_CHECK(found != files_.end());
  struct stat info = {};
  FUZZ_CHECK(::fstat(found->second->fd, &info) == 0);
  Bytes bytes(static_cast<size_t>(info.st_size));
  const ssize_t got = bytes.empty() ? 0 : ::pread(found->second->fd, bytes.data(), bytes.size(), 0);
  FUZZ_CHECK(got == static_cast<ssize_t>(bytes.size()));
  return bytes;
}

}  // namespace mykafka::fuzz
