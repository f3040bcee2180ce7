#include "core/resync.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "core/bytes.h"
#include "core/entry.h"

namespace mykafka {

namespace {

// Chains of this many bytes are believed without looking on to the end of the segment: behind an entry
// whose lengths hold, and where they do not.
constexpr int64_t kLongChain = 1 << 20;
constexpr int64_t kEnough = 16 << 20;

bool HasRoom(const ScannedEntry& entry, const ResyncBounds& bounds) {
  if (bounds.room_from < 0) return true;
  const EntryFormat& format = EntryFormat::Of(bounds.format);
  const int64_t room = format.most_offsets(entry.position - bounds.room_from) + bounds.missing;
  return entry.header.offset - bounds.first_offset <= room;
}

bool Plausible(const ScannedEntry& entry, const ResyncBounds& bounds) {
  return entry.verdict == EntryVerdict::kRight && entry.header.offset >= bounds.first_offset &&
         entry.header.last_offset < bounds.end_offset && HasRoom(entry, bounds);
}

int64_t EndOf(const ScannedEntry& entry) {
  return entry.position + static_cast<int64_t>(entry.header.length);
}

// Looks for right entries byte by byte, through a window on the file.
class EntryFinder {
 public:
  EntryFinder(File& file, const ResyncBounds& bounds)
      : file_(file),
        bounds_(bounds),
        format_(EntryFormat::Of(bounds.format)),
        header_length_(format_.header_length),
        scanner_(file, format_, 0, bounds.end) {}

  Result<std::optional<ScannedEntry>> Find(int64_t from) {
    if (bounds_.end_offset <= bounds_.first_offset) return std::optional<ScannedEntry>();
    while (bounds_.end - from >= static_cast<int64_t>(format_.smallest)) {
      MYKAFKA_RETURN_IF_ERROR(Fill(from));
      const auto start = static_cast<size_t>(from - position_);
      const size_t stop = window_length_ - (header_length_ - 1);
      for (size_t at = start; at < stop; ++at) {
        if (!WorthALook(window_.data() + at)) continue;
        if (LoadBig64(window_.data() + at) == 0) {
          at += BlankStep(at);
          if (at >= stop) break;
        }
        ScannedEntry entry;
        MYKAFKA_RETURN_IF_ERROR(Look(at, &entry));
        if (Plausible(entry, bounds_)) return std::optional<ScannedEntry>(entry);
      }
      from = position_ + static_cast<int64_t>(stop);
    }
    return std::optional<ScannedEntry>();
  }

 private:
  // What most positions fail at, from 20 bytes alone.
  bool WorthALook(const uint8_t* data) const {
    const uint64_t above_first = LoadBig64(data) - static_cast<uint64_t>(bounds_.first_offset);
    if (above_first >= static_cast<uint64_t>(bounds_.end_offset - bounds_.first_offset)) return false;
    return format_.worth_a_look(data);
  }

  // How far to step on from inside of zeroes: what begins with as many as the shortest entry has is none,
  // though it may parse.
  size_t BlankStep(size_t at) const {
    size_t blank = at + 8;
    while (blank < window_length_ && window_[blank] == 0) ++blank;
    return blank - at >= format_.smallest ? blank - at - (format_.smallest - 1) : 0;
  }

  Status Look(size_t at, ScannedEntry* entry) {
    entry->position = position_ + static_cast<int64_t>(at);
    entry->verdict = EntryVerdict::kNotAnEntry;
    const ParseVerdict parsed = format_.parse(window_.data() + at, window_length_ - at, &entry->header);
    if (parsed == ParseVerdict::kDamaged || EndOf(*entry) > bounds_.end) return Status::Ok();
    if (parsed == ParseVerdict::kWhole && entry->header.length <= kCheckedInWindow) {
      if (format_.CrcRight(window_.data() + at, entry->header.length)) entry->verdict = EntryVerdict::kRight;
      return Status::Ok();
    }
    scanner_.Seek(entry->position);
    return scanner_.Next(entry).status();
  }

  // A window that begins at or before `from` and holds at least one header behind it.
  Status Fill(int64_t from) {
    const bool inside = from >= position_ &&
                        from + static_cast<int64_t>(header_length_) <= position_ + static_cast<int64_t>(window_length_);
    if (inside) return Status::Ok();
    next_window_ =
        from == position_ + static_cast<int64_t>(window_length_ - std::min(window_length_, header_length_ - 1))
            ? std::min(next_window_ * 2, kLargestWindow)
            : kFirstWindow;
    window_length_ = 0;
    const auto want = static_cast<size_t>(std::min<int64_t>(static_cast<int64_t>(next_window_), bounds_.end - from));
    if (window_.size() < want) window_.resize(want);
    MYKAFKA_RETURN_IF_ERROR(ReadFully(file_, window_.data(), want, from, Wait::kAllowed));
    position_ = from;
    window_length_ = want;
    return Status::Ok();
  }

