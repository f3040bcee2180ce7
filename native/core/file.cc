#include "core/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace mykafka {

namespace {

constexpr mode_t kFileMode = 0640;  // as src/log/file-modes.ts has it

// Calls until it is not interrupted.
template <typename F>
auto Retry(F call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// Everything that was written, on the disk itself (a Mac's fsync stops at the drive's cache).
int SyncToDisk(int fd) {
#if defined(__APPLE__)
  const int done = Retry([fd] { return fcntl(fd, F_FULLFSYNC); });
  return done == 0 ? 0 : Retry([fd] { return fsync(fd); });
#elif defined(__linux__)
  return Retry([fd] { return fdatasync(fd); });
#else
  return Retry([fd] { return fsync(fd); });
#endif
}

class PosixFile : public File {
 public:
  PosixFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;
  ~PosixFile() override { ::close(fd_); }

  Result<size_t> Read(void* into, size_t length, int64_t position, Wait wait) override {
#if defined(__linux__) && defined(RWF_NOWAIT)
    if (wait == Wait::kNever && can_ask_cache_.load(std::memory_order_relaxed)) {
      bool answered = false;
      Result<size_t> result = ReadCached(into, length, position, &answered);
      if (answered) return result;
      can_ask_cache_.store(false, std::memory_order_relaxed);
    }
#endif
    (void)wait;
    size_t done = 0;
    while (done < length) {
      const ssize_t got = Retry([&] {
        return ::pread(fd_, static_cast<char*>(into) + done, length - done,
                       static_cast<off_t>(position + static_cast<int64_t>(done)));
      });
      if (got < 0) return Failure("pread");
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    return done;
  }

  Result<size_t> Write(const iovec* parts, int part_count, int64_t position) override {
    const ssize_t written = Retry([&] { return ::pwritev(fd_, parts, part_count, static_cast<off_t>(position)); });
    if (written < 0) return Failure("pwritev");
    return static_cast<size_t>(written);
  }

  Status Sync() override {
    if (SyncToDisk(fd_) != 0) return Failure("fdatasync");
    struct stat info = {};
    if (::fstat(fd_, &info) != 0) return Failure("fstat");
    // What has no name any more is gone with the process, whatever the disk has of it.
    return info.st_nlink > 0 ? Status::Ok() : Status::FromErrno(path_ + " was removed", ESTALE);
  }

  Status Truncate(int64_t length) override {
    const int done = Retry([&] { return ::ftruncate(fd_, static_cast<off_t>(length)); });
    return done == 0 ? Status::Ok() : Failure("ftruncate");
  }

  Status Allocate(int64_t position, int64_t length) override {
    Result<int64_t> size = Size();
    if (!size.ok()) return size.status();
    Status status = AllocateBlocks(position, length, *size);
    // What was allocated before the space ran out goes back.
    if (!status.ok() && ::ftruncate(fd_, static_cast<off_t>(*size)) != 0) return status;
    return status;
  }

  Result<int64_t> Size() override {
    struct stat info = {};
    if (::fstat(fd_, &info) != 0) return Failure("fstat");
    return static_cast<int64_t>(info.st_size);
  }

  void DropCache() override {
#ifdef POSIX_FADV_DONTNEED
    (void)::posix_fadvise(fd_, 0, 0, POSIX_FADV_DONTNEED);
#endif
  }

  int fd() const override {
    return fd_;
  }

 private:
  Status Failure(const char* call) const {
    return Status::FromErrno(std::string(call) + " " + path_, errno);
  }

#if defined(__linux__) && defined(RWF_NOWAIT)
  // answered is false where this file system cannot tell what is in memory.
  Result<size_t> ReadCached(void* into, size_t length, int64_t position, bool* answered) {
    const iovec part = {into, length};
    const ssize_t got = Retry([&] { return ::preadv2(fd_, &part, 1, static_cast<off_t>(position), RWF_NOWAIT); });
    *answered = got >= 0 || (errno != EOPNOTSUPP && errno != ENOSYS);
    if (got == static_cast<ssize_t>(length)) return length;
    if (got < 0) return errno == EAGAIN ? NotInMemory() : Failure("preadv2");
    // Short at the end of the file, or where the next page is not in memory.
    Result<int64_t> size = Size();
    if (!size.ok()) return size.status();
    if (position + got >= *size) return static_cast<size_t>(got);
    return NotInMemory();
  }

  static Status NotInMemory() {
    return {Code::kWouldBlock, "not in memory"};
  }

  std::atomic<bool> can_ask_cache_{true};
#endif

  Status AllocateBlocks(int64_t position, int64_t length, int64_t size) {
#ifdef __linux__
    const int done =
        Retry([&] { return ::fallocate(fd_, 0, static_cast<off_t>(position), static_cast<off_t>(length)); });
    if (done == 0) return Status::Ok();
    if (errno != EOPNOTSUPP && errno != ENOSYS) return Failure("fallocate");
#endif
    static const char kZeroes[4096] = {};
    for (int64_t at = std::max(position, size); at < position + length;) {
      const auto want = static_cast<size_t>(std::min<int64_t>(sizeof kZeroes, position + length - at));
      const ssize_t written = Retry([&] { return ::pwrite(fd_, kZeroes, want, static_cast<off_t>(at)); });
      if (written < 0) return Failure("pwrite");
      at += written;
    }
    return Status::Ok();
  }

  const int fd_;
  const std::string path_;
};

class PosixFileSystem : public FileSystem {
 public:
  Result<std::shared_ptr<File>> Open(const std::string& path, OpenMode mode) override {
    int flags = O_CLOEXEC;
    switch (mode) {
      case OpenMode::kReadOnly:
        flags |= O_RDONLY;
        break;
      case OpenMode::kReadWrite:
        flags |= O_RDWR;
        break;
      case OpenMode::kCreateNew:
        flags |= O_RDWR | O_CREAT | O_EXCL;
        break;
    }
    const int fd = Retry([&] { return ::open(path.c_str(), flags, kFileMode); });
    if (fd < 0) return Status::FromErrno("open " + path, errno);
    return std::shared_ptr<File>(std::make_shared<PosixFile>(fd, path));
  }

  Status Rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) == 0) return Status::Ok();
    return Status::FromErrno("rename " + from, errno);
  }

