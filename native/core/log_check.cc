#include "core/log_check.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "core/bytes.h"
#include "core/entry_scanner.h"
#include "core/segment_walk.h"

namespace mykafka {

namespace {

// The offset index, held against right entries in their order.
class OffsetIndexCheck {
 public:
  OffsetIndexCheck(const std::vector<uint8_t>& bytes, int64_t base_offset)
      : bytes_(bytes), base_(base_offset), slots_(Positions(bytes)) {}

  void See(int64_t position, int64_t offset, const Boundary& behind) {
    Below(behind.position, SlotVerdict::kWrong);
    Below(position, SlotVerdict::kNotChecked);
    slots_.JudgeBelow(position + 1, [&](size_t slot) {
      return base_ + RelativeOffset(slot) == offset ? SlotVerdict::kRight : SlotVerdict::kWrong;
    });
    last_ = position;
  }

  // The pass has ended behind its last entry; what lies up to the end of the file is damaged.
  void End(const Boundary& behind, int64_t size) {
    Below(behind.position, SlotVerdict::kWrong);
    Below(size, SlotVerdict::kNotChecked);
    Below(INT64_MAX, SlotVerdict::kWrong);
  }

  void Report(LogCheck* check) const {
    check->index = slots_.Verdicts();
    // The zeroes of an index without entries are one only where the log has it.
    const bool zero = check->index.size() == 1 && Position(0) == 0 && RelativeOffset(0) == 0;
    if (zero && check->size == 0) check->index.clear();
    int64_t last = -1;
    for (size_t slot = 0; slot < check->index.size(); ++slot) {
      if (check->index[slot] != SlotVerdict::kRight) continue;
      if (last >= 0) check->index_widest = std::max(check->index_widest, Position(slot) - last);
      last = Position(slot);
    }
    if (last >= 0) check->index_tail = last_ - last;
  }

 private:
  static std::vector<int64_t> Positions(const std::vector<uint8_t>& bytes) {
    std::vector<int64_t> keys(UsedSlots(bytes.data(), bytes.size(), kLength));
    for (size_t slot = 0; slot < keys.size(); ++slot) keys[slot] = LoadBig32(&bytes[slot * kLength + 4]);
    return keys;
  }
  int64_t RelativeOffset(size_t slot) const { return LoadBig32(&bytes_[slot * kLength]); }
  int64_t Position(size_t slot) const { return LoadBig32(&bytes_[slot * kLength + 4]); }
  void Below(int64_t position, SlotVerdict verdict) {
    slots_.JudgeBelow(position, [verdict](size_t) { return verdict; });
  }

  static constexpr size_t kLength = OffsetIndex::kEntryLength;
  const std::vector<uint8_t>& bytes_;
  const int64_t base_;
  IndexSlots slots_;
  int64_t last_ = -1;  // position of the last entry seen
};

// The time index: the largest timestamp so far, and the first entry that has it; or, in the end, the last offset.
class TimeIndexCheck {
 public:
  TimeIndexCheck(const std::vector<uint8_t>& bytes, int64_t base_offset)
      : bytes_(bytes), base_(base_offset), slots_(RelativeOffsets(bytes)) {}

  // `lost`: between the entry before, which ended at `behind`, and this one offsets are damaged or missing.
  void See(const EntryHeader& header, const Boundary& behind, bool lost) {
    Below(behind.offset);
    if (lost) Lose(header.offset);
    Below(header.offset);
    if (header.timestamp > largest_) {
      largest_ = header.timestamp;
      largest_offset_ = header.offset - base_;
    }
  }

  // No entry follows up to `end`; `lost`: because of damage.
  void End(const Boundary& behind, int64_t end, bool lost) {
    ended_ = true;
    last_offset_ = end - 1 - base_;
    Below(behind.offset);
    if (lost) Lose(INT64_MAX);
    Below(end);
    slots_.JudgeBelow(INT64_MAX, [](size_t) { return SlotVerdict::kWrong; });
  }

  int64_t largest() const { return largest_; }

  void Report(LogCheck* check) const {
    check->times = slots_.Verdicts();
    // The zeroes of an index without entries are one only where the log begins in 1970.
    const bool zero = check->times.size() == 1 && Timestamp(0) == 0 && RelativeOffset(0) == 0;
    if (zero && check->times[0] != SlotVerdict::kRight) check->times.clear();
  }

 private:
  static std::vector<int64_t> RelativeOffsets(const std::vector<uint8_t>& bytes) {
    std::vector<int64_t> keys(UsedSlots(bytes.data(), bytes.size(), kLength));
    for (size_t slot = 0; slot < keys.size(); ++slot) keys[slot] = LoadBig32(&bytes[slot * kLength + 8]);
    return keys;
  }
  int64_t Timestamp(size_t slot) const { return static_cast<int64_t>(LoadBig64(&bytes_[slot * kLength])); }
  int64_t RelativeOffset(size_t slot) const { return LoadBig32(&bytes_[slot * kLength + 8]); }

