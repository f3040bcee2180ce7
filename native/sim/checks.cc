#include "sim/checks.h"

#include <algorithm>
#include <optional>

#include "core/log_check.h"
#include "sim/promise.h"
#include "sim/said.h"

namespace mykafka::sim {

namespace {

// The entries of one segment, by their places in its file.
class SegmentEntries {
 public:
  SegmentEntries(const Ledger& ledger, const Segment& segment) : end_(segment.next_offset()) {
    const auto& all = ledger.entries();
    for (size_t at = ledger.IndexOf(segment.base_offset()); at < all.size() && all[at]->first < end_; ++at) {
      entries_.push_back(all[at].get());
      positions_.push_back(static_cast<int64_t>(bytes_.size()));
      bytes_.insert(bytes_.end(), all[at]->bytes.begin(), all[at]->bytes.end());
    }
    positions_.push_back(static_cast<int64_t>(bytes_.size()));
  }

  const Bytes& bytes() const { return bytes_; }
  const std::vector<const Entry*>& entries() const { return entries_; }
  size_t IndexOf(int64_t offset) const {
    const auto behind = std::partition_point(entries_.begin(), entries_.end(),
                                             [&](const Entry* entry) { return entry->next <= offset; });
    return static_cast<size_t>(behind - entries_.begin());
  }

  // As FindRange promises it.
  Range Answer(int64_t offset, int64_t max_bytes, int64_t upper_bound) const {
    const size_t first = IndexOf(offset);
    upper_bound = std::min(upper_bound, end_);
    if (offset >= upper_bound || entries_[first]->next > upper_bound) return {};
    size_t last = first;
    while (last + 1 < entries_.size() && entries_[last + 1]->next <= upper_bound &&
           positions_[last + 2] - positions_[first] <= max_bytes) {
      ++last;
    }
    const int64_t count = entries_[last]->next - entries_[first]->first;
    return {positions_[first], positions_[last + 1] - positions_[first], entries_[first]->first,
            entries_[last]->next - 1, count};
  }

  const Entry* FirstAtOrAbove(int64_t timestamp, int64_t from) const {
    const Entry* found = nullptr;
    for (size_t at = IndexOf(from); at < entries_.size(); ++at) {
      const bool is_larger = found == nullptr || entries_[at]->timestamp > found->timestamp;
      if (timestamp == kLargestTimestamp && is_larger) found = entries_[at];
      if (timestamp != kLargestTimestamp && entries_[at]->timestamp >= timestamp) return entries_[at];
    }
    return found;
  }

 private:
  const int64_t end_;
  std::vector<const Entry*> entries_;
  std::vector<int64_t> positions_;
  Bytes bytes_;
};

class SegmentChecks {
 public:
  SegmentChecks(const Ledger& ledger, Segment* segment, Random* random, const MayFail& may_fail)
      : segment_(*segment), entries_(ledger, *segment), random_(*random), may_fail_(may_fail) {}

  void Run() {
    const int64_t base = segment_.base_offset();
    const int64_t next = segment_.next_offset();
    Ask(base, INT64_MAX, next);
    if (entries_.entries().empty()) return;
    const auto any = [&] { return base + random_.Below(static_cast<uint64_t>(next - base)); };
    for (int i = 0; i < 3; ++i) {
      const int64_t most = random_.OneIn(2) ? random_.Below(3000) : random_.Below(200);
      const int64_t bound = random_.OneIn(2) ? next : any();
      Ask(any(), most, bound);
    }
    const int64_t known = entries_.entries()[random_.Below(entries_.entries().size())]->timestamp;
    AskTime(known + random_.Below(2), base);
    AskTime(known, any());
    AskTime(kLargestTimestamp, random_.OneIn(2) ? base : any());
  }

 private:
  std::string Where() const { return " in " + LogName(segment_.base_offset()); }

  void Ask(int64_t offset, int64_t max_bytes, int64_t upper_bound) {
    const std::string where = " at offset " + std::to_string(offset) + " with " + std::to_string(max_bytes) +
                              " bytes up to " + std::to_string(upper_bound) + Where();
    const Result<Range> range = segment_.FindRange(offset, max_bytes, upper_bound, Wait::kAllowed);
    if (!range.ok() && may_fail_() && range.status().code() == Code::kIo) return;
    Require(range.ok(), "no answer", where, ": ", range.ok() ? "" : Said(range.status()));
    const Range right = entries_.Answer(offset, max_bytes, upper_bound);
    Require(range->length == right.length && range->count == right.count, "an answer of ", range->length,
            " bytes in place of ", right.length, where);
    if (right.length == 0) return;
    Require(range->position == right.position && range->first_offset == right.first_offset &&
                range->last_offset == right.last_offset,
            "other offsets than there are", where);
    Bytes bytes(static_cast<size_t>(range->length));
    const Result<size_t> got = segment_.Read(bytes.data(), bytes.size(), range->position, Wait::kAllowed);
    if (!got.ok() && may_fail_()) return;
    Require(got.ok() && *got == bytes.size(), "no bytes", where);
    Require(std::equal(bytes.begin(), bytes.end(), entries_.bytes().begin() + right.position), "wrong bytes", where);
  }

