#include "fuzz/readable.h"

#include <algorithm>

#include "fuzz/check.h"

namespace mykafka::fuzz {

namespace {

constexpr int64_t kMostCounted = 4 << 20;  // bytes, in one answer of a sparse segment

}  // namespace

Readable::Readable(const SegmentCase& segment, int64_t next_offset)
    : sparse_(segment.sparse), base_(segment.base), next_offset_(next_offset), empty_(segment.log.empty()) {
  SegmentCase alone = segment;
  alone.index.reset();
  alone.times.reset();
  const Result<std::shared_ptr<Segment>> opened = Segment::OpenSealed(alone.Options(alone.Files()), next_offset);
  FUZZ_OK(opened.status());
  FUZZ_OK((*opened)->Verify());
  damages_ = (*opened)->damages();
  Walk(opened->get(), segment);
  CheckComplete(segment);
}

void Readable::Walk(Segment* segment, const SegmentCase& files) {
  for (int64_t offset = base_; offset < next_offset_;) {
    if (const Damage* damage = DamageAt(offset)) {
      FUZZ_CHECK(damage->next_offset > offset);
      offset = damage->next_offset;
      continue;
    }
    const Result<Range> found = segment->FindRange(offset, 1, INT64_MAX, Wait::kAllowed);
    FUZZ_OK(found.status());
    if (found->length == 0) {
      FUZZ_CHECK(sparse_);
      break;
    }
    const auto size = static_cast<int64_t>(files.log.size());
    const auto entry = reference::ReadEntry(files.log, files.format, found->position, size);
    FUZZ_CHECK(entry && entry->right && entry->length == found->length);
    FUZZ_CHECK(entry->first == found->first_offset && entry->last == found->last_offset);
    FUZZ_CHECK(entry->last >= offset && (sparse_ || entry->first == offset));
    entries_.push_back(*entry);
    offset = entry->last + 1;
  }
}

// Entries and damages follow one another from the beginning to the end of the file, and of the offsets.
void Readable::CheckComplete(const SegmentCase& segment) const {
  int64_t position = 0;
  int64_t offset = base_;
  auto entry = entries_.begin();
  auto damage = damages_.begin();
  while (entry != entries_.end() || damage != damages_.end()) {
    const bool damaged = damage != damages_.end() && (entry == entries_.end() || damage->position <= entry->position);
    FUZZ_CHECK((damaged ? damage->position : entry->position) == position);
    if (damaged) {
      FUZZ_CHECK(damage->first_offset == offset || (sparse_ && damage->first_offset >= offset));
      position += damage->length;
      offset = damage->next_offset;
      ++damage;
    } else {
      FUZZ_CHECK(entry->first == offset || (sparse_ && entry->first >= offset));
      position = entry->end();
      offset = entry->last + 1;
      ++entry;
    }
  }
  FUZZ_CHECK(position == static_cast<int64_t>(segment.log.size()));
  FUZZ_CHECK(offset == next_offset_ || (sparse_ && offset <= next_offset_));
}

const Damage* Readable::DamageAt(int64_t offset) const {
  for (const Damage& damage : damages_) {
    if (offset >= damage.first_offset && offset < damage.next_offset) return &damage;
  }
  return nullptr;
}

std::string Readable::Answer(int64_t offset, int64_t max_bytes, int64_t upper_bound) const {
  if (offset < base_ || offset > next_offset_) return CodeName(Code::kOffsetOutOfRange);
  upper_bound = std::min(upper_bound, next_offset_);
  max_bytes = std::max<int64_t>(sparse_ ? std::min(max_bytes, kMostCounted) : max_bytes, 0);
  if (offset >= upper_bound || (sparse_ && empty_)) return Describe(Result<Range>(Range()));
  if (DamageAt(offset) != nullptr) return CodeName(Code::kCorrupt);
  auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const auto& each) { return each.last >= offset; });
  Range range;
  for (; entry != entries_.end() && entry->last < upper_bound; ++entry) {
    if (range.length == 0) {
      range = {entry->position, 0, entry->first, 0, 0};
    } else {
      const bool follows = entry->position == range.position + range.length;
      if (!follows || (!sparse_ && entry->first != range.last_offset + 1)) break;
      if (range.length + entry->length > max_bytes) break;
    }
    range.length += entry->length;
    range.last_offset = entry->last;
    range.count += sparse_ ? entry->records : entry->last - entry->first + 1;
  }
  return Describe(Result<Range>(range));
}

bool Same(const std::vector<Damage>& a, const std::vector<Damage>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Damage& one, const Damage& other) {
    return one.position == other.position && one.length == other.length && one.first_offset == other.first_offset &&
           one.next_offset == other.next_offset;
  });
}

bool IsDeceptive(const SegmentCase& files, const Readable& readable) {
  const Bytes index = files.index.value_or(Bytes());
  for (size_t slot = 0; slot + 8 <= index.size(); slot += 8) {
    const int64_t offset = files.base + static_cast<int64_t>(reference::GetBig(&index[slot], 4));
    const auto position = static_cast<int64_t>(reference::GetBig(&index[slot + 4], 4));
    const auto size = static_cast<int64_t>(files.log.size());
    const auto named = reference::ReadEntry(files.log, files.format, position, size);
    const auto& entries = readable.entries();
    const bool is_entry = std::any_of(entries.begin(), entries.end(),
                                      [&](const reference::Entry& entry) { return entry.position == position; });
    if (named && named->first == offset && !is_entry) return true;
  }
  return false;
}

}  // namespace mykafka::fuzz
