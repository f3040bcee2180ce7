// The sparse offset index of a segment, memory-mapped: [relativeOffset:4][filePosition:4], big-endian.
//
// Disposable: nothing here is believed by its readers, who hold what an entry names against the log.
// Stores go into blocks that were reserved before: a store into a hole on a full disk would be a SIGBUS.
// One writer; Floor... and At are safe on any thread beside it. The mapping is as long as the index may
// grow, the file only as long as was reserved.
#ifndef MYKAFKA_CORE_OFFSET_INDEX_H_
#define MYKAFKA_CORE_OFFSET_INDEX_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/file.h"
#include "core/status.h"

namespace mykafka {

struct IndexEntry {
  uint32_t relative_offset = 0;
  uint32_t position = 0;
};

class OffsetIndex {
 public:
  static constexpr size_t kEntryLength = 8;

  // A new, empty one in place of what may stand at the path. Mappings of the old file live on.
  static Result<std::shared_ptr<OffsetIndex>> Create(FileSystem& file_system, const std::string& path, size_t capacity);
  // What stands at the path; a missing file is created. Its entries are those before the zeroes at the
  // end of the file, but slot 0 counts where it exists: it may be 0,0. Reads the file, so that lookups
  // find it in memory. A capacity below the number of entries is raised to it.
  static Result<std::shared_ptr<OffsetIndex>> Open(FileSystem& file_system, const std::string& path, size_t capacity);

  ~OffsetIndex();
  OffsetIndex(const OffsetIndex&) = delete;
  OffsetIndex& operator=(const OffsetIndex&) = delete;

  size_t count() const { return count_.load(std::memory_order_acquire); }
  size_t capacity() const { return capacity_; }

  IndexEntry At(size_t slot) const;
  std::optional<IndexEntry> Last() const;
  // The last entry with a relative offset (a position) not above the target. `next` gets the one behind
  // it, where there is one.
  std::optional<IndexEntry> FloorByOffset(int64_t relative_offset, std::optional<IndexEntry>* next = nullptr) const;
  std::optional<IndexEntry> FloorByPosition(int64_t position) const;

  // Real blocks for this many more entries. Beyond the capacity: kSegmentFull.
  Status Reserve(size_t entries);
  // Into reserved room.
  void Append(const IndexEntry& entry);
  // Forgets the entries behind the first `count`; their slots become zero.
  void CutTo(size_t count);
  // The file ends behind the last entry. Room must be reserved anew before the next Append.
  Status Trim();

 private:
  OffsetIndex(std::shared_ptr<File> file, size_t capacity) : file_(std::move(file)), capacity_(capacity) {}
  Status Map();
  Status ReadThrough(size_t slots);

  template <typename Key>
  std::optional<IndexEntry> Floor(int64_t target, Key key, std::optional<IndexEntry>* next) const;

  const std::shared_ptr<File> file_;
  const size_t capacity_;
  uint64_t* slots_ = nullptr;
  std::atomic<size_t> count_{0};
  size_t reserved_ = 0;  // slots that have blocks
};

}  // namespace mykafka

#endif  // MYKAFKA_CORE_OFFSET_INDEX_H_