  void AskTime(int64_t timestamp, int64_t from) {
    const std::string where = " for time " + std::to_string(timestamp) + " from " + std::to_string(from) + Where();
    const Result<std::optional<FoundEntry>> found = segment_.FindTimestamp(timestamp, from);
    if (!found.ok() && may_fail_() && found.status().code() == Code::kIo) return;
    Require(found.ok(), "no answer", where, ": ", found.ok() ? "" : Said(found.status()));
    const Entry* right = entries_.FirstAtOrAbove(timestamp, from);
    Require(found->has_value() == (right != nullptr), found->has_value() ? "found" : "did not find", " an entry",
            where);
    if (right == nullptr) return;
    Require((*found)->offset == right->first && (*found)->last_offset == right->next - 1 &&
                (*found)->timestamp == right->timestamp,
            "the entry at ", (*found)->offset, " in place of that at ", right->first, where);
  }

  Segment& segment_;
  const SegmentEntries entries_;
  Random& random_;
  const MayFail may_fail_;
};

}  // namespace

void CheckAnswers(const Partition& partition, const Ledger& ledger, Random* random, const MayFail& may_fail) {
  Require(partition.end() == ledger.end() || (ledger.entries().empty() && partition.end() == 0), "the log ends at ",
          partition.end(), " and not at ", ledger.end());
  int64_t end = partition.segments().front()->base_offset();
  for (const auto& segment : partition.segments()) {
    Require(segment->base_offset() == end, "a segment begins at ", segment->base_offset(), ", behind ", end);
    end = segment->next_offset();
    SegmentChecks(ledger, segment.get(), random, may_fail).Run();
  }
}

void CheckUndamaged(const Partition& partition, const Ledger& ledger, const SimulatedDisk& disk,
                    const PartitionOptions& options) {
  for (const auto& segment : partition.segments()) {
    const std::string name = LogName(segment->base_offset());
    const Status verified = segment->Verify();
    Require(verified.ok(), "verify of ", name, ": ", Said(verified));
    Require(segment->damages().empty(), "damage in ", name);
    LogCheckOptions check;
    check.log_path = segment->log_path();
    check.base_offset = segment->base_offset();
    check.end_offset = segment->next_offset();
    check.record_format = options.segment.record_format;
    const std::string path = check.log_path.substr(0, check.log_path.size() - 4);
    if (const StoredFilePointer index = disk.Find(path + ".index")) check.index = index->Contents();
    if (const StoredFilePointer times = disk.Find(path + ".timeindex")) check.times = times->Contents();
    const Result<LogCheck> checked = CheckLog(*options.segment.file_system, check);
    Require(checked.ok(), "check of ", name, ": ", checked.ok() ? "" : Said(checked.status()));
    const SegmentEntries entries(ledger, *segment);
    const auto& right = entries.entries();
    Require(checked->damages.empty(), "the check finds damage in ", name);
    Require(checked->entries == static_cast<int64_t>(right.size()), "the check finds ", checked->entries,
            " entries in ", name, ", of ", right.size());
  }
}

void CheckAsides(const Survivors& survivors, const Partition& partition, const SimulatedDisk& disk, bool reported,
                 bool loose_offsets) {
  for (const Survivors::Aside& aside : survivors.asides) {
    const std::string name = aside.log + ".cut-" + std::to_string(aside.position);
    bool kept = false;
    for (const auto& [path, file] : disk.names()) {
      const std::string there = path.substr(path.rfind('/') + 1);
      const bool named = there == name || there.compare(0, name.size() + 1, name + ".") == 0;
      kept = kept || (named && file->Contents() == aside.bytes);
    }
    Require(kept, "what was cut is not in ", name);
    if (!reported) continue;
    const auto& reports = partition.reports();
    const auto report = std::find_if(reports.begin(), reports.end(), [&](const auto& each) {
      return each.first == aside.log && each.second.cut_position == aside.position;
    });
    Require(report != reports.end(), "no report of ", name);
    Require(report->second.cut_length == static_cast<int64_t>(aside.bytes.size()), name, " is reported with ",
            report->second.cut_length, " bytes");
    // The offset of a batch is not under its CRC: one that lost nothing else counts as whole.
    const int64_t more = report->second.cut_whole_entries - aside.whole_entries;
    Require(more == 0 || (loose_offsets && more > 0 && more < 3), name, " is reported with ",
            report->second.cut_whole_entries, " whole entries in place of ", aside.whole_entries);
  }
  if (!reported) return;
  for (const auto& [log, report] : partition.reports()) {
    Require(!report.damaged_tail, log, " is reported as damaged below the recovery point");
    if (report.cut_position < 0) continue;
    const auto right = std::find_if(survivors.asides.begin(), survivors.asides.end(), [&](const auto& each) {
      return each.log == log && each.position == report.cut_position;
    });
    Require(right != survivors.asides.end(), log, " is cut at ", report.cut_position);
  }
}

}  // namespace mykafka::sim
