// The writer's half of a segment: everything here runs on one thread at a time.
#include <errno.h>

#include <algorithm>
#include <utility>

#include "core/bytes.h"
#include "core/crc32.h"
#include "core/segment_state.h"

namespace mykafka {

namespace {

// Keys and values above this go to the disk from the caller's buffer; smaller ones are cheaper to copy
// than to list.
constexpr size_t kLargestCopied = 64u << 10;
constexpr size_t kLargestKeptScratch = 4u << 20;

// Whether the scratch bytes hold all of it.
bool Copied(const PackedRecord& record) {
  return record.key <= kLargestCopied && record.value <= kLargestCopied;
}

size_t InScratch(const PackedRecord& record) {
  return kStoredOverhead + (record.key <= kLargestCopied ? record.key : 0) +
         (record.value <= kLargestCopied ? record.value : 0);
}

bool Parse(const uint8_t* data, size_t available, PackedRecord* record) {
  return record->Parse(data, available) == PackedRecord::Verdict::kParsed;
}

// Lays out entries as parts of one write: small pieces side by side in the scratch bytes, large ones where
// the caller has them.
class Layout {
 public:
  Layout(uint8_t* scratch, std::vector<iovec>* parts) : at_(scratch), begun_(scratch), parts_(parts) {}

  void Add(const uint8_t* packed, const PackedRecord& record, int64_t offset, int64_t timestamp) {
    if (Copied(record)) {
      at_ += EncodeStored(packed, record.length(), offset, timestamp, at_);
      return;
    }
    uint8_t stamps[16];
    StoreBig64(stamps, static_cast<uint64_t>(offset));
    StoreBig64(stamps + 8, static_cast<uint64_t>(timestamp));
    uint32_t crc = Crc32(0, stamps, sizeof stamps);
    crc = Crc32(crc, packed, record.length());
    Copy(stamps, sizeof stamps);
    Copy(packed, 4);
    Place(packed + 4, record.key);
    Copy(packed + 4 + record.key, 4);
    Place(packed + 8 + record.key, record.value);
    uint8_t stored_crc[4];
    StoreBig32(stored_crc, crc);
    Copy(stored_crc, sizeof stored_crc);
  }

  void Finish() {
    if (at_ != begun_) parts_->push_back({begun_, static_cast<size_t>(at_ - begun_)});
    begun_ = at_;
  }

 private:
  void Copy(const uint8_t* data, size_t length) {
    memcpy(at_, data, length);
    at_ += length;
  }
  void Place(const uint8_t* data, size_t length) {
    if (length <= kLargestCopied) return Copy(data, length);
    Finish();
    parts_->push_back({const_cast<uint8_t*>(data), length});
  }

