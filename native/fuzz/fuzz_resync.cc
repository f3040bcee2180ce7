// Where reading goes on behind damage: at an entry that is right and may be there, never anywhere else; the search for
// one misses none, and stays within its bounds.
#include "core/resync.h"
#include "fuzz/check.h"
#include "fuzz/reference.h"
#include "fuzz/segment_case.h"
#include "fuzz/targets.h"

namespace mykafka::fuzz {

namespace {

// Above any offset of a log: those that JavaScript can say, and what a segment may hold.
constexpr int64_t kHighestOffset = int64_t{1} << 54;
constexpr int64_t kLookedAtWhole = 3000;  // bytes: position by position

class Searching {
 public:
  Searching(const SegmentCase& segment, const ResyncBounds& bounds) : segment_(segment), bounds_(bounds) {}

  std::optional<reference::Entry> PlausibleAt(int64_t at) const {
    auto entry = reference::ReadEntry(segment_.log, bounds_.format, at, bounds_.end);
    const bool plausible =
        entry && entry->right && entry->first >= bounds_.first_offset && entry->last < bounds_.end_offset;
    return plausible ? entry : std::nullopt;
  }
  std::optional<reference::Entry> First(int64_t from) const {
    for (int64_t at = from; at < bounds_.end; ++at) {
      if (auto entry = PlausibleAt(at)) return entry;
    }
    return std::nullopt;
  }
  int64_t Count(int64_t from) const {
    int64_t count = 0;
    while (auto entry = First(from)) {
      ++count;
      from = entry->end();
    }
    return count;
  }

 private:
  const SegmentCase& segment_;
  const ResyncBounds bounds_;
};

}  // namespace

void FuzzResync(Input input) {
  SegmentCase segment = SegmentCase::Take(&input);
  const auto files = segment.Files();
  const Result<std::shared_ptr<File>> file = files->Open(segment.Path(".log"), OpenMode::kReadOnly);
  FUZZ_OK(file.status());
  const auto size = static_cast<int64_t>(segment.log.size());
  const std::vector<reference::Entry> chain = reference::ReadChain(segment.log, segment.format, 0);
  Input& questions = segment.questions;
  for (int i = 0; i == 0 || (i < 8 && !questions.empty()); ++i) {
    const uint8_t kind = questions.Byte();
    // Where the chain from the start ends, or anywhere.
    int64_t from = chain.empty() ? 0 : chain.back().end();
    int64_t first_offset = chain.empty() ? segment.base : chain.back().last + (chain.back().last < INT64_MAX ? 1 : 0);
    if ((kind & 1) != 0) from = questions.NumberIn(0, size);
    if ((kind & 2) != 0) first_offset = questions.NumberIn(0, kHighestOffset);
    first_offset = std::min(first_offset, kHighestOffset);
    int64_t end_offset = std::max(segment.next_offset, segment.base);
    if ((kind & 4) != 0) end_offset = questions.NumberIn(0, kHighestOffset);
    const int64_t end = (kind & 8) != 0 ? questions.NumberIn(0, size) : size;
    if (from > end) continue;
    const ResyncBounds bounds = {end, first_offset, end_offset, segment.format, segment.sparse};
    const Searching expected(segment, bounds);

    const Result<std::optional<ScannedEntry>> found = FindRightEntry(**file, from, bounds);
    FUZZ_OK(found.status());
    if (*found) FUZZ_CHECK((*found)->position >= from && expected.PlausibleAt((*found)->position));
    const Result<int64_t> count = CountRightEntries(**file, from, bounds);
    FUZZ_OK(count.status());
    FUZZ_CHECK((*count > 0) == found->has_value());
    if (end - from <= kLookedAtWhole) {
      const auto first = expected.First(from);
      FUZZ_CHECK(first.has_value() == found->has_value());
      if (first) FUZZ_CHECK((*found)->position == first->position);
      FUZZ_CHECK(*count == expected.Count(from));
    }

    EntryScanner scanner(**file, EntryFormat::Of(segment.format), from, end);
    ScannedEntry damaged;
    const Result<bool> any = scanner.Next(&damaged);
    FUZZ_OK(any.status());
    if (!*any) continue;
    const Result<std::optional<ScannedEntry>> resumed = Resync(**file, damaged, bounds);
    FUZZ_OK(resumed.status());
    if (!*resumed) continue;
    FUZZ_CHECK((*resumed)->position >= from);
    const auto entry = expected.PlausibleAt((*resumed)->position);
    // The first offset is that of what is damaged.
    FUZZ_CHECK(entry && entry->first > first_offset && entry->first == (*resumed)->header.offset);
  }
}

}  // namespace mykafka::fuzz
