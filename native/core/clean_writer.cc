#include "core/clean_writer.h"

#include <errno.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/bytes.h"
#include "core/record.h"

namespace mykafka {

namespace {

constexpr size_t kBufferLength = 1u << 20;
constexpr size_t kWindow = 32;
constexpr char kNotDealtWith[] = "compressed batches were handed out and not dealt with";

std::string CleanedPath(const CleanWriterOptions& options, const char* suffix) {
  SegmentOptions segment;
  segment.directory = options.directory;
  segment.base_offset = options.base_offset;
  return SegmentPath(segment, suffix);
}

CleanWriterOptions Sorted(CleanWriterOptions options) {
  std::sort(options.keep_empty.begin(), options.keep_empty.end());
  return options;
}

Status Removed(const Status& status) {
  return status.sys_errno() == ENOENT ? Status::Ok() : status;
}

Result<std::shared_ptr<File>> CreateAnew(FileSystem& file_system, const std::string& path) {
  MYKAFKA_RETURN_IF_ERROR(Removed(file_system.Unlink(path)));
  return file_system.Open(path, OpenMode::kCreateNew);
}

}  // namespace

CleanWriter::CleanWriter(std::shared_ptr<Cleaner> cleaner, CleanWriterOptions options)
    : cleaner_(std::move(cleaner)),
      options_(Sorted(std::move(options))),
      log_path_(CleanedPath(options_, ".log.cleaned")),
      index_path_(CleanedPath(options_, ".index.cleaned")),
      times_path_(CleanedPath(options_, ".timeindex.cleaned")),
      filter_(cleaner_->map(), cleaner_->indexed_to(), options_.now, options_.delete_horizon),
      index_rule_(options_.index_interval_bytes),
      buffer_(new uint8_t[kBufferLength]),
      copied_to_(options_.base_offset),
      next_offset_(options_.base_offset),
      run_(cleaner_->run_bytes()) {}

Result<std::shared_ptr<CleanWriter>> CleanWriter::Create(std::shared_ptr<Cleaner> cleaner, CleanWriterOptions options) {
  MYKAFKA_RETURN_IF_ERROR(cleaner->CheckOpen());
  if (options.end_offset < options.base_offset) return Status(Code::kInvalidArgument, "a group ends before its base");
  std::shared_ptr<CleanWriter> writer(new CleanWriter(std::move(cleaner), std::move(options)));
  FileSystem& file_system = *writer->options_.file_system;
  // Where nothing stays, none is written.
  MYKAFKA_RETURN_IF_ERROR(Removed(file_system.Unlink(writer->times_path_)));
  Result<std::shared_ptr<File>> log = CreateAnew(file_system, writer->log_path_);
  if (!log.ok()) return log.status();
  writer->log_ = *log;
  Result<std::shared_ptr<File>> index = CreateAnew(file_system, writer->index_path_);
  if (!index.ok()) {
    (void)writer->Abort();
    return index.status();
  }
  writer->index_ = *index;
  return writer;
}

Status CleanWriter::CheckUsable() const {
  MYKAFKA_RETURN_IF_ERROR(cleaner_->CheckOpen());
  if (!failed_.ok()) return {Code::kInvalidArgument, "a call failed before: " + failed_.message()};
  if (finished_) return {Code::kInvalidArgument, "the file is finished"};
  return Status::Ok();
}

template <typename T>
Result<T> CleanWriter::Noted(Result<T> result) {
  if (!result.ok()) failed_ = result.status();
  return result;
}

Result<CleanStep> CleanWriter::Copy(const std::shared_ptr<Segment>& segment, int64_t from_offset,
                                    int64_t drop_tombstones_below, int64_t budget) {
  MYKAFKA_RETURN_IF_ERROR(CheckUsable());
  if (!run_.empty()) return Status(Code::kInvalidArgument, kNotDealtWith);
  return Noted(CopyEntries(segment, from_offset, drop_tombstones_below, budget));
}

Result<CleanStep> CleanWriter::CopyEntries(const std::shared_ptr<Segment>& segment, int64_t from_offset,
                                           int64_t drop_tombstones_below, int64_t budget) {
  if (reader_ == nullptr || !reader_->GoesOnAt(segment, from_offset)) {
    reader_.reset();
    Result<std::unique_ptr<CleanReader>> opened = CleanReader::Open(segment, cleaner_->format(), from_offset);
    if (!opened.ok()) return opened.status();
    reader_ = std::move(*opened);
  }
  CleanStep step;
  step.next_offset = from_offset;
  const int64_t written_before = Written();
  step.stop = CleanStop::kBudget;
  for (CleanEntry entry; step.bytes_read < budget;) {
    MYKAFKA_RETURN_IF_ERROR(cleaner_->CheckOpen());
    const Result<bool> found = reader_->Next(&entry);
    if (!run_.empty() && !(found.ok() && *found && run_.Takes(entry.header.length))) {
      // What ends the run, be it damage, is found again by the next call.
      if (found.ok() && *found) reader_->Unread();
      break;
    }
    if (!found.ok()) return found.status();
    if (!*found) {
      step.next_offset = std::max(from_offset, reader_->end_offset());
      step.stop = CleanStop::kEnd;
      reader_.reset();
      break;
    }
    step.bytes_read += static_cast<int64_t>(entry.header.length);
    if (entry.header.last_offset < from_offset) continue;
    step.next_offset = entry.header.next_offset();
    if (cleaner_->format() == RecordFormat::kMykafka) {
      Look(entry, drop_tombstones_below);
      const bool more = window_.size() < kWindow && step.bytes_read < budget && reader_->NextIsAtHand();
      if (!more) MYKAFKA_RETURN_IF_ERROR(CopyWindow());
      continue;
    }
    const BatchHeader batch = BatchHeader::Read(entry.bytes);
    const bool handed_out = IsHandedOut(batch);
    if (handed_out || !run_.empty()) {
      run_.Add(entry, batch, handed_out);
      continue;
    }
    const BytesView records = {entry.bytes + kBatchHeaderLength, entry.header.length - kBatchHeaderLength};
    const Result<BatchFilter::Verdict> copied = CopyBatch(batch, {entry.bytes, entry.header.length}, records);
    if (!copied.ok()) return copied.status();
  }
  if (!run_.empty()) {
    step.stop = CleanStop::kCompressed;
    step.run = run_.handed_out();
  }
  step.bytes_written = Written() - written_before;
  copied_to_ = step.next_offset;
  return step;
}

void CleanWriter::Look(const CleanEntry& entry, int64_t drop_tombstones_below) {
  const EntryHeader& header = entry.header;
  Seen seen = {entry, {}, Seen::Fate::kStays};
  if (header.offset < cleaner_->indexed_to()) {
    const bool dropped = header.key_length < 0 || (header.value_length < 0 && header.offset < drop_tombstones_below);
    seen.fate = dropped ? Seen::Fate::kGoes : Seen::Fate::kAsTheMapSays;
  }
  if (seen.fate == Seen::Fate::kAsTheMapSays) {
    const OffsetMap& map = cleaner_->map();
    seen.hash = map.HashOf(entry.bytes + kStoredHeaderLength, static_cast<size_t>(header.key_length));
    map.Prefetch(seen.hash);
  }
  window_.push_back(seen);
}

Status CleanWriter::CopyWindow() {
  for (const Seen& seen : window_) {
    const EntryHeader& header = seen.entry.header;
    ++cleaned_.counts.records_read;
    const bool stays = seen.fate == Seen::Fate::kAsTheMapSays ? header.offset >= cleaner_->map().Find(seen.hash)
                                                              : seen.fate == Seen::Fate::kStays;
    if (!stays) {
      ++changes_;
      continue;
    }
    ++cleaned_.counts.records_kept;
    cleaned_.counts.tombstones += header.value_length < 0 ? 1 : 0;
    MYKAFKA_RETURN_IF_ERROR(CopyWhole(seen.entry));
  }
  window_.clear();
  return Status::Ok();
}

Status CleanWriter::CopyWhole(const CleanEntry& entry) {
  const EntryHeader& header = entry.header;
  MYKAFKA_RETURN_IF_ERROR(Begin(header.offset, header.length, header.timestamp));
  if (entry.whole()) return Write(entry.bytes, header.length);
  return reader_->EachPart(entry, [this](const uint8_t* bytes, size_t length) { return Write(bytes, length); });
}

bool CleanWriter::IsHandedOut(const BatchHeader& header) const {
  return header.compression() != 0 && header.count > 0 && !header.control() &&
         header.base_offset < cleaner_->indexed_to();
}

Result<BatchFilter::Verdict> CleanWriter::CopyBatch(const BatchHeader& header, BytesView whole, BytesView records) {
  using Verdict = BatchFilter::Verdict;
  Result<Verdict> verdict(Verdict::kDrop);
  if (header.control() || header.base_offset >= cleaner_->indexed_to()) {
    cleaned_.counts.records_read += header.count;
    cleaned_.counts.records_kept += header.count;
    verdict = Verdict::kKeep;
  } else if (header.count > 0) {
    verdict = filter_.Filter(header, records.data, records.length, &cleaned_.counts);
    if (!verdict.ok()) return verdict;
  }
  Status status;
  switch (*verdict) {
    case Verdict::kKeep:
      status = PutWhole(header, whole);
      break;
    case Verdict::kDrop:
      status = Drop(header);
      break;
    case Verdict::kRewrite:
      ++changes_;
      if (IsHandedOut(header)) {
        held_.push_back({Held::What::kAwaited, filter_.header(), {}, {}});
        ++awaited_;
      } else {
        status = PutBatch(filter_.header(), {filter_.records().data(), filter_.records().size()});
      }
      break;
  }
  if (!status.ok()) return status;
  return verdict;
}

// Nothing is left of a batch: the last one of a producer stays without its records.
Status CleanWriter::Drop(const BatchHeader& header) {
  const int64_t last_offset = header.base_offset + header.last_offset_delta;
  const bool keep = header.producer_id >= 0 &&
                    std::binary_search(options_.keep_empty.begin(), options_.keep_empty.end(), last_offset);
  // One without records is copied by that.
  changes_ += keep && header.count == 0 ? 0 : 1;
  return keep ? PutBatch(EmptyBatch(header), {}) : Status::Ok();
}

Status CleanWriter::PutWhole(const BatchHeader& header, BytesView batch) {
  if (held_.empty()) return WriteWhole(header, batch);
  held_.push_back({Held::What::kWhole, header, batch, {}});
  return Status::Ok();
}

Status CleanWriter::PutBatch(const BatchHeader& header, BytesView records) {
  if (held_.empty()) return WriteBatch(header, records);
  held_.push_back({Held::What::kRecords, header, {}, {records.data, records.data + records.length}});
  return Status::Ok();
}

Status CleanWriter::WriteWhole(const BatchHeader& header, BytesView batch) {
  MYKAFKA_RETURN_IF_ERROR(Begin(header.base_offset, batch.length, header.max_timestamp));
  return Write(batch.data, batch.length);
}

Status CleanWriter::WriteBatch(const BatchHeader& header, BytesView records) {
  const BatchHeader made = HeaderFor(header, records.data, records.length);
  uint8_t bytes[kBatchHeaderLength];
  WriteBatchHeader(made, bytes);
  MYKAFKA_RETURN_IF_ERROR(Begin(made.base_offset, kBatchHeaderLength + records.length, made.max_timestamp));
  MYKAFKA_RETURN_IF_ERROR(Write(bytes, kBatchHeaderLength));
  return Write(records.data, records.length);
}

Result<FilteredRecords> CleanWriter::Filter(const std::vector<BytesView>& records) {
  MYKAFKA_RETURN_IF_ERROR(CheckUsable());
  if (awaited_ > 0) return Status(Code::kInvalidArgument, "batches wait for their records");
  if (records.empty() || records.size() > run_.left()) {
    return Status(Code::kInvalidArgument, "records of batches that were not handed out");
  }
  return Noted(FilterRun(records));
}

Result<FilteredRecords> CleanWriter::FilterRun(const std::vector<BytesView>& records) {
  FilteredRecords left;
  const int64_t written_before = Written();
  while (const CleanRun::Batch* batch = run_.Current()) {
    const bool given = batch->compressed;
    if (given && left.lengths.size() == records.size()) break;
    MYKAFKA_RETURN_IF_ERROR(cleaner_->CheckOpen());
    const BytesView plain = given ? records[left.lengths.size()] : run_.RecordsOf(*batch);
    const Result<BatchFilter::Verdict> copied = CopyBatch(batch->header, run_.WholeOf(*batch), plain);
    if (!copied.ok()) return copied.status();
    if (given) {
      const bool awaited = *copied == BatchFilter::Verdict::kRewrite;
      const std::vector<uint8_t>& kept = filter_.records();
      left.lengths.push_back(awaited ? static_cast<uint32_t>(kept.size()) : 0);
      if (awaited) left.records.insert(left.records.end(), kept.begin(), kept.end());
    }
    run_.Advance();
  }
  if (held_.empty() && run_.left() == 0) run_.Clear();
  left.bytes_written = Written() - written_before;
  return left;
}

Result<int64_t> CleanWriter::Append(const std::vector<CompressedRecords>& records) {
  MYKAFKA_RETURN_IF_ERROR(CheckUsable());
  if (records.empty() || records.size() != awaited_) {
    return Status(Code::kInvalidArgument, "not as many as the batches that wait for their records");
  }
  for (const CompressedRecords& each : records) {
    if (each.bytes.length == 0) return Status(Code::kInvalidArgument, "a compressed batch has bytes");
  }
  return Noted(AppendRun(records));
}

Result<int64_t> CleanWriter::AppendRun(const std::vector<CompressedRecords>& records) {
  const int64_t written_before = Written();
  auto next = records.begin();
  for (Held& held : held_) {
    switch (held.what) {
      case Held::What::kWhole:
        MYKAFKA_RETURN_IF_ERROR(WriteWhole(held.header, held.whole));
        break;
      case Held::What::kRecords:
        MYKAFKA_RETURN_IF_ERROR(WriteBatch(held.header, {held.records.data(), held.records.size()}));
        break;
      case Held::What::kAwaited: {
        uint16_t& attributes = held.header.attributes;
        attributes = static_cast<uint16_t>((attributes & ~kCodecMask) | (next->codec & kCodecMask));
        MYKAFKA_RETURN_IF_ERROR(WriteBatch(held.header, next->bytes));
        ++next;
        break;
      }
    }
  }
  held_.clear();
  awaited_ = 0;
  if (run_.left() == 0) run_.Clear();
  return Written() - written_before;
}

Status CleanWriter::Begin(int64_t offset, size_t length, int64_t timestamp) {
  const int64_t position = written_ + static_cast<int64_t>(buffered_);
  const int64_t relative = offset - options_.base_offset;
  if (offset < next_offset_ || offset >= options_.end_offset) {
    return {Code::kInvalidArgument, "offset " + std::to_string(offset) + " does not belong here in the group"};
  }
  if (relative > kMaxRelativeOffset || position + static_cast<int64_t>(length) > kMaxSegmentSize) {
    return {Code::kSegmentFull, "the group does not fit into a segment"};
  }
  largest_.See(timestamp, relative);
  if (index_rule_.Takes(position)) {
    TimeEntry grown;
    if (largest_.TakeGrown(&grown)) times_.push_back(grown);
    uint8_t slot[OffsetIndex::kEntryLength];
    StoreBig32(slot, static_cast<uint32_t>(relative));
    StoreBig32(slot + 4, static_cast<uint32_t>(position));
    index_bytes_.insert(index_bytes_.end(), slot, slot + sizeof slot);
  }
  next_offset_ = offset + 1;
  ++cleaned_.entries;
  return Status::Ok();
}

Status CleanWriter::Write(const uint8_t* bytes, size_t length) {
  while (length > 0) {
    if (buffered_ == kBufferLength) MYKAFKA_RETURN_IF_ERROR(Flush());
    const size_t fits = std::min(length, kBufferLength - buffered_);
    memcpy(buffer_.get() + buffered_, bytes, fits);
    buffered_ += fits;
    bytes += fits;
    length -= fits;
  }
  return Status::Ok();
}

Status CleanWriter::Flush() {
  if (buffered_ == 0) return Status::Ok();
  iovec part = {buffer_.get(), buffered_};
  MYKAFKA_RETURN_IF_ERROR(WriteFully(*log_, &part, 1, written_));
  written_ += static_cast<int64_t>(buffered_);
  buffered_ = 0;
  return Status::Ok();
}

Status CleanWriter::WriteIndexes() {
  if (!index_bytes_.empty()) {
    iovec part = {index_bytes_.data(), index_bytes_.size()};
    MYKAFKA_RETURN_IF_ERROR(WriteFully(*index_, &part, 1, 0));
  }
  if (cleaned_.entries > 0) {
    const std::optional<TimeEntry> last = times_.empty() ? std::nullopt : std::optional(times_.back());
    const int64_t end = copied_to_ - 1 - options_.base_offset;
    for (const TimeEntry& closing : ClosingEntries(last, largest_.largest(), end)) times_.push_back(closing);
    MYKAFKA_RETURN_IF_ERROR(TimeIndexFile::Write(*options_.file_system, times_path_, times_));
  }
  return index_->Sync();
}

Result<Cleaned> CleanWriter::Finish() {
  MYKAFKA_RETURN_IF_ERROR(CheckUsable());
  if (!run_.empty()) return Status(Code::kInvalidArgument, kNotDealtWith);
  failed_ = Flush();
  if (failed_.ok()) failed_ = WriteIndexes();
  if (failed_.ok()) failed_ = log_->Sync();
  if (!failed_.ok()) return failed_;
  cleaned_.bytes = written_;
  cleaned_.largest_timestamp = largest_.largest().timestamp;
  finished_ = true;
  log_.reset();
  index_.reset();
  reader_.reset();
  return cleaned_;
}

Status CleanWriter::Abort() {
  if (failed_.ok()) failed_ = Status(Code::kCancelled, "aborted");
  log_.reset();
  index_.reset();
  reader_.reset();
  Status log = Removed(options_.file_system->Unlink(log_path_));
  Status index = Removed(options_.file_system->Unlink(index_path_));
  Status times = Removed(options_.file_system->Unlink(times_path_));
  if (!log.ok()) return log;
  return index.ok() ? times : index;
}

}  // namespace mykafka
