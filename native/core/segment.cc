#include "core/segment.h"

#include <errno.h>
#include <stdio.h>

#include <algorithm>
#include <utility>

#include "core/segment_state.h"

namespace mykafka {

std::string SegmentPath(const SegmentOptions& options, const char* suffix) {
  char name[24];
  snprintf(name, sizeof name, "%020lld", static_cast<long long>(options.base_offset));
  return options.directory + "/" + name + suffix;
}

Segment::State::State(SegmentOptions segment_options)
    : options(std::move(segment_options)),
      format(EntryFormat::Of(options.record_format)),
      log_path(SegmentPath(options, ".log")),
      index_path(SegmentPath(options, ".index")),
      times_path(SegmentPath(options, ".timeindex")),
      next_offset(options.base_offset),
      runs(options.sparse) {}

Segment::State::~State() {
  OpenFiles::Instance().Remove(this);
}

Result<FilesPointer> Segment::State::Acquire(Wait wait) {
  bool for_appends;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (closed) return Status(Code::kClosed, "the segment is closed");
    if (files != nullptr) {
      OpenFiles::Instance().Touch(this);
      return files;
    }
  }
  if (wait == Wait::kNever) return Status(Code::kWouldBlock, "the files are not open");
  std::lock_guard<std::mutex> opening(open_mutex);
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (closed) return Status(Code::kClosed, "the segment is closed");
    if (files != nullptr) return files;
    for_appends = !sealed;
  }
  Result<FilesPointer> opened = OpenFilesNow(for_appends);
  if (!opened.ok()) return opened.status();
  CutBlank(**opened);
  Install(*opened);
  OpenFiles::Instance().Add(this);
  return *opened;
}

// Zeroes that were reserved look like a first entry, whether there is one or not.
void Segment::State::CutBlank(const SegmentFiles& opened) {
  std::lock_guard<std::mutex> lock(mutex);
  if (size == 0) opened.index->CutTo(0);
  if (opened.times == nullptr || opened.times->count() != 1) return;
  const TimeEntry first = opened.times->At(0);
  if (first.timestamp == 0 && first.relative_offset == 0 && largest_timestamp != 0) opened.times->CutTo(0);
}

Result<FilesToEnd> Segment::State::AcquireUncut(uint64_t at_truncations) {
  Result<FilesPointer> opened = Acquire(Wait::kAllowed);
  if (!opened.ok()) return opened.status();
  std::lock_guard<std::mutex> lock(mutex);
  if (truncations != at_truncations) return Status(Code::kCancelled, "the log was cut meanwhile");
  return FilesToEnd{*opened, {size, next_offset}};
}

Result<FilesPointer> Segment::State::OpenFilesNow(bool for_appends) {
  auto opened = std::make_shared<SegmentFiles>();
  Result<std::shared_ptr<File>> log = options.file_system->Open(log_path, OpenMode::kReadWrite);
  if (!log.ok()) return log.status();
  opened->log = *log;
  // A sealed segment's index does not grow: no more is mapped than there is.
  Result<std::shared_ptr<OffsetIndex>> index =
      OffsetIndex::Open(*options.file_system, index_path, for_appends ? IndexCapacity() : 0);
  if (!index.ok()) return index.status();
  opened->index = *index;
  if (for_appends) {
    Result<std::shared_ptr<TimeIndex>> times = TimeIndex::Open(*options.file_system, times_path, TimesCapacity());
    if (!times.ok()) return times.status();
    opened->times = *times;
  }
  return FilesPointer(opened);
}

void Segment::State::Install(FilesPointer opened) {
  opened->index->CloseFile();
  if (opened->times != nullptr) opened->times->CloseFile();
  std::lock_guard<std::mutex> lock(mutex);
  if (!closed) files.swap(opened);
}

std::shared_ptr<const void> Segment::State::ReleaseIfIdle() {
  std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  if (!lock.owns_lock() || files == nullptr || !Clean()) return nullptr;
  // A lookup under way, or a pin that would keep the descriptor open in any case.
  if (files.use_count() > 1 || files->log.use_count() > 1) return nullptr;
  return std::exchange(files, nullptr);
}

Status Segment::State::Sync() {
  int64_t covered;
  uint64_t covered_changes;
  uint64_t at_truncations;
  const auto look = [&]() -> Status {
    if (closed) return {Code::kClosed, "the segment is closed"};
    if (sync_failed) return {Code::kIo, "a sync failed before: what is on the disk is unknown", EIO};
    return Status::Ok();
  };
  {
    std::lock_guard<std::mutex> lock(mutex);
    MYKAFKA_RETURN_IF_ERROR(look());
    covered_changes = changes;
  }
  std::lock_guard<std::mutex> syncing(sync_mutex);
  {
    std::lock_guard<std::mutex> lock(mutex);
    MYKAFKA_RETURN_IF_ERROR(look());
    // Another's sync, begun behind this call, has done it.
    if (synced_changes >= covered_changes) return Status::Ok();
    covered = size;
    covered_changes = changes;
    at_truncations = truncations;
  }
  Result<FilesPointer> opened = Acquire(Wait::kAllowed);
  if (!opened.ok()) return opened.status();
  Status status = (*opened)->log->Sync();
  {
    // The sync of a cut that is under way may be told in place of this one.
    std::lock_guard<std::mutex> cutting(cut_mutex);
    std::lock_guard<std::mutex> lock(mutex);
    if (status.ok() && sync_failed) status = look();
    if (!status.ok()) {
      sync_failed = true;
      return status;
    }
    synced_changes = covered_changes;
    if (truncations == at_truncations) synced_size = std::max(synced_size, covered);
  }
  opened->reset();
  OpenFiles::Instance().Trim();
  return Status::Ok();
}

