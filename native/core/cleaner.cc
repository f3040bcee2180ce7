#include "core/cleaner.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/record.h"
#include "core/record_reader.h"

namespace mykafka {

namespace {

constexpr size_t kPutsAtOnce = 32;

}  // namespace

Status Cleaner::CheckOpen() const {
  if (closed_.load(std::memory_order_relaxed)) return {Code::kCancelled, "the cleaner was closed"};
  return Status::Ok();
}

void Cleaner::Puts::Add(const uint8_t* key, size_t length, int64_t offset) {
  waiting_.push_back({map_.HashOf(key, length), offset});
  map_.Prefetch(waiting_.back().hash);
}

bool Cleaner::Puts::Flush() {
  for (const Entry& entry : waiting_) {
    if (refused_ >= 0) break;
    if (!map_.Put(entry.hash, entry.offset)) refused_ = entry.offset;
  }
  waiting_.clear();
  return refused_ < 0;
}

Result<CleanStep> Cleaner::Full(const Puts& puts, CleanStep step) {
  reader_.reset();
  step.stop = CleanStop::kFull;
  step.next_offset = puts.refused();
  indexed_to_ = step.next_offset;
  return step;
}

Result<CleanStep> Cleaner::HandOut(CleanStep step) {
  step.stop = CleanStop::kCompressed;
  step.run = run_.handed_out();
  step.next_offset = std::min(run_.next_offset(), to_offset_);
  indexed_to_ = std::max(from_offset_, run_.Current()->header.base_offset);
  return step;
}

Result<CleanStep> Cleaner::Index(const std::shared_ptr<Segment>& segment, int64_t from_offset, int64_t to_offset,
                                 int64_t budget) {
  MYKAFKA_RETURN_IF_ERROR(CheckOpen());
  if (!run_.empty()) return Status(Code::kInvalidArgument, "compressed batches were handed out and not indexed");
  if (to_offset < from_offset) return Status(Code::kInvalidArgument, "a range that ends before it begins");
  if (to_offset == from_offset) {
    // A compressed batch that goes on beyond the end would be handed out again for ever.
    indexed_to_ = from_offset;
    CleanStep end;
    end.next_offset = from_offset;
    return end;
  }
  if (reader_ == nullptr || !reader_->GoesOnAt(segment, from_offset)) {
    reader_.reset();
    Result<std::unique_ptr<CleanReader>> opened = CleanReader::Open(segment, format_, from_offset);
    if (!opened.ok()) return opened.status();
    reader_ = std::move(*opened);
  }
  from_offset_ = from_offset;
  to_offset_ = to_offset;
  indexed_to_ = from_offset;
  CleanStep step;
  Puts puts(map_);
  for (CleanEntry entry; step.bytes_read < budget;) {
    MYKAFKA_RETURN_IF_ERROR(CheckOpen());
    const Result<bool> found = reader_->Next(&entry);
    Status status = found.status();
    const EntryHeader& header = entry.header;
    const bool in_range = found.ok() && *found && header.offset < to_offset;
    if (!run_.empty() && !(in_range && run_.Takes(header.length))) {
      // What ends the run, be it damage, is found again by the next call.
      if (found.ok() && *found) reader_->Unread();
      break;
    }
    if (in_range) {
      step.bytes_read += static_cast<int64_t>(header.length);
      if (header.last_offset < from_offset) continue;
      if (format_ == RecordFormat::kMykafka) {
        if (header.key_length >= 0) {
          puts.Add(entry.bytes + kStoredHeaderLength, static_cast<size_t>(header.key_length), header.offset);
        }
      } else {
        const BatchHeader batch = BatchHeader::Read(entry.bytes);
        const bool compressed = batch.compression() != 0 && batch.count > 0 && !batch.control();
        if (compressed || !run_.empty()) {
          if (!puts.Flush()) return Full(puts, std::move(step));
          run_.Add(entry, batch, compressed);
          continue;
        }
        status = AddBatch(batch, entry.bytes + kBatchHeaderLength, header.length - kBatchHeaderLength, &puts);
      }
      if (status.ok()) {
        const bool due = puts.count() >= kPutsAtOnce || puts.refused() >= 0;
        if (due && !puts.Flush()) return Full(puts, std::move(step));
        indexed_to_ = std::min(header.next_offset(), to_offset);
        continue;
      }
    }
    // Also where something is wrong, what came before it counts.
    if (!puts.Flush()) return Full(puts, std::move(step));
    if (!status.ok()) {
      reader_.reset();
      return status;
    }
    if (*found) {
      reader_->Unread();
      indexed_to_ = to_offset;
    } else {
      indexed_to_ = std::max(from_offset, std::min(to_offset, reader_->end_offset()));
      reader_.reset();
    }
    step.next_offset = indexed_to_;
    return step;
  }
  if (!run_.empty()) return HandOut(std::move(step));
  if (!puts.Flush()) return Full(puts, std::move(step));
  step.stop = CleanStop::kBudget;
  step.next_offset = indexed_to_;
  return step;
}

Result<CleanStep> Cleaner::IndexRecords(const std::vector<BytesView>& records) {
  MYKAFKA_RETURN_IF_ERROR(CheckOpen());
  if (records.empty() || records.size() > run_.left()) {
    return Status(Code::kInvalidArgument, "records of batches that were not handed out");
  }
  CleanStep step;
  Puts puts(map_);
  size_t given = 0;
  while (const CleanRun::Batch* batch = run_.Current()) {
    if (batch->compressed && given == records.size()) break;
    MYKAFKA_RETURN_IF_ERROR(CheckOpen());
    const BytesView plain = batch->compressed ? records[given++] : run_.RecordsOf(*batch);
    MYKAFKA_RETURN_IF_ERROR(AddBatch(batch->header, plain.data, plain.length, &puts));
    if (!puts.Flush()) {
      run_.Clear();
      return Full(puts, std::move(step));
    }
    indexed_to_ = std::min(CleanRun::BehindOf(*batch), to_offset_);
    run_.Advance();
  }
  if (run_.left() == 0) run_.Clear();
  step.next_offset = indexed_to_;
  return step;
}

// All of its records or, where one does not parse, none.
Status Cleaner::AddBatch(const BatchHeader& header, const uint8_t* records, size_t length, Puts* puts) {
  if (header.control()) return Status::Ok();
  FieldReader all(records, length);
  BatchRecord record;
  for (int32_t i = 0; i < header.count; ++i) {
    if (!record.Read(&all) || record.offset_delta < 0 || record.offset_delta > header.last_offset_delta) {
      return {Code::kCorrupt, "record " + std::to_string(i) + " of the batch at offset " +
                                  std::to_string(header.base_offset) + " does not parse"};
    }
  }
  // A compressed batch may have any number: few of them wait at a time.
  FieldReader again(records, length);
  for (int32_t i = 0; i < header.count; ++i) {
    (void)record.Read(&again);
    const int64_t offset = header.base_offset + record.offset_delta;
    if (record.key_length < 0 || offset < from_offset_ || offset >= to_offset_) continue;
    puts->Add(record.key, static_cast<size_t>(record.key_length), offset);
    if (puts->count() >= kPutsAtOnce && !puts->Flush()) break;  // the caller's Flush says so again
  }
  return Status::Ok();
}

}  // namespace mykafka
