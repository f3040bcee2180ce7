#include "core/time_index.h"

#include <errno.h>
#include <string.h>

#include "core/bytes.h"

namespace mykafka {

namespace {

void Store(uint8_t* to, const TimeEntry& entry) {
  StoreBig64(to, static_cast<uint64_t>(entry.timestamp));
  StoreBig32(to + 8, entry.relative_offset);
}

TimeEntry Load(const uint8_t* from) {
  return {static_cast<int64_t>(LoadBig64(from)), LoadBig32(from + 8)};
}

// The number of entries in front with a timestamp below, where they ascend. `at` gets an entry, or says why not.
template <typename At>
Status CountBelow(size_t count, int64_t timestamp, At at, size_t* below) {
  size_t low = 0;
  for (size_t high = count; low < high;) {
    const size_t middle = low + (high - low) / 2;
    TimeEntry entry;
    MYKAFKA_RETURN_IF_ERROR(at(middle, &entry));
    if (entry.timestamp < timestamp) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  *below = low;
  return Status::Ok();
}

template <typename At>
Status FindFloor(size_t count, int64_t timestamp, At at, TimeFloor* floor) {
  size_t below = 0;
  MYKAFKA_RETURN_IF_ERROR(CountBelow(count, timestamp, at, &below));
  TimeEntry entry;
  if (below > 0) {
    MYKAFKA_RETURN_IF_ERROR(at(below - 1, &entry));
    floor->below = entry;
  }
  if (below < count) {
    MYKAFKA_RETURN_IF_ERROR(at(below, &entry));
    floor->next = entry;
  }
  return Status::Ok();
}

}  // namespace

TimeEntry TimeIndex::At(size_t slot) const {
  return Load(Slot(slot));
}

std::optional<TimeEntry> TimeIndex::Last() const {
  const size_t count = this->count();
  if (count == 0) return std::nullopt;
  return At(count - 1);
}

void TimeIndex::Append(const TimeEntry& entry) {
  const size_t count = this->count();
  Store(Slot(count), entry);
  Publish(count + 1);
}

void TimeIndex::CutTo(size_t count) {
  static const uint8_t kZeroes[kEntryLength] = {};
  const size_t before = this->count();
  if (count >= before) return;
  Publish(count);
  for (size_t slot = count; slot < before; ++slot) {
    // One that is zero already may lie in a hole, and is left alone.
    if (memcmp(Slot(slot), kZeroes, kEntryLength) != 0) memset(Slot(slot), 0, kEntryLength);
  }
}

Status TimeIndex::ForgetFrom(int64_t relative_offset) {
  const size_t count = this->count();
  size_t kept = 0;
  while (kept < count && At(kept).relative_offset < relative_offset) ++kept;
  // Zeroes that were reserved may look like the first one.
  bool any = false;
  for (size_t slot = kept; slot < count && !any; ++slot) any = At(slot).timestamp != 0 || At(slot).relative_offset != 0;
  CutTo(kept);
  return any ? Sync() : Status::Ok();
}

TimeFloor FloorByTimestamp(const TimeIndex& index, int64_t timestamp) {
  TimeFloor floor;
  const auto at = [&](size_t slot, TimeEntry* entry) {
    *entry = index.At(slot);
    return Status::Ok();
  };
  (void)FindFloor(index.count(), timestamp, at, &floor);
  return floor;
}

Result<TimeIndexFile> TimeIndexFile::Open(FileSystem& file_system, const std::string& path) {
  Result<std::shared_ptr<File>> file = file_system.Open(path, OpenMode::kReadOnly);
  if (!file.ok()) return file.status();
  Result<int64_t> size = (*file)->Size();
  if (!size.ok()) return size.status();
  return TimeIndexFile(*file, static_cast<size_t>(*size) / TimeIndex::kEntryLength);
}

Status TimeIndexFile::Write(FileSystem& file_system, const std::string& path, const std::vector<TimeEntry>& entries) {
  std::vector<uint8_t> bytes(entries.size() * TimeIndex::kEntryLength);
  for (size_t slot = 0; slot < entries.size(); ++slot) Store(&bytes[slot * TimeIndex::kEntryLength], entries[slot]);
  Status removed = file_system.Unlink(path);
  if (!removed.ok() && removed.sys_errno() != ENOENT) return removed;
  Result<std::shared_ptr<File>> file = file_system.Open(path, OpenMode::kCreateNew);
  if (!file.ok()) return file.status();
  iovec part = {bytes.data(), bytes.size()};
  return WriteFully(**file, &part, 1, 0);
}

Result<TimeEntry> TimeIndexFile::At(size_t slot) const {
  uint8_t bytes[TimeIndex::kEntryLength];
  const auto position = static_cast<int64_t>(slot * sizeof bytes);
  MYKAFKA_RETURN_IF_ERROR(ReadFully(*file_, bytes, sizeof bytes, position, Wait::kAllowed));
  return Load(bytes);
}

Result<TimeFloor> TimeIndexFile::FloorByTimestamp(int64_t timestamp) const {
  TimeFloor floor;
  const auto at = [&](size_t slot, TimeEntry* entry) {
    Result<TimeEntry> found = At(slot);
    if (!found.ok()) return found.status();
    *entry = *found;
    return Status::Ok();
  };
  MYKAFKA_RETURN_IF_ERROR(FindFloor(count_, timestamp, at, &floor));
  return floor;
}

std::vector<TimeEntry> ClosingEntries(const std::optional<TimeEntry>& last, const TimeEntry& largest,
                                      int64_t last_relative_offset) {
  std::vector<TimeEntry> entries;
  const bool grown = largest.timestamp > (last ? last->timestamp : -1);
  if (grown) entries.push_back(largest);
  const auto end = static_cast<uint32_t>(last_relative_offset);
  const std::optional<TimeEntry> before = grown ? largest : last;
  if (!before || before->relative_offset != end) entries.push_back({largest.timestamp, end});
  return entries;
}

}  // namespace mykafka