  uint8_t* at_;
  uint8_t* begun_;  // of the scratch bytes that are in no part yet
  std::vector<iovec>* parts_;
};

// What a walk over the packed records says about the write to come.
struct Plan {
  int64_t records = 0;
  int64_t length = 0;
  size_t scratch = 0;
  int64_t largest_timestamp = -1;
};

Status MakePlan(const PackedBatch* batches, size_t batch_count, int64_t position, int64_t relative_offset,
                IndexRule rule, std::vector<IndexEntry>* entries, Plan* plan) {
  for (size_t i = 0; i < batch_count; ++i) {
    const PackedBatch& batch = batches[i];
    size_t at = 0;
    for (uint32_t n = 0; n < batch.count; ++n) {
      PackedRecord record;
      if (!Parse(batch.data + at, batch.length - at, &record)) {
        return {Code::kInvalidRecord, "record " + std::to_string(n) + " of batch " + std::to_string(i)};
      }
      if (rule.Takes(position + plan->length)) {
        // Cut to 32 bits where the limits are passed: then the plan is refused.
        entries->push_back(
            {static_cast<uint32_t>(relative_offset + plan->records), static_cast<uint32_t>(position + plan->length)});
      }
      at += record.length();
      plan->length += static_cast<int64_t>(record.stored());
      plan->scratch += InScratch(record);
      ++plan->records;
    }
    if (at != batch.length) return {Code::kInvalidRecord, "bytes behind the last record of batch " + std::to_string(i)};
    if (batch.count > 0) plan->largest_timestamp = std::max(plan->largest_timestamp, batch.timestamp);
  }
  return Status::Ok();
}

}  // namespace

Status Segment::State::CheckWritable(int64_t first_offset) {
  if (closed) return {Code::kClosed, "the segment is closed"};
  if (sync_failed) return {Code::kIo, "a sync failed before: what is on the disk is unknown", EIO};
  if (append_failed) return {Code::kIo, "a half-written tail could not be cut", EIO};
  if (sealed) return {Code::kInvalidArgument, "the segment is sealed"};
  if (first_offset != next_offset) return {Code::kInvalidArgument, "appends must go on at the next offset"};
  return Status::Ok();
}

Status Segment::State::Append(const PackedBatch* batches, size_t batch_count, int64_t first_offset) {
  std::lock_guard<std::mutex> writing(writer_mutex);
  Result<FilesPointer> acquired = Acquire(Wait::kAllowed);
  if (!acquired.ok()) return acquired.status();
  FilesPointer opened = std::move(*acquired);
  int64_t position;
  {
    std::lock_guard<std::mutex> lock(mutex);
    MYKAFKA_RETURN_IF_ERROR(CheckWritable(first_offset));
    position = size;
  }

  IndexRule rule(options.index_interval_bytes);
  if (std::optional<IndexEntry> last = opened->index->Last()) rule.StartBehind(*last);
  Plan plan;
  scratch.entries.clear();
  scratch.parts.clear();
  MYKAFKA_RETURN_IF_ERROR(
      MakePlan(batches, batch_count, position, Relative(first_offset), rule, &scratch.entries, &plan));
  if (plan.records == 0) return Status::Ok();
  const bool too_long = position + plan.length > kMaxSegmentSize;
  if (too_long && position == 0) return {Code::kRecordTooLarge, "a batch that no segment can hold"};
  if (too_long || Relative(first_offset) + plan.records - 1 > kMaxRelativeOffset) {
    return {Code::kSegmentFull, "positions or relative offsets have no room"};
  }

  // Room in the index comes first: where it cannot be had, nothing was written.
  const size_t entries = opened->index->count() + scratch.entries.size();
  if (!scratch.entries.empty() && entries > IndexCapacity()) {
    if (position > 0) return {Code::kSegmentFull, "the index has no room"};
    MYKAFKA_RETURN_IF_ERROR(GrowIndex(entries, &opened));
  }
  MYKAFKA_RETURN_IF_ERROR(opened->index->Reserve(scratch.entries.size()));

  if (scratch.capacity < plan.scratch) {
    scratch.bytes.reset(new uint8_t[plan.scratch]);
    scratch.capacity = plan.scratch;
  }
  Layout layout(scratch.bytes.get(), &scratch.parts);
  Plan done;
  for (size_t i = 0; i < batch_count; ++i) {
    const uint8_t* packed = batches[i].data;
    const uint8_t* const end = packed + batches[i].length;
    while (packed != end) {
      PackedRecord record;
      // As planned, unless another thread changes the caller's bytes: that must not harm memory.
      if (!Parse(packed, static_cast<size_t>(end - packed), &record) ||
          InScratch(record) > plan.scratch - done.scratch) {
        return {Code::kInvalidRecord, "the records changed meanwhile"};
      }
      layout.Add(packed, record, first_offset + done.records, batches[i].timestamp);
      packed += record.length();
      done.scratch += InScratch(record);
      done.length += static_cast<int64_t>(record.stored());
      ++done.records;
    }
  }
  if (done.records != plan.records || done.length != plan.length) {
    return {Code::kInvalidRecord, "the records changed meanwhile"};
  }
  layout.Finish();

  Status written = WriteFully(*opened->log, scratch.parts.data(), scratch.parts.size(), position);
  if (scratch.capacity > kLargestKeptScratch) {
    scratch.bytes.reset();
    scratch.capacity = 0;
  }
  if (!written.ok()) {
    const Status cut = opened->log->Truncate(position);
    if (!cut.ok()) {
      std::lock_guard<std::mutex> lock(mutex);
      append_failed = true;
    }
    return written;
  }
  for (const IndexEntry& entry : scratch.entries) opened->index->Append(entry);

  std::lock_guard<std::mutex> lock(mutex);
  size = position + plan.length;
  next_offset = first_offset + plan.records;
  largest_timestamp = std::max(largest_timestamp, plan.largest_timestamp);
  ++changes;
  runs.Add({{position, first_offset}, {size, next_offset}});
  return Status::Ok();
}

// The one batch of a segment may need more entries than the index is meant to hold.
Status Segment::State::GrowIndex(size_t entries, FilesPointer* opened) {
  if (entries <= (*opened)->index->capacity()) return Status::Ok();
  Result<std::shared_ptr<OffsetIndex>> larger = OffsetIndex::Create(*options.file_system, index_path, entries);
  if (!larger.ok()) return larger.status();
  auto replaced = std::make_shared<SegmentFiles>(**opened);
  replaced->index = *larger;
  *opened = replaced;
  Install(replaced);
  return Status::Ok();
}

Status Segment::State::Seal() {
  std::lock_guard<std::mutex> writing(writer_mutex);
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (closed) return {Code::kClosed, "the segment is closed"};
    if (sealed) return Status::Ok();
  }
  Result<FilesPointer> opened = Acquire(Wait::kAllowed);
  if (!opened.ok()) return opened.status();
  {
    std::lock_guard<std::mutex> lock(mutex);
    sealed = true;
  }
  return (*opened)->index->Trim();
}

