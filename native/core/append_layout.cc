#include "core/append_layout.h"

#include <algorithm>
#include <string>

#include "core/bytes.h"
#include "core/crc32.h"
#include "core/record_batch.h"

namespace mykafka {

namespace {

// Keys and values above this go to the disk from the caller's buffer; smaller ones are cheaper to copy
// than to list.
constexpr size_t kLargestCopied = 64u << 10;

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

Status ChangedMeanwhile() {
  return {Code::kInvalidRecord, "the records changed meanwhile"};
}

}  // namespace

Status AppendPlanner::Add(const PackedBatch& batch) {
  return format_.format == RecordFormat::kKafka ? AddRecordBatch(batch) : AddRecords(batch);
}

Status AppendPlanner::AddRecords(const PackedBatch& batch) {
  size_t at = 0;
  for (uint32_t n = 0; n < batch.count; ++n) {
    PackedRecord record;
    if (!Parse(batch.data + at, batch.length - at, &record)) {
      return {Code::kInvalidRecord, "record " + std::to_string(n) + " of a batch does not parse"};
    }
    at += record.length();
    plan_.scratch += InScratch(record);
    AddEntry(record.stored(), 1, batch.timestamp);
  }
  if (at != batch.length) return {Code::kInvalidRecord, "bytes behind the last record of a batch"};
  return Status::Ok();
}

Status AppendPlanner::AddRecordBatch(const PackedBatch& batch) {
  EntryHeader header;
  if (format_.parse(batch.data, batch.length, &header) != ParseVerdict::kWhole || header.length != batch.length ||
      header.offsets() != batch.count) {
    return {Code::kInvalidRecord, "not a record batch of this length and count"};
  }
  AddEntry(batch.length, header.offsets(), batch.timestamp >= 0 ? batch.timestamp : header.timestamp);
  return Status::Ok();
}

// Cut to 32 bits where the limits are passed: then the plan is refused.
void AppendPlanner::AddEntry(size_t length, int64_t offsets, int64_t timestamp) {
  const int64_t position = place_.position + plan_.length;
  const int64_t relative_offset = place_.relative_offset + plan_.offsets;
  largest_.See(timestamp, relative_offset);
  if (rule_.Takes(position)) {
    entries_->push_back({static_cast<uint32_t>(relative_offset), static_cast<uint32_t>(position)});
    TimeEntry grown;
    if (largest_.TakeGrown(&grown)) times_->push_back(grown);
  }
  plan_.length += static_cast<int64_t>(length);
  plan_.offsets += offsets;
}

Status AppendLayout::Add(const PackedBatch& batch) {
  if (format_.format == RecordFormat::kKafka) {
    // The caller's bytes are ours until the append is done.
    auto* bytes = const_cast<uint8_t*>(batch.data);
    StampBatch(bytes, first_offset_ + done_.offsets, 0);
    if (batch.timestamp >= 0) StampLogAppendTime(bytes, batch.length, batch.timestamp);
    parts_->push_back({bytes, batch.length});
    done_.length += static_cast<int64_t>(batch.length);
    done_.offsets += batch.count;
    return Status::Ok();
  }
  const uint8_t* packed = batch.data;
  const uint8_t* const end = packed + batch.length;
  while (packed != end) {
    PackedRecord record;
    // As planned, unless another thread changes the caller's bytes: that must not harm memory.
    if (!Parse(packed, static_cast<size_t>(end - packed), &record) ||
        InScratch(record) > scratch_length_ - done_.scratch) {
      return ChangedMeanwhile();
    }
    AddRecord(packed, record, first_offset_ + done_.offsets, batch.timestamp);
    packed += record.length();
    done_.scratch += InScratch(record);
    done_.length += static_cast<int64_t>(record.stored());
    ++done_.offsets;
  }
  return Status::Ok();
}

Status AppendLayout::Finish(const AppendPlan& plan) {
  EndPart();
  return done_.offsets == plan.offsets && done_.length == plan.length ? Status::Ok() : ChangedMeanwhile();
}

// Small pieces go side by side into the scratch bytes, large ones stay where the caller has them.
void AppendLayout::AddRecord(const uint8_t* packed, const PackedRecord& record, int64_t offset, int64_t timestamp) {
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

void AppendLayout::Copy(const uint8_t* data, size_t length) {
  memcpy(at_, data, length);
  at_ += length;
}

void AppendLayout::Place(const uint8_t* data, size_t length) {
  if (length <= kLargestCopied) return Copy(data, length);
  EndPart();
  parts_->push_back({const_cast<uint8_t*>(data), length});
}

void AppendLayout::EndPart() {
  if (at_ != begun_) parts_->push_back({begun_, static_cast<size_t>(at_ - begun_)});
  begun_ = at_;
}

}  // namespace mykafka
