// Preloaded into a program (LD_PRELOAD), writes down in one order what the program does to the files of a directory, and
// makes the n-th call of a kind fail. What it is to do it is told by writes into the file RECORDER_CONTROL; any other
// text that is written there becomes a mark in the record. Test only; the format is read by trace.ts.
//
// Not seen: stores into mapped files. The indexes are mapped and trusted by nobody, so the reader of the record lets
// them hold anything.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace {

constexpr int kMostFiles = 4096;
constexpr int kRecordFd = 3000;

struct OpenFile {
  uint32_t handle = 0;  // 0: not of the directory
  std::string path;
};

struct Fault {
  std::string kind;
  int64_t skip = 0;  // calls that pass before
  int64_t left = 0;  // calls that fail then
  int error = 0;
  bool short_first = false;  // the first of them writes a part
};

std::mutex& Lock() {
  static auto* lock = new std::mutex;
  return *lock;
}

OpenFile* files = nullptr;
std::atomic<bool> tracked[kMostFiles];
std::atomic<int> control_fd{-1};
std::string* root = nullptr;
Fault* fault = nullptr;
uint32_t last_handle = 0;
int record_fd = -1;

template <typename F>
F Next(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

#define NEXT(name) static const auto next = Next<decltype(&::name)>(#name)

void WriteAll(const void* bytes, size_t length) {
  auto at = static_cast<const char*>(bytes);
  while (length > 0) {
    const long done = syscall(SYS_write, record_fd, at, length);
    if (done <= 0) abort();
    at += done;
    length -= static_cast<size_t>(done);
  }
}

// [kind:1][length:4][body], little-endian.
class Entry {
 public:
  explicit Entry(char kind) : bytes_(1, kind) { bytes_.append(4, '\0'); }
  Entry& Int(uint32_t value) { return Bytes(&value, sizeof value); }
  Entry& Long(uint64_t value) { return Bytes(&value, sizeof value); }
  Entry& Text(const std::string& text) {
    Int(static_cast<uint32_t>(text.size()));
    return Bytes(text.data(), text.size());
  }
  Entry& Bytes(const void* bytes, size_t length) {
    bytes_.append(static_cast<const char*>(bytes), length);
    return *this;
  }
  void Write() {
    if (record_fd < 0) return;
    const auto length = static_cast<uint32_t>(bytes_.size() - 5);
    memcpy(&bytes_[1], &length, sizeof length);
    WriteAll(bytes_.data(), bytes_.size());
  }

 private:
  std::string bytes_;
};

bool IsBelow(const char* path) {
  if (root == nullptr || root->empty()) return false;
  const size_t length = root->size();
  return strncmp(path, root->c_str(), length) == 0 && (path[length] == '/' || path[length] == '\0');
}

// Whether this call is to fail; *part: it is to do a part of what it is asked to.
bool Fails(const char* kind, const std::string& path, bool* part = nullptr) {
  if (fault == nullptr || fault->left <= 0 || fault->kind != kind) return false;
  if (fault->skip > 0) {
    --fault->skip;
    return false;
  }
  --fault->left;
  const bool is_part = fault->short_first && part != nullptr;
  fault->short_first = false;
  Entry('F').Text(kind).Text(path).Write();
  if (is_part) *part = true;
  errno = fault->error;
  return !is_part;
}

void Begin(const std::string& directory, const std::string& path) {
  if (root == nullptr) root = new std::string;
  *root = directory;
  if (record_fd >= 0) syscall(SYS_close, record_fd);
  NEXT(open);
  const int opened = next(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (opened < 0) abort();
  record_fd = fcntl(opened, F_DUPFD_CLOEXEC, kRecordFd);
  if (record_fd < 0) record_fd = opened;
  else syscall(SYS_close, opened);
}

void Command(const std::string& text) {
  const std::lock_guard<std::mutex> locked(Lock());
  std::vector<std::string> words;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (words[0] == "!begin" && words.size() >= 3) {
    Begin(words[1], words[2]);
  } else if (words[0] == "!end") {
    if (record_fd >= 0) syscall(SYS_close, record_fd);
    record_fd = -1;
    if (root != nullptr) root->clear();
  } else if (words[0] == "!fault" && words.size() >= 6) {
    delete fault;
    fault = new Fault{words[1], atoll(words[2].c_str()), atoll(words[3].c_str()), atoi(words[4].c_str()),
                      words[5] == "short"};
  } else if (words[0] == "!well") {
    delete fault;
    fault = nullptr;
  } else {
    Entry('M').Bytes(text.data(), text.size()).Write();
  }
}

void Track(int fd, uint32_t handle, const std::string& path) {
  if (fd < 0 || fd >= kMostFiles) return;
  if (files == nullptr) files = new OpenFile[kMostFiles];
  files[fd] = {handle, path};
  tracked[fd] = handle != 0;
}

bool IsTracked(int fd) {
  return fd >= 0 && fd < kMostFiles && tracked[fd];
}

template <typename F>
int Open(const char* path, int flags, F open) {
  const char* control = getenv("RECORDER_CONTROL");
  if (control != nullptr && strcmp(path, control) == 0) {
    const int fd = open();
    control_fd = fd;
    return fd;
  }
  const std::lock_guard<std::mutex> locked(Lock());
  if (!IsBelow(path)) {
    const int fd = open();
    if (fd >= 0 && fd < kMostFiles) tracked[fd] = false;
    return fd;
  }
  if (Fails("open", path)) return -1;
  const int fd = open();
  if (fd < 0) return fd;
  const uint32_t handle = ++last_handle;
  Track(fd, handle, path);
  const uint32_t does = ((flags & O_CREAT) != 0 ? 1u : 0u) | ((flags & O_TRUNC) != 0 ? 2u : 0u);
  Entry('O').Int(handle).Int(does).Text(path).Write();
  return fd;
}

mode_t ModeOf(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

// A write at a position; `call` makes it, of so many bytes at the most.
template <typename F>
ssize_t Write(int fd, const iovec* parts, int count, int64_t position, F call) {
  const std::lock_guard<std::mutex> locked(Lock());
  const OpenFile& file = files[fd];
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
  bool part = false;
  if (Fails("write", file.path, &part)) return -1;
  if (position < 0) position = lseek(fd, 0, SEEK_CUR);
  ssize_t done = 0;
  if (part && bytes.size() > 1) {
    bytes.resize(bytes.size() / 2);
    const iovec half = {bytes.data(), bytes.size()};
    done = call(&half, 1);
  } else {
    done = call(parts, count);
  }
  if (done > 0) {
    Entry('W').Int(file.handle).Long(static_cast<uint64_t>(position)).Bytes(bytes.data(), static_cast<size_t>(done)).Write();
  }
  return done;
}

template <typename F>
int Sync(int fd, F call) {
  const std::lock_guard<std::mutex> locked(Lock());
  const bool fails = Fails("sync", files[fd].path);
  const int error = errno;
  const int done = fails ? -1 : call();
  Entry('S').Int(files[fd].handle).Int(done == 0 ? 0 : 1).Write();
  if (fails) errno = error;
  return done;
}

template <typename F>
int Truncate(int fd, int64_t length, F call) {
  const std::lock_guard<std::mutex> locked(Lock());
  if (Fails("truncate", files[fd].path)) return -1;
  const int done = call();
  if (done == 0) Entry('T').Int(files[fd].handle).Long(static_cast<uint64_t>(length)).Write();
  return done;
}

template <typename F>
int Allocate(int fd, int mode, int64_t position, int64_t length, F call) {
  const std::lock_guard<std::mutex> locked(Lock());
  if (Fails("allocate", files[fd].path)) return -1;
  const int done = call();
  if (done == 0 && mode == 0) Entry('A').Int(files[fd].handle).Long(static_cast<uint64_t>(position + length)).Write();
  return done;
}

// What changes a name, or two.
template <typename F>
int Name(const char* kind, char entry, const char* path, const char* other, F call) {
  const std::lock_guard<std::mutex> locked(Lock());
  if (!IsBelow(path) && (other == nullptr || !IsBelow(other))) return call();
  if (Fails(kind, path)) return -1;
  const int done = call();
  if (done == 0) {
    Entry named(entry);
    named.Text(path);
    if (other != nullptr) named.Text(other);
    named.Write();
  }
  return done;
}

}  // namespace

extern "C" {

#define OPEN(name)                                                     \
  int name(const char* path, int flags, ...) {                         \
    NEXT(name);                                                        \
    va_list arguments;                                                 \
    va_start(arguments, flags);                                        \
    const mode_t mode = ModeOf(flags, arguments);                      \
    va_end(arguments);                                                 \
    return Open(path, flags, [&] { return next(path, flags, mode); }); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                              \
  int name(int directory, const char* path, int flags, ...) {                     \
    NEXT(name);                                                                   \
    va_list arguments;                                                            \
    va_start(arguments, flags);                                                   \
    const mode_t mode = ModeOf(flags, arguments);                                 \
    va_end(arguments);                                                            \
    return Open(path, flags, [&] { return next(directory, path, flags, mode); }); \
  }
OPENAT(openat)
OPENAT(openat64)

int close(int fd) {
  NEXT(close);
  if (fd >= 0 && fd < kMostFiles) tracked[fd] = false;
  return next(fd);
}

ssize_t write(int fd, const void* bytes, size_t length) {
  NEXT(write);
  if (fd >= 0 && fd == control_fd) {
    Command(std::string(static_cast<const char*>(bytes), length));
    return static_cast<ssize_t>(length);
  }
  if (!IsTracked(fd)) return next(fd, bytes, length);
  const iovec part = {const_cast<void*>(bytes), length};
  return Write(fd, &part, 1, -1, [&](const iovec* parts, int) { return next(fd, parts->iov_base, parts->iov_len); });
}

ssize_t writev(int fd, const iovec* parts, int count) {
  NEXT(writev);
  if (!IsTracked(fd)) return next(fd, parts, count);
  return Write(fd, parts, count, -1, [&](const iovec* given, int many) { return next(fd, given, many); });
}

#define PWRITE(name)                                                                                     \
  ssize_t name(int fd, const void* bytes, size_t length, off_t position) {                               \
    NEXT(name);                                                                                          \
    if (!IsTracked(fd)) return next(fd, bytes, length, position);                                        \
    const iovec part = {const_cast<void*>(bytes), length};                                               \
    return Write(fd, &part, 1, position,                                                                 \
                 [&](const iovec* parts, int) { return next(fd, parts->iov_base, parts->iov_len, position); }); \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

#define PWRITEV(name)                                                                                       \
  ssize_t name(int fd, const iovec* parts, int count, off_t position) {                                     \
    NEXT(name);                                                                                             \
    if (!IsTracked(fd)) return next(fd, parts, count, position);                                            \
    return Write(fd, parts, count, position,                                                                \
                 [&](const iovec* given, int many) { return next(fd, given, many, position); });            \
  }
PWRITEV(pwritev)
PWRITEV(pwritev64)

int fsync(int fd) {
  NEXT(fsync);
  return IsTracked(fd) ? Sync(fd, [&] { return next(fd); }) : next(fd);
}

int fdatasync(int fd) {
  NEXT(fdatasync);
  return IsTracked(fd) ? Sync(fd, [&] { return next(fd); }) : next(fd);
}

// What was read behind it is what the disk has.
#define FADVISE(name)                                                     \
  int name(int fd, off_t position, off_t length, int advice) __THROW {    \
    NEXT(name);                                                           \
    if (IsTracked(fd) && advice == POSIX_FADV_DONTNEED) {                 \
      const std::lock_guard<std::mutex> locked(Lock());                   \
      Entry('N').Int(files[fd].handle).Write();                           \
    }                                                                     \
    return next(fd, position, length, advice);                            \
  }
FADVISE(posix_fadvise)
FADVISE(posix_fadvise64)

#define FTRUNCATE(name)                                                                                  \
  int name(int fd, off_t length) __THROW {                                                                       \
    NEXT(name);                                                                                          \
    return IsTracked(fd) ? Truncate(fd, length, [&] { return next(fd, length); }) : next(fd, length);    \
  }
FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)

#define FALLOCATE(name)                                                                   \
  int name(int fd, int mode, off_t position, off_t length) {                              \
    NEXT(name);                                                                           \
    auto call = [&] { return next(fd, mode, position, length); };                         \
    return IsTracked(fd) ? Allocate(fd, mode, position, length, call) : call();           \
  }
FALLOCATE(fallocate)
FALLOCATE(fallocate64)

int rename(const char* from, const char* to) __THROW {
  NEXT(rename);
  return Name("rename", 'R', from, to, [&] { return next(from, to); });
}

int renameat2(int from_directory, const char* from, int to_directory, const char* to, unsigned flags) __THROW {
  NEXT(renameat2);
  return Name("rename", 'R', from, to, [&] { return next(from_directory, from, to_directory, to, flags); });
}

int link(const char* from, const char* to) __THROW {
  NEXT(link);
  return Name("link", 'L', from, to, [&] { return next(from, to); });
}

int unlink(const char* path) __THROW {
  NEXT(unlink);
  return Name("unlink", 'U', path, nullptr, [&] { return next(path); });
}

int rmdir(const char* path) __THROW {
  NEXT(rmdir);
  return Name("unlink", 'U', path, nullptr, [&] { return next(path); });
}

// What goes by a directory's descriptor would escape the record.
int unlinkat(int directory, const char* path, int flags) __THROW {
  NEXT(unlinkat);
  if (root != nullptr && !root->empty() && path[0] != '/') abort();
  return Name("unlink", 'U', path, nullptr, [&] { return next(directory, path, flags); });
}

int mkdir(const char* path, mode_t mode) __THROW {
  NEXT(mkdir);
  return Name("mkdir", 'D', path, nullptr, [&] { return next(path, mode); });
}

}  // extern "C"
