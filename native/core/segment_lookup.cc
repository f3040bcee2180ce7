// FindRange: the index gives a place to start at, the log itself everything else.
#include <algorithm>
#include <optional>
#include <utility>

#include "core/header_walk.h"
#include "core/segment_state.h"

namespace mykafka {

namespace {

// Each round answers or learns something (opens the files, verifies, rebuilds the index). More rounds
// than this only happen where the files change under the segment.
constexpr int kMostRounds = 16;

// The entries of a sparse segment's answer are counted one by one, maybe on the event loop's thread.
constexpr int64_t kMostCounted = 4 << 20;

enum class Outcome : uint8_t { kFound, kFailed, kNotOpen, kNotVerified, kIndexWrong };

}  // namespace

struct Segment::State::Lookup {
  // The question.
  int64_t offset;
  int64_t max_bytes;
  int64_t upper_bound;
  Wait wait;
  // What was found out.
  FilesPointer files;
  Run run;                    // verified, and holds the offset
  bool ends_here = false;     // nothing readable follows the run directly
  bool last_run = false;      // nothing at all does
  bool trust_index = true;    // false: it could not be made right; walk without it
  Boundary start = {-1, -1};  // of the entry that holds the offset, where it is known
  Range range;

  const EntryFormat* format;
  int64_t interval;
  int64_t base;
  bool sparse;

  Outcome Answer(Status* status) {
    HeaderWalk walk(*files->log, *format, run.to.position, interval, wait);
    Outcome outcome = start.position < 0 ? FindStart(&walk) : Outcome::kFound;
    if (outcome == Outcome::kFound && start.position == run.to.position) {
      range = Range();  // what it held was removed
    } else if (outcome == Outcome::kFound) {
      const int64_t to_end = run.to.position - start.position;
      if (to_end > max_bytes || run.to.offset > upper_bound) {
        outcome = FindEnd(&walk);
      } else if (!ends_here && run.to.offset < upper_bound && to_end < max_bytes) {
        outcome = Outcome::kNotVerified;
      } else {
        outcome = End(run.to);
      }
    }
    if (outcome == Outcome::kFound && sparse && range.length > 0) outcome = Count(&walk);
    if (outcome == Outcome::kFailed) *status = walk.status();
    return outcome;
  }

 private:
  Outcome End(const Boundary& end) {
    range = Range();
    if (end.position > start.position) {
      range = {start.position, end.position - start.position, start.offset, end.offset - 1, end.offset - start.offset};
    }
    return Outcome::kFound;
  }

  // What only the entries of a sparse segment's answer can say.
  Outcome Count(HeaderWalk* walk) {
    const int64_t end = range.position + range.length;
    walk->Expect(range.length);
    range.count = 0;
    EntryHeader header;
    for (Boundary at = start; at.position < end; at = Behind(at, header)) {
      if (!walk->From(at.position, at.offset, &header)) return Outcome::kFailed;
      if (at.position == start.position) range.first_offset = header.offset;
      range.last_offset = header.last_offset;
      range.count += header.records;
    }
    return Outcome::kFound;
  }

  static Boundary Behind(const Boundary& at, const EntryHeader& header) {
    return {at.position + static_cast<int64_t>(header.length), header.next_offset()};
  }

  // Reads the entry that a walk comes to: in a sparse segment one that the index names, or whichever is next.
  bool Next(HeaderWalk* walk, const Boundary& at, bool by_index, EntryHeader* header) const {
    return sparse && !by_index ? walk->From(at.position, at.offset, header) : walk->At(at.position, at.offset, header);
  }

  // The walk met no such entry: the index led astray, or the file is not what it was.
  static Outcome Astray(const HeaderWalk& walk, bool by_index) {
    return by_index && walk.status().code() == Code::kCorrupt ? Outcome::kIndexWrong : Outcome::kFailed;
  }

  // An entry that many bytes behind the one indexed last would be indexed itself. (In a sparse segment it may be, with
  // an offset behind the one that led here.)
  bool Short(const std::optional<IndexEntry>& floor, int64_t position) const {
    if (!floor || position - static_cast<int64_t>(floor->position) < interval) return false;
    if (!sparse) return true;
    if (position == run.to.position) return false;
    const std::optional<IndexEntry> here = files->index->FloorByPosition(position);
    return !here || static_cast<int64_t>(here->position) != position;
  }

  Outcome FindStart(HeaderWalk* walk) {
    Boundary at = run.from;
    bool by_index = false;
    std::optional<IndexEntry> floor;
    if (trust_index) {
      std::optional<IndexEntry> next;
      floor = files->index->FloorByOffset(offset - base, &next);
      // The gap before the first entry is in no index.
      const bool before_all = !floor && sparse && run.from.position == 0 && files->index->count() > 0;
      if (!floor && !before_all) return Outcome::kIndexWrong;
      const Boundary indexed = floor ? Boundary{floor->position, base + floor->relative_offset} : run.from;
      if (indexed.position >= run.to.position) return Outcome::kIndexWrong;
      by_index = indexed.position >= run.from.position;
      if (by_index != (indexed.offset >= run.from.offset)) return Outcome::kIndexWrong;
      by_index = by_index && floor;
      if (by_index) at = indexed;
      if (by_index && next) walk->Expect(Distance(*floor, *next));
    }
    EntryHeader header;
    for (bool first = true; !(sparse && last_run && at.position == run.to.position); first = false) {
      if (!Next(walk, at, by_index && first, &header)) return Astray(*walk, by_index);
      if (header.last_offset >= offset) break;
      at = Behind(at, header);
      if (Short(floor, at.position)) return Outcome::kIndexWrong;
    }
    start = at;
    return Outcome::kFound;
  }

