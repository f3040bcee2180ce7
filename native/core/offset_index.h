// The sparse offset index of a segment, memory-mapped: [relativeOffset:4][filePosition:4], big-endian.
//
// Disposable: nothing here is believed by its readers, who hold what an entry names against the log.
// One writer; Floor... and At are safe on any thread beside it.
#ifndef MYKAFKA_CORE_OFFSET_INDEX_H_
#define MYKAFKA_CORE_OFFSET_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/mapped_index.h"

namespace mykafka {

struct IndexEntry {
  uint32_t relative_offset = 0;
  uint32_t position = 0;
};

class OffsetIndex final : public MappedIndex {
 public:
  static constexpr size_t kEntryLength = 8;

  // A new, empty one in place of what may stand at the path. Mappings of the old file live on.
  static Result<std::shared_ptr<OffsetIndex>> Create(FileSystem& file_system, const std::string& path,
                                                     size_t capacity) {
    return CreateAs<OffsetIndex>(file_system, path, capacity);
  }
  // What stands at the path (MappedIndex::OpenAs). Slot 0 may be 0,0.
  static Result<std::shared_ptr<OffsetIndex>> Open(FileSystem& file_system, const std::string& path, size_t capacity) {
    return OpenAs<OffsetIndex>(file_system, path, capacity);
  }

  IndexEntry At(size_t slot) const;
  std::optional<IndexEntry> Last() const;
  // The last entry with a relative offset (a position) not above the target. `next` gets the one behind
  // it, where there is one.
  std::optional<IndexEntry> FloorByOffset(int64_t relative_offset, std::optional<IndexEntry>* next = nullptr) const;
  std::optional<IndexEntry> FloorByPosition(int64_t position) const;

  // Into reserved room.
  void Append(const IndexEntry& entry);
  // Forgets the entries behind the first `count`; their slots become zero.
  void CutTo(size_t count);

 private:
  friend class MappedIndex;
  OffsetIndex(FileSystem& file_system, std::string path, std::shared_ptr<File> file, size_t capacity)
      : MappedIndex(file_system, std::move(path), std::move(file), kEntryLength, capacity) {}

  uint64_t* Word(size_t slot) const { return reinterpret_cast<uint64_t*>(Slot(slot)); }
  template <typename Key>
  std::optional<IndexEntry> Floor(int64_t target, Key key, std::optional<IndexEntry>* next) const;
};

}  // namespace mykafka

#endif  // MYKAFKA_CORE_OFFSET_INDEX_H_