  Status Unlink(const std::string& path) override {
    if (::unlink(path.c_str()) == 0) return Status::Ok();
    return Status::FromErrno("unlink " + path, errno);
  }

  Status SyncDirectory(const std::string& path) override {
    const int fd = Retry([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    if (fd < 0) return Status::FromErrno("open " + path, errno);
    const int done = Retry([fd] { return ::fsync(fd); });
    const int failed = errno;
    ::close(fd);
    return done == 0 ? Status::Ok() : Status::FromErrno("fsync " + path, failed);
  }
};

}  // namespace

std::shared_ptr<FileSystem> FileSystem::Posix() {
  static auto* instance = new std::shared_ptr<FileSystem>(std::make_shared<PosixFileSystem>());
  return *instance;
}

Status WriteFully(File& file, iovec* parts, size_t part_count, int64_t position) {
  while (part_count > 0) {
    Result<size_t> written = file.Write(parts, static_cast<int>(std::min<size_t>(part_count, IOV_MAX)), position);
    if (!written.ok()) return written.status();
    position += static_cast<int64_t>(*written);
    size_t left = *written;
    while (part_count > 0 && left >= parts->iov_len) {
      left -= parts->iov_len;
      ++parts;
      --part_count;
    }
    if (part_count == 0) break;
    parts->iov_base = static_cast<char*>(parts->iov_base) + left;
    parts->iov_len -= left;
    // A regular file takes something or says why not; 0 for ever must not be a loop for ever.
    if (*written == 0) return {Code::kIo, "nothing could be written", EIO};
  }
  return Status::Ok();
}

Status ReadFully(File& file, void* into, size_t length, int64_t position, Wait wait) {
  Result<size_t> got = file.Read(into, length, position, wait);
  if (!got.ok()) return got.status();
  if (*got == length) return Status::Ok();
  return {Code::kCorrupt, "the file ends before position " + std::to_string(position + static_cast<int64_t>(length))};
}

}  // namespace mykafka