  static constexpr size_t kCheckedInWindow = 64u << 10;  // the scanner knows a way for larger ones
  static constexpr size_t kFirstWindow = 16u << 10;
  static constexpr size_t kLargestWindow = 1u << 20;

  File& file_;
  const ResyncBounds bounds_;
  const EntryFormat& format_;
  const size_t header_length_;
  EntryScanner scanner_;
  std::vector<uint8_t> window_;
  int64_t position_ = 0;
  size_t window_length_ = 0;
  size_t next_window_ = kFirstWindow;
};

struct Chain {
  ScannedEntry first;
  int64_t last_offset = 0;
  int64_t end = 0;
};

// Whether an entry may stand where one with this offset is expected.
bool Expected(const ScannedEntry& entry, int64_t offset, const ResyncBounds& bounds) {
  return bounds.sparse ? entry.header.offset >= offset : entry.header.offset == offset;
}

// The right entry at the end that a damaged one claims for itself, if it bears the offset that follows the
// damaged one's. (One that bears a higher offset is no proof: a wrong length can end at a later entry. In a sparse log
// it may have to do: see HidesEntries.)
Result<bool> RightBehind(EntryScanner& scanner, const ScannedEntry& damaged, int64_t offset, const ResyncBounds& bounds,
                         ScannedEntry* behind) {
  if (damaged.header.length == 0 || EndOf(damaged) >= bounds.end) return false;
  scanner.Seek(EndOf(damaged));
  Result<bool> any = scanner.Next(behind);
  if (!any.ok()) return any.status();
  return *any && Plausible(*behind, bounds) && Expected(*behind, offset, bounds);
}

// Follows right entries, each with the next offset, from `first` to the end or to where they break off, or
// until they are `enough` bytes long. One damaged entry that ends where the chain goes on does not break it.
Result<Chain> Follow(EntryScanner& scanner, const ScannedEntry& first, const ResyncBounds& bounds, int64_t enough) {
  const EntryFormat& format = EntryFormat::Of(bounds.format);
  Chain chain = {first, first.header.last_offset, EndOf(first)};
  scanner.Seek(chain.end);
  while (chain.end < bounds.end && chain.end - first.position < enough) {
    ScannedEntry entry;
    Result<bool> any = scanner.Next(&entry);
    if (!any.ok()) return any.status();
    if (!Plausible(entry, bounds) || !Expected(entry, chain.last_offset + 1, bounds)) {
      if (entry.verdict == EntryVerdict::kRight && format.offset_in_crc) break;
      ScannedEntry behind;
      const int64_t offsets = bounds.sparse ? 1 : entry.header.offsets();
      Result<bool> on = RightBehind(scanner, entry, chain.last_offset + 1 + offsets, bounds, &behind);
      if (!on.ok()) return on.status();
      if (!*on) break;
      entry = behind;
    }
    chain.last_offset = entry.header.last_offset;
    chain.end = EndOf(entry);
  }
  return chain;
}

// Whether right entries fill the end of what a damaged one claims for itself: then its length is what is wrong. None in
// a value reach that far, since something of the entry follows its value.
Result<bool> HidesEntries(EntryScanner& scanner, EntryFinder& finder, const ScannedEntry& damaged,
                          const ScannedEntry& behind, const ResyncBounds& bounds) {
  ResyncBounds inside = bounds;
  inside.end = EndOf(damaged);
  inside.end_offset = behind.header.offset;
  for (int64_t from = damaged.position + 1;;) {
    Result<std::optional<ScannedEntry>> found = finder.Find(from);
    if (!found.ok()) return found.status();
    if (!found->has_value() || (*found)->position >= inside.end) return false;
    Result<Chain> chain = Follow(scanner, **found, inside, INT64_MAX);
    if (!chain.ok()) return chain.status();
    if (chain->end >= inside.end) return chain->end == inside.end;
    from = chain->end;
  }
}

// Of chains in the order of the file, those that fit together (their offsets rise) and hold the most bytes.
// What does not fit is a copy inside of a value, or was written to the wrong place. Where offsets are not under
// the CRC, neighbours whose offsets do not follow one another do not fit either, unless some may be missing.
class BestChains {
 public:
  explicit BestChains(const ResyncBounds& bounds)
      : neighbours_follow_(!EntryFormat::Of(bounds.format).offset_in_crc && !bounds.sparse) {}

  void Add(const Chain& chain, int64_t weight) {
    Sum sum = {weight, chain.end, chain.first};
    auto behind = by_last_offset_.lower_bound(chain.first.header.offset);
    while (behind != by_last_offset_.begin()) {
      --behind;
      const bool neighbours = behind->second.end == chain.first.position;
      if (neighbours_follow_ && neighbours && behind->first + 1 != chain.first.header.offset) continue;
      sum = {behind->second.bytes + weight, chain.end, behind->second.first};
      break;
    }
    // Kept rising: what ends later and holds no more is of no use.
    auto at = by_last_offset_.upper_bound(chain.last_offset);
    if (at != by_last_offset_.begin() && std::prev(at)->second.bytes >= sum.bytes) return;
    at = by_last_offset_.lower_bound(chain.last_offset);
    while (at != by_last_offset_.end() && at->second.bytes <= sum.bytes) at = by_last_offset_.erase(at);
    by_last_offset_[chain.last_offset] = sum;
  }