  void Below(int64_t offset) {
    slots_.JudgeBelow(offset - base_, [this](size_t slot) {
      const int64_t relative = RelativeOffset(slot);
      const bool named = relative == largest_offset_ || (ended_ && relative == last_offset_);
      if (Timestamp(slot) == largest_ && named) return SlotVerdict::kRight;
      // What was lost may have been later.
      return lost_ && Timestamp(slot) > largest_ ? SlotVerdict::kNotChecked : SlotVerdict::kWrong;
    });
  }
  void Lose(int64_t up_to) {
    lost_ = true;
    const int64_t key = up_to == INT64_MAX ? INT64_MAX : up_to - base_;
    slots_.JudgeBelow(key, [](size_t) { return SlotVerdict::kNotChecked; });
  }

  static constexpr size_t kLength = TimeIndex::kEntryLength;
  const std::vector<uint8_t>& bytes_;
  const int64_t base_;
  IndexSlots slots_;
  int64_t largest_ = -1;
  int64_t largest_offset_ = -1;  // like the slots', from the base
  bool ended_ = false;
  int64_t last_offset_ = -1;
  bool lost_ = false;
};

class Checking {
 public:
  Checking(const LogCheckOptions& options, RecordFormat format, File& log, int64_t size)
      : options_(options),
        state_(Options(options, format)),
        log_(log),
        end_{size, options.end_offset >= 0 ? options.end_offset : options.base_offset + kMaxRelativeOffset + 1},
        behind_{0, options.base_offset},
        index_(options.index, options.base_offset),
        times_(options.times, options.base_offset) {
    check_.format = format;
    check_.size = size;
  }

  Result<LogCheck> Run() {
    const EntryVisitor see = [this](const Boundary& at, const EntryHeader& header, const uint8_t*) {
      See(at, header);
      return header.next_offset() < options_.below;
    };
    bool to_end = false;
    if (options_.below > options_.base_offset) {
      SegmentWalk walk(state_, log_, end_);
      walk.StartAt({0, options_.base_offset});
      walk.Show(&see);
      MYKAFKA_RETURN_IF_ERROR(walk.Run());
      to_end = !walk.ended();
    }
    MYKAFKA_RETURN_IF_ERROR(TakeDamages());
    if (to_end) End();
    check_.checked = behind_.position;
    check_.next_offset = behind_.offset;
    check_.largest_timestamp = times_.largest();
    index_.Report(&check_);
    times_.Report(&check_);
    return std::move(check_);
  }

 private:
  static SegmentOptions Options(const LogCheckOptions& options, RecordFormat format) {
    SegmentOptions segment;
    segment.base_offset = options.base_offset;
    segment.record_format = format;
    segment.sparse = options.sparse;
    return segment;
  }

  void See(const Boundary& at, const EntryHeader& header) {
    const bool lost = at.position != behind_.position || (!options_.sparse && at.offset != behind_.offset);
    index_.See(at.position, header.offset, behind_);
    times_.See(header, behind_, lost);
    ++check_.entries;
    check_.records += header.records;
    behind_ = {at.position + static_cast<int64_t>(header.length), header.next_offset()};
  }

  void End() {
    index_.End(behind_, end_.position);
    // A sparse segment stands for all offsets up to the next one; where that is is not known of the last.
    const bool known = options_.end_offset >= 0;
    const int64_t end = options_.sparse && known ? end_.offset : behind_.offset;
    const bool early = !options_.sparse && known && behind_.offset < end_.offset;
    times_.End(behind_, end, early || behind_.position < end_.position);
  }

  Status TakeDamages() {
    for (Damage damage : state_.damages) {
      if (damage.first_offset >= options_.below) continue;
      // Where the log ends nobody has said.
      if (options_.end_offset < 0 && damage.next_offset == end_.offset) damage.next_offset = damage.first_offset;
      if (damage.length == 0 && damage.next_offset == damage.first_offset) continue;
      Result<DamageKind> kind = KindOf(damage);
      if (!kind.ok()) return kind.status();
      check_.damages.push_back({damage, *kind});
    }
    return Status::Ok();
  }

  Result<DamageKind> KindOf(const Damage& damage) {
    if (damage.length == 0) return DamageKind::kGap;
    EntryScanner scanner(log_, state_.format, damage.position, end_.position);
    ScannedEntry entry;
    Result<bool> any = scanner.Next(&entry);
    if (!any.ok()) return any.status();
    switch (entry.verdict) {
      case EntryVerdict::kRight:
        return DamageKind::kOffsetWrong;
      case EntryVerdict::kCrcWrong:
        return DamageKind::kCrcWrong;
      case EntryVerdict::kTorn:
        return DamageKind::kTorn;
      case EntryVerdict::kNotAnEntry:
        break;
    }
    return DamageKind::kNotAnEntry;
  }

  const LogCheckOptions& options_;
  Segment::State state_;
  File& log_;
  const Boundary end_;
  Boundary behind_;  // the last right entry
  OffsetIndexCheck index_;
  TimeIndexCheck times_;
  LogCheck check_;
};

}  // namespace

Result<LogCheck> CheckLog(FileSystem& file_system, const LogCheckOptions& options) {
  Result<std::shared_ptr<File>> log = file_system.Open(options.log_path, OpenMode::kReadOnly);
  if (!log.ok()) return log.status();
  Result<int64_t> size = (*log)->Size();
  if (!size.ok()) return size.status();
  Result<RecordFormat> format = DetectFormat(**log);
  if (!format.ok()) return format.status();
  return Checking(options, options.record_format.value_or(*format), **log, *size).Run();
}

}  // namespace mykafka
