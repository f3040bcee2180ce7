// The time index of a segment: [timestamp:8][relativeOffset:4], big-endian. An entry says that no entry of the log up
// to that offset has a larger timestamp than this; both ascend.
//
// With each entry of the offset index comes one here, where the largest timestamp so far has grown: that timestamp and
// the offset of the first entry that has it. A sealed segment's ends in a closing one, with the largest timestamp of
// all and the last offset: by it one sees that nothing is missing. The index of a segment that takes appends is mapped;
// of a sealed one it is read where it is asked (TimeIndexFile).
//
// Disposable: nothing here is believed by its readers, who hold what an entry names against the log.
#ifndef MYKAFKA_CORE_TIME_INDEX_H_
#define MYKAFKA_CORE_TIME_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/mapped_index.h"

namespace mykafka {

struct TimeEntry {
  int64_t timestamp = -1;
  uint32_t relative_offset = 0;
};

// Follows entries in their order, and says what the time index gets.
class LargestSoFar {
 public:
  LargestSoFar() = default;
  // What was seen before, and the timestamp of the last entry that the index has (-1: it has none).
  LargestSoFar(const TimeEntry& seen, int64_t recorded) : largest_(seen), recorded_(recorded) {}

  void See(int64_t timestamp, int64_t relative_offset) {
    if (timestamp > largest_.timestamp) largest_ = {timestamp, static_cast<uint32_t>(relative_offset)};
  }
  // Asked with each entry of the offset index, that one seen.
  bool TakeGrown(TimeEntry* entry) {
    if (largest_.timestamp <= recorded_) return false;
    recorded_ = largest_.timestamp;
    *entry = largest_;
    return true;
  }
  // The first entry with the largest timestamp; -1 where none has any.
  const TimeEntry& largest() const { return largest_; }

 private:
  TimeEntry largest_;
  int64_t recorded_ = -1;
};

class TimeIndex final : public MappedIndex {
 public:
  static constexpr size_t kEntryLength = 12;
  // Sealing takes so many entries more than the offset index has.
  static constexpr size_t kClosing = 2;

  static Result<std::shared_ptr<TimeIndex>> Create(FileSystem& file_system, const std::string& path, size_t capacity) {
    return CreateAs<TimeIndex>(file_system, path, capacity);
  }
  static Result<std::shared_ptr<TimeIndex>> Open(FileSystem& file_system, const std::string& path, size_t capacity) {
    return OpenAs<TimeIndex>(file_system, path, capacity);
  }

  TimeEntry At(size_t slot) const;
  std::optional<TimeEntry> Last() const;
  // Into reserved room.
  void Append(const TimeEntry& entry);
  // Forgets the entries behind the first `count`; their slots become zero. Nobody may read beside it.
  void CutTo(size_t count);
  // Forgets what speaks of this offset or a higher one, on the disk too: the log is about to get other entries there,
  // and may end where it did before.
  Status ForgetFrom(int64_t relative_offset);

 private:
  friend class MappedIndex;
  TimeIndex(FileSystem& file_system, std::string path, std::shared_ptr<File> file, size_t capacity)
      : MappedIndex(file_system, std::move(path), std::move(file), kEntryLength, capacity) {}
};

// What a search by time finds in an index: where to begin, and the entry that says where it will have ended.
struct TimeFloor {
  std::optional<TimeEntry> below;  // the last with a timestamp below; none: begin at the segment's base
  std::optional<TimeEntry> next;
};

TimeFloor FloorByTimestamp(const TimeIndex& index, int64_t timestamp);

// The index of a sealed segment, read entry by entry.
class TimeIndexFile {
 public:
  static Result<TimeIndexFile> Open(FileSystem& file_system, const std::string& path);
  // In place of what may stand at the path.
  static Status Write(FileSystem& file_system, const std::string& path, const std::vector<TimeEntry>& entries);

  size_t count() const { return count_; }
  Result<TimeEntry> At(size_t slot) const;
  Result<TimeFloor> FloorByTimestamp(int64_t timestamp) const;

 private:
  TimeIndexFile(std::shared_ptr<File> file, size_t count) : file_(std::move(file)), count_(count) {}

  std::shared_ptr<File> file_;
  size_t count_;
};

// The entries that seal an index: `last` is its last one so far.
std::vector<TimeEntry> ClosingEntries(const std::optional<TimeEntry>& last, const TimeEntry& largest,
                                      int64_t last_relative_offset);

}  // namespace mykafka

#endif  // MYKAFKA_CORE_TIME_INDEX_H_