  int64_t bytes() const { return by_last_offset_.empty() ? 0 : by_last_offset_.rbegin()->second.bytes; }
  std::optional<ScannedEntry> first() const {
    if (by_last_offset_.empty()) return std::nullopt;
    return by_last_offset_.rbegin()->second.first;
  }

 private:
  struct Sum {
    int64_t bytes;
    int64_t end;  // of the last chain in it
    ScannedEntry first;
  };
  const bool neighbours_follow_;
  std::map<int64_t, Sum> by_last_offset_;
};

// By its own header, a damaged entry is whole and reaches to the end.
bool ClaimsTheRest(const ScannedEntry& damaged, const ResyncBounds& bounds) {
  return damaged.header.length > 0 && EndOf(damaged) == bounds.end && Expected(damaged, bounds.first_offset, bounds);
}

}  // namespace

Result<std::optional<ScannedEntry>> FindRightEntry(File& file, int64_t from, const ResyncBounds& bounds) {
  return EntryFinder(file, bounds).Find(from);
}

Result<int64_t> CountRightEntries(File& file, int64_t from, const ResyncBounds& bounds) {
  EntryScanner scanner(file, EntryFormat::Of(bounds.format), from, bounds.end);
  EntryFinder finder(file, bounds);
  int64_t count = 0;
  while (from < bounds.end) {
    ScannedEntry entry;
    scanner.Seek(from);
    Result<bool> any = scanner.Next(&entry);
    if (!any.ok()) return any.status();
    if (!Plausible(entry, bounds)) {
      Result<std::optional<ScannedEntry>> found = finder.Find(from);
      if (!found.ok()) return found.status();
      if (!found->has_value()) break;
      entry = **found;
    }
    ++count;
    from = EndOf(entry);
  }
  return count;
}

Result<std::optional<ScannedEntry>> Resync(File& file, const ScannedEntry& damaged, const ResyncBounds& all) {
  using Answer = std::optional<ScannedEntry>;
  // The first offset belongs to what is damaged: found further on, it would be a copy.
  ResyncBounds bounds = all;
  ++bounds.first_offset;
  const EntryFormat& format = EntryFormat::Of(bounds.format);
  EntryScanner scanner(file, format, damaged.position, bounds.end);
  EntryFinder finder(file, bounds);

  // The common case, a flipped bit in a key, a value or the CRC: the lengths still hold.
  ScannedEntry next;
  const int64_t offsets = bounds.sparse ? 1 : damaged.header.offsets();
  Result<bool> behind = RightBehind(scanner, damaged, all.first_offset + offsets, bounds, &next);
  if (!behind.ok()) return behind.status();
  // One that is right but for an offset that nothing protects: its neighbour says that it belongs where it is.
  const bool only_offset = damaged.verdict == EntryVerdict::kRight && !format.offset_in_crc;
  if (*behind && only_offset) return Answer(next);
  if (*behind && bounds.sparse) {
    Result<bool> hides = HidesEntries(scanner, finder, damaged, next, bounds);
    if (!hides.ok()) return hides.status();
    behind = !*hides;
  }
  if (*behind) {
    Result<Chain> chain = Follow(scanner, next, bounds, kLongChain);
    if (!chain.ok()) return chain.status();
    if (chain->end == bounds.end || chain->end - next.position >= kLongChain) return Answer(next);
  }

  // Else every right entry begins a chain that may be the one.
  BestChains best(bounds);
  bool reaches_end = false;
  for (int64_t from = damaged.position; !reaches_end && best.bytes() < kEnough;) {
    Result<Answer> found = finder.Find(from);
    if (!found.ok()) return found.status();
    if (!found->has_value()) break;
    Result<Chain> chain = Follow(scanner, **found, bounds, kEnough);
    if (!chain.ok()) return chain.status();
    from = chain->end;
    reaches_end = chain->end == bounds.end;
    // Nothing but its own word says that it lies behind a gap.
    const bool alone = chain->end == EndOf(**found) && chain->last_offset + 1 != bounds.end_offset;
    if (only_offset && alone && (*found)->position == damaged.position) continue;
    // Bytes left over behind the last possible offset: that chain is a copy.
    if (!reaches_end && chain->last_offset + 1 == bounds.end_offset) continue;
    // No copy inside of a value ends where the log does.
    best.Add(*chain, reaches_end ? bounds.end : chain->end - chain->first.position);
  }
  // Against an entry that claims all the rest, only a chain counts that ends where it does.
  if (ClaimsTheRest(damaged, all) && !reaches_end) return Answer();
  return best.first();
}

}  // namespace mykafka