Status Segment::State::TruncateTo(int64_t offset) {
  const int64_t base = options.base_offset;
  Boundary end = {0, base};
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (closed) return {Code::kClosed, "the segment is closed"};
    if (sync_failed) return {Code::kIo, "a sync failed before: what is on the disk is unknown", EIO};
    if (offset < base) return {Code::kOffsetOutOfRange, "below the segment's base"};
    if (offset >= next_offset) return Status::Ok();
  }
  if (offset > base) {
    Result<Range> found = FindRange(offset, 1, offset + 1, Wait::kAllowed);
    if (!found.ok()) return found.status();
    end = {found->position, offset};
  }
  std::lock_guard<std::mutex> verifying(verify_mutex);
  std::lock_guard<std::mutex> writing(writer_mutex);
  Result<FilesPointer> acquired = Acquire(Wait::kAllowed);
  if (!acquired.ok()) return acquired.status();
  FilesPointer opened = std::move(*acquired);
  {
    std::lock_guard<std::mutex> lock(mutex);
    size = end.position;
    next_offset = end.offset;
    synced_size = std::min(synced_size, size);
    largest_timestamp = -1;
    ++changes;
    ++truncations;
    runs.CutAt(end);
    range_ends.Forget();
    damages.erase(std::remove_if(damages.begin(), damages.end(),
                                 [&](const Damage& damage) { return damage.first_offset >= end.offset; }),
                  damages.end());
    append_failed = true;  // until the file is as short as it should be
  }
  MYKAFKA_RETURN_IF_ERROR(opened->log->Truncate(end.position));

  // A lookup that is under way and meets a slot that was cut holds it against the log, as ever.
  size_t kept = opened->index->count();
  while (kept > 0 && opened->index->At(kept - 1).position >= end.position) --kept;
  opened->index->CutTo(kept);
  if (opened->index->capacity() < IndexCapacity()) {  // it was sealed: from now on it grows again
    Result<std::shared_ptr<OffsetIndex>> index = OffsetIndex::Open(*options.file_system, index_path, IndexCapacity());
    if (!index.ok()) return index.status();
    auto replaced = std::make_shared<SegmentFiles>(*opened);
    replaced->index = *index;
    if (end.position == 0) replaced->index->CutTo(0);
    opened = replaced;
    Install(opened);
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    append_failed = false;
    sealed = false;
  }
  // Positions are about to be used again: the cut must not come back undone.
  return Sync();
}

}  // namespace mykafka
