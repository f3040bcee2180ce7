#include "binding/file_binding.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <memory>
#include <string>
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

// Closes its descriptor once, by hand or by the garbage collector; the lock goes with it.
class LockedFile {
 public:
  explicit LockedFile(int fd) : fd_(fd) {}
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;
  ~LockedFile() { Release(); }
  void Release() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

Napi::Value LockFile(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  std::string path = StringArgument(info[0], "path");
  int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
  if (fd < 0) throw ToError(env, Status::FromErrno("open " + path, errno));
  auto held = std::make_shared<LockedFile>(fd);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return env.Null();
    throw ToError(env, Status::FromErrno("flock " + path, errno));
  }
  Napi::Object lock = Napi::Object::New(env);
  lock.Set("release", Napi::Function::New(
                          env, [held](const Napi::CallbackInfo&) { held->Release(); }, "release"));
  return lock;
}

}  // namespace

void DefineFiles(Napi::Env env, Napi::Object exports) {
  exports.Set("scanLogFile", Napi::Function::New(env, ScanLogFile, "scanLogFile"));
  exports.Set("syncDirectory", Napi::Function::New(env, SyncDirectory, "syncDirectory"));
  exports.Set("lockFile", Napi::Function::New(env, LockFile, "lockFile"));
}

}  // namespace mykafka