  // About how far our entry lies behind one indexed entry and before the next, if entries are alike.
  int64_t Distance(const IndexEntry& floor, const IndexEntry& next) const {
    const int64_t entries = static_cast<int64_t>(next.relative_offset) - floor.relative_offset;
    const int64_t bytes = static_cast<int64_t>(next.position) - floor.position;
    if (entries <= 0 || bytes <= 0) return interval;
    return bytes * (offset - base - floor.relative_offset) / entries + bytes / 8;
  }

  Outcome FindEnd(HeaderWalk* walk) {
    Boundary at = start;
    const int64_t limit = start.position + std::min(max_bytes, run.to.position - start.position);
    bool by_index = false;
    std::optional<IndexEntry> floor;
    if (trust_index) {
      floor = files->index->FloorByPosition(limit);
      if (upper_bound < run.to.offset) {
        const std::optional<IndexEntry> by_offset = files->index->FloorByOffset(upper_bound - base);
        if (by_offset && floor && by_offset->position < floor->position) floor = by_offset;
        if (!by_offset && sparse) floor = files->index->FloorByPosition(0);
      }
      if (!floor) return Outcome::kIndexWrong;
      const Boundary indexed = {floor->position, base + floor->relative_offset};
      if (indexed == run.to || (sparse && indexed.position == run.to.position)) return End(run.to);
      by_index = indexed.position > at.position;
      const bool possible =
          indexed.offset > at.offset && indexed.offset <= upper_bound && indexed.position < run.to.position;
      if (by_index && !possible) return Outcome::kIndexWrong;
      if (by_index) at = indexed;
    }
    walk->Expect(limit - at.position);
    EntryHeader header;
    while (at.position < run.to.position) {
      if (!Next(walk, at, by_index, &header)) return Astray(*walk, by_index);
      by_index = false;  // its offset was right: from here on the log itself leads
      if (header.last_offset >= upper_bound) break;
      const Boundary behind = Behind(at, header);
      // The first entry is always within, whatever its length.
      if (at.position != start.position && behind.position > limit) break;
      at = behind;
      if (at.offset >= upper_bound || at.position >= limit) break;
      if (Short(floor, at.position)) return Outcome::kIndexWrong;
    }
    return End(at);
  }
};

Result<Range> Segment::State::FindRange(int64_t offset, int64_t max_bytes, int64_t upper_bound, Wait wait) {
  Lookup lookup = {};
  lookup.offset = offset;
  lookup.max_bytes = std::max<int64_t>(options.sparse ? std::min(max_bytes, kMostCounted) : max_bytes, 0);
  lookup.wait = wait;
  lookup.format = &format;
  lookup.interval = options.index_interval_bytes;
  lookup.base = options.base_offset;
  lookup.sparse = options.sparse;
  lookup.trust_index = true;
  bool rebuilt = false;
  for (int round = 0; round < kMostRounds; ++round) {
    Outcome outcome = Outcome::kNotVerified;
    uint64_t at_truncations;
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (closed) return Status(Code::kClosed, "the segment is closed");
      if (offset < options.base_offset || offset > next_offset) {
        return Status(Code::kOffsetOutOfRange, "outside of the segment");
      }
      at_truncations = truncations;
      lookup.upper_bound = std::min(upper_bound, next_offset);
      if (offset >= lookup.upper_bound || (options.sparse && size == 0)) return Range();
      if (const Run* run = runs.Holding(offset)) {
        lookup.run = *run;
        lookup.last_run = run->to.position == size;
        lookup.ends_here = lookup.last_run;
        const int64_t known = range_ends.PositionOf(offset);
        // The same offset ends one run and begins another where bytes between them are damaged.
        if (known >= run->from.position && known < run->to.position) lookup.start = {known, offset};
        outcome = Outcome::kNotOpen;
      }
      for (const Damage& damage : damages) {
        if (offset >= damage.first_offset && offset < damage.next_offset) {
          return Status(Code::kCorrupt, "the offset lies in damaged bytes");
        }
        if (outcome == Outcome::kNotOpen && damage.position == lookup.run.to.position) lookup.ends_here = true;
      }
      if (files != nullptr) {
        lookup.files = files;
        OpenFiles::Instance().Touch(this);
      }
    }
    Status status;
    if (outcome == Outcome::kNotOpen && lookup.files != nullptr) outcome = lookup.Answer(&status);
    if (outcome == Outcome::kFound) {
      const Range& range = lookup.range;
      std::lock_guard<std::mutex> lock(mutex);
      if (truncations == at_truncations && range.length > 0)
        range_ends.Remember({range.position + range.length, range.last_offset + 1});
      return range;
    }
    if (outcome == Outcome::kFailed) return status;
    if (wait == Wait::kNever) return Status(Code::kWouldBlock, "the answer needs the disk");
    if (outcome == Outcome::kNotOpen) {
      Result<FilesPointer> opened = Acquire(wait);
      if (!opened.ok()) return opened.status();
      lookup.files = *opened;  // kept: another may close them meanwhile
    } else if (outcome == Outcome::kNotVerified) {
      MYKAFKA_RETURN_IF_ERROR(VerifyFor(offset, lookup.start.position, lookup.max_bytes, lookup.upper_bound));
    } else if (!rebuilt) {
      // Wrong twice in a row, or impossible to write: the answer is found without it.
      rebuilt = true;
      if (!RebuildIndex(lookup.files).ok()) lookup.trust_index = false;
      lookup.files = nullptr;
    } else {
      lookup.trust_index = false;
    }
  }
  return Status(Code::kCorrupt, "the files change while they are read");
}

}  // namespace mykafka
