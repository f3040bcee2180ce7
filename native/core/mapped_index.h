// A file of entries of one length, memory-mapped: what the indexes of a segment are kept in.
//
// Stores go into blocks that were reserved before: a store into a hole on a full disk would be a SIGBUS. The mapping
// is as long as the index may grow, the file only as long as was reserved.
//
// One that is in use needs no descriptor but when its file gets longer or shorter: thousands of logs must not need
// thousands of them.
#ifndef MYKAFKA_CORE_MAPPED_INDEX_H_
#define MYKAFKA_CORE_MAPPED_INDEX_H_

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/file.h"
#include "core/status.h"

namespace mykafka {

class MappedIndex {
 public:
  MappedIndex(const MappedIndex&) = delete;
  MappedIndex& operator=(const MappedIndex&) = delete;

  size_t count() const { return count_.load(std::memory_order_acquire); }
  size_t capacity() const { return capacity_; }

  // Real blocks for this many more entries. Beyond the capacity: kSegmentFull. Where the file is no longer at its path:
  // an error that WasTakenAway tells; what is mapped can be read as before.
  Status Reserve(size_t entries);
  // The file ends behind the last entry. Room must be reserved anew before the next one.
  Status Trim();
  // What is stored is on the disk. A file that was taken away needs none.
  Status Sync();
  // Closes the file; the mapping stays. Reserve and Trim open it again where they need it.
  void CloseFile() { file_ = nullptr; }
  static bool WasTakenAway(const Status& status);

 protected:
  MappedIndex(FileSystem& file_system, std::string path, std::shared_ptr<File> file, size_t entry_length,
              size_t capacity)
      : file_system_(file_system),
        path_(std::move(path)),
        entry_length_(entry_length),
        capacity_(capacity),
        file_(std::move(file)) {}
  ~MappedIndex();

  // The file of a new, empty one in place of what may stand at the path. Mappings of the old file live on.
  static Result<std::shared_ptr<File>> CreateFile(FileSystem& file_system, const std::string& path);

  template <typename Index>
  static Result<std::shared_ptr<Index>> CreateAs(FileSystem& file_system, const std::string& path, size_t capacity) {
    Result<std::shared_ptr<File>> file = CreateFile(file_system, path);
    if (!file.ok()) return file.status();
    std::shared_ptr<Index> index(new Index(file_system, path, *file, capacity));
    MYKAFKA_RETURN_IF_ERROR(index->Map());
    return index;
  }

  // What stands at the path; a missing file is created, and one that cannot be read is as good as missing. Its entries
  // are those before the zeroes at the end of the file, but slot 0 counts where it exists. Reads the file, so that
  // lookups find it in memory. A capacity below the number of entries is raised to it.
  template <typename Index>
  static Result<std::shared_ptr<Index>> OpenAs(FileSystem& file_system, const std::string& path, size_t capacity) {
    Result<std::shared_ptr<File>> file = file_system.Open(path, OpenMode::kReadWrite);
    if (!file.ok()) {
      if (!IsMissing(file.status())) return file.status();
      return CreateAs<Index>(file_system, path, capacity);
    }
    Result<int64_t> size = (*file)->Size();
    if (!size.ok()) return size.status();
    const size_t slots = static_cast<size_t>(*size) / Index::kEntryLength;
    std::shared_ptr<Index> index(new Index(file_system, path, *file, slots > capacity ? slots : capacity));
    if (!index->ReadThrough(slots).ok()) return CreateAs<Index>(file_system, path, capacity);
    MYKAFKA_RETURN_IF_ERROR(index->Map());
    // Blocks of a file that was made elsewhere may be missing; Reserve makes sure of them from the end of the entries
    // on.
    return index;
  }

  uint8_t* Slot(size_t slot) const { return bytes_ + slot * entry_length_; }
  // The slots up to here are written.
  void Publish(size_t count) { count_.store(count, std::memory_order_release); }

 private:
  static bool IsMissing(const Status& status);
  Status Map();
  Status ReadThrough(size_t slots);
  // The file, opened where it is closed.
  Result<std::shared_ptr<File>> Opened() const;

  FileSystem& file_system_;
  const std::string path_;
  const size_t entry_length_;
  const size_t capacity_;
  std::shared_ptr<File> file_;
  // What is mapped: another file may come to stand at the path.
  dev_t device_ = 0;
  ino_t inode_ = 0;
  uint8_t* bytes_ = nullptr;
  std::atomic<size_t> count_{0};
  size_t reserved_ = 0;  // bytes that have blocks
};

}  // namespace mykafka

#endif  // MYKAFKA_CORE_MAPPED_INDEX_H_
