#include "binding/file_binding.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "binding/addon_state.h"
#include "binding/arguments.h"
#include "core/entry_scanner.h"

namespace mykafka {

namespace {

constexpr size_t kScanFields = 8;  // src/native/native.ts: SCAN

struct Scanned {
  RecordFormat format = RecordFormat::kMykafka;
  std::vector<double> fields;
  int64_t next_position = 0;
  int64_t end = 0;
};

Result<Scanned> Scan(const std::string& path, int64_t position, int64_t limit) {
  Result<std::shared_ptr<File>> file = FileSystem::Posix()->Open(path, OpenMode::kReadOnly);
  if (!file.ok()) return file.status();
  Result<int64_t> size = (*file)->Size();
  if (!size.ok()) return size.status();
  Scanned scanned;
  scanned.end = *size;
  Result<RecordFormat> format = DetectFormat(**file);
  if (!format.ok()) return format.status();
  scanned.format = *format;
  EntryScanner scanner(**file, EntryFormat::Of(scanned.format), position, *size);
  for (int64_t i = 0; i < limit; ++i) {
    ScannedEntry entry;
    Result<bool> found = scanner.Next(&entry);
    if (!found.ok()) return found.status();
    if (!*found) break;
    const EntryHeader& header = entry.header;
    for (double field : {static_cast<double>(entry.position), static_cast<double>(header.length),
                         static_cast<double>(header.offset), static_cast<double>(header.timestamp),
                         static_cast<double>(header.key_length), static_cast<double>(header.value_length),
                         static_cast<double>(entry.verdict), static_cast<double>(header.last_offset)}) {
      scanned.fields.push_back(field);
    }
    if (entry.verdict == EntryVerdict::kTorn || entry.verdict == EntryVerdict::kNotAnEntry) break;
  }
  scanned.next_position = scanner.position();
  return scanned;
}

Napi::Value ScanLogFile(const Napi::CallbackInfo& info) {
  std::string path = StringArgument(info[0], "path");
  int64_t position = OffsetArgument(info[1], "position");
  int64_t limit = IntegerArgument(info[2], "limit", 1, 1 << 20);
  return RunAsync<Scanned>(
      info.Env(), ThreadPool::Reads(), [path, position, limit] { return Scan(path, position, limit); },
      [](Napi::Env env, Scanned& scanned) -> Napi::Value {
        Napi::Float64Array entries = Napi::Float64Array::New(env, scanned.fields.size());
        std::copy(scanned.fields.begin(), scanned.fields.end(), entries.Data());
        Napi::Object object = Napi::Object::New(env);
        object.Set("recordFormat", scanned.format == RecordFormat::kKafka ? "kafka" : "mykafka");
        object.Set("entries", entries);
        object.Set("nextPosition", static_cast<double>(scanned.next_position));
        object.Set("end", static_cast<double>(scanned.end));
        return object;
      });
}

Napi::Value SyncDirectory(const Napi::CallbackInfo& info) {
  std::string path = StringArgument(info[0], "path");
  return RunAsync(info.Env(), ThreadPool::Sync(), [path] { return FileSystem::Posix()->SyncDirectory(path); });
}

Status SyncPath(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Status::FromErrno("open " + path, errno);
#if defined(__APPLE__)
  // A Mac's fsync stops at the drive's cache.
  const bool synced = fcntl(fd, F_FULLFSYNC) == 0 || fsync(fd) == 0;
#else
  const bool synced = fsync(fd) == 0;
#endif
  const int failed = synced ? 0 : errno;
  close(fd);
  return synced ? Status::Ok() : Status::FromErrno("fsync " + path, failed);
}

Napi::Value SyncFile(const Napi::CallbackInfo& info) {
  std::string path = StringArgument(info[0], "path");
  return RunAsync(info.Env(), ThreadPool::Sync(), [path] { return SyncPath(path); });
}

// What this process has locked, by device and inode, whichever of its environments did.
class HeldLocks {
 public:
  using Place = std::pair<dev_t, ino_t>;

  static HeldLocks& Instance() {
    static auto* instance = new HeldLocks();
    return *instance;
  }
  void Add(const Place& place) {
    std::lock_guard<std::mutex> lock(mutex_);
    places_.insert(place);
  }
  void Remove(const Place& place) {
    std::lock_guard<std::mutex> lock(mutex_);
    places_.erase(place);
  }
  bool Has(const Place& place) {
    std::lock_guard<std::mutex> lock(mutex_);
    return places_.count(place) > 0;
  }

 private:
  std::mutex mutex_;
  std::set<Place> places_;
};

// Closes its descriptor once, by hand or by the garbage collector; the lock goes with it.
class LockedFile {
 public:
  LockedFile(int fd, HeldLocks::Place place) : fd_(fd), place_(place) { HeldLocks::Instance().Add(place); }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;
  ~LockedFile() { Release(); }
  void Release() {
    if (fd_ < 0) return;
    HeldLocks::Instance().Remove(place_);
    close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
  HeldLocks::Place place_;
};

Napi::Value LockFile(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  std::string path = StringArgument(info[0], "path");
  int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
  if (fd < 0) throw ToError(env, Status::FromErrno("open " + path, errno));
  struct stat place = {};
  if (flock(fd, LOCK_EX | LOCK_NB) != 0 || fstat(fd, &place) != 0) {
    const int failed = errno;
    close(fd);
    if (failed == EWOULDBLOCK) return env.Null();
    throw ToError(env, Status::FromErrno("flock " + path, failed));
  }
  auto held = std::make_shared<LockedFile>(fd, HeldLocks::Place(place.st_dev, place.st_ino));
  Napi::Object lock = Napi::Object::New(env);
  lock.Set("release", Napi::Function::New(
                          env, [held](const Napi::CallbackInfo&) { held->Release(); }, "release"));
  return lock;
}

Napi::Value IsLockedHere(const Napi::CallbackInfo& info) {
  struct stat place = {};
  const bool found = stat(StringArgument(info[0], "path").c_str(), &place) == 0;
  return Napi::Boolean::New(info.Env(), found && HeldLocks::Instance().Has({place.st_dev, place.st_ino}));
}

}  // namespace

void DefineFiles(Napi::Env env, Napi::Object exports) {
  exports.Set("scanLogFile", Napi::Function::New(env, ScanLogFile, "scanLogFile"));
  exports.Set("syncFile", Napi::Function::New(env, SyncFile, "syncFile"));
  exports.Set("syncDirectory", Napi::Function::New(env, SyncDirectory, "syncDirectory"));
  exports.Set("lockFile", Napi::Function::New(env, LockFile, "lockFile"));
  exports.Set("isLockedHere", Napi::Function::New(env, IsLockedHere, "isLockedHere"));
}

}  // namespace mykafka