void Segment::State::Close() {
  FilesPointer dropped;
  std::lock_guard<std::mutex> opening(open_mutex);  // none is listed as open behind this
  {
    std::lock_guard<std::mutex> lock(mutex);
    closed = true;
    dropped.swap(files);
  }
  OpenFiles::Instance().Remove(this);
}

Segment::Segment(std::unique_ptr<State> state) : state_(std::move(state)) {}

Segment::~Segment() = default;

Result<std::shared_ptr<Segment>> Segment::Create(const SegmentOptions& options) {
  auto state = std::make_unique<State>(options);
  FileSystem& file_system = *options.file_system;
  const Status there = file_system.Open(state->log_path, OpenMode::kReadOnly).status();
  if (there.ok()) return Status::FromErrno("create " + state->log_path, EEXIST);
  if (there.sys_errno() != ENOENT) return there;
  // The log comes last: once it is there the log before it has ended, and where a power loss undoes its removal that
  // would be so again. An index without its log is nobody's: it is replaced.
  auto files = std::make_shared<SegmentFiles>();
  const auto remove = [&] {
    (void)file_system.Unlink(state->index_path);
    (void)file_system.Unlink(state->times_path);
  };
  Result<std::shared_ptr<OffsetIndex>> index =
      OffsetIndex::Create(file_system, state->index_path, state->IndexCapacity());
  if (!index.ok()) {
    remove();
    return index.status();
  }
  files->index = *index;
  Result<std::shared_ptr<TimeIndex>> times = TimeIndex::Create(file_system, state->times_path, state->TimesCapacity());
  if (!times.ok()) {
    remove();
    return times.status();
  }
  files->times = *times;
  Result<std::shared_ptr<File>> log = file_system.Open(state->log_path, OpenMode::kCreateNew);
  if (!log.ok()) {
    remove();
    return log.status();
  }
  files->log = *log;
  state->timestamps_known = true;
  state->times_state = TimesState::kRight;
  state->Install(std::move(files));
  OpenFiles::Instance().Add(state.get());
  return std::make_shared<Segment>(std::move(state));
}

Result<std::shared_ptr<Segment>> Segment::OpenSealed(const SegmentOptions& options, int64_t next_offset) {
  if (next_offset < options.base_offset) return Status(Code::kInvalidArgument, "a segment ends before its base");
  auto state = std::make_unique<State>(options);
  Result<std::shared_ptr<File>> log = options.file_system->Open(state->log_path, OpenMode::kReadOnly);
  if (!log.ok()) return log.status();
  Result<int64_t> size = (*log)->Size();
  if (!size.ok()) return size.status();
  state->size = *size;
  state->synced_size = *size;
  state->next_offset = next_offset;
  state->sealed = true;
  return std::make_shared<Segment>(std::move(state));
}

Status Segment::Append(const PackedBatch* batches, size_t batch_count, int64_t first_offset) {
  return state_->Append(batches, batch_count, first_offset);
}

Result<Range> Segment::FindRange(int64_t offset, int64_t max_bytes, int64_t upper_bound, Wait wait) {
  return state_->FindRange(offset, max_bytes, upper_bound, wait);
}

Result<size_t> Segment::Read(void* into, size_t length, int64_t position, Wait wait) {
  const int64_t published = size();
  if (position < 0 || position > published) return Status(Code::kInvalidArgument, "a position outside of the log");
  Result<FilesPointer> files = state_->Acquire(wait);
  if (!files.ok()) return files.status();
  const auto available = static_cast<uint64_t>(published - position);
  return (*files)->log->Read(into, static_cast<size_t>(std::min<uint64_t>(length, available)), position, wait);
}

Status Segment::Sync() {
  return state_->Sync();
}

Status Segment::Seal() {
  return state_->Seal(true);
}

Status Segment::SealUntrimmed() {
  return state_->Seal(false);
}

Status Segment::TruncateTo(int64_t offset) {
  return state_->TruncateTo(offset);
}

Result<std::optional<FoundEntry>> Segment::FindTimestamp(int64_t timestamp, int64_t from_offset) {
  return state_->FindTimestamp(timestamp, from_offset);
}

Result<int64_t> Segment::LoadTimestamps() {
  MYKAFKA_RETURN_IF_ERROR(state_->LoadTimestamps());
  return largest_timestamp();
}

Result<std::vector<uint8_t>> Segment::ReadBatchHeaders(int64_t from_offset, size_t limit) {
  return state_->ReadBatchHeaders(from_offset, limit);
}

Status Segment::Verify() {
  return state_->VerifyAll();
}

int64_t Segment::base_offset() const {
  return state_->options.base_offset;
}

bool Segment::sparse() const {
  return state_->options.sparse;
}

int64_t Segment::next_offset() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->next_offset;
}

bool Segment::files_open() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->files != nullptr;
}

int64_t Segment::size() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->size;
}

int64_t Segment::synced_size() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->synced_size;
}

int64_t Segment::largest_timestamp() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->largest_timestamp;
}

bool Segment::timestamps_known() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->timestamps_known;
}

std::vector<Damage> Segment::damages() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->damages;
}

const std::string& Segment::log_path() const {
  return state_->log_path;
}

Result<std::shared_ptr<File>> Segment::PinFile() {
  Result<FilesPointer> files = state_->Acquire(Wait::kAllowed);
  if (!files.ok()) return files.status();
  return (*files)->log;
}

void Segment::Close() {
  state_->Close();
}

}  // namespace mykafka
