// One pass over a segment's log: what is known is skipped, what is found right becomes a run, what is not a damage.
#ifndef MYKAFKA_CORE_SEGMENT_WALK_H_
#define MYKAFKA_CORE_SEGMENT_WALK_H_

#include <cstdint>
#include <optional>

#include "core/entry_scanner.h"
#include "core/segment_state.h"

namespace mykafka {

// With the segment's verify_mutex.
class SegmentWalk {
 public:
  // Nothing at or behind `end` is looked at.
  SegmentWalk(Segment::State& state, File& log, const Boundary& end)
      : state_(state),
        log_(log),
        end_(end),
        sparse_(state.options.sparse),
        scanner_(log, state.format, 0, end.position) {}

  // From a boundary that is certain.
  void StartAt(const Boundary& certain) { Restart(certain); }
  // From one that the index names: where the chain from there breaks, the pass starts over at the
  // certain one before it, since a wrong index may have led into the inside of a value.
  void StartAt(const Boundary& indexed, const Boundary& certain) {
    Restart(indexed);
    certain_ = certain;
    confirmed_ = false;
    exact_ = true;
  }

  // Goals; without any the pass goes to the end.
  void StopAtPosition(int64_t position) { stop_position_ = position; }
  void StopBehind(int64_t offset, int64_t start, int64_t max_bytes, int64_t upper_bound) {
    wanted_ = offset;
    wanted_start_ = start;
    max_bytes_ = max_bytes;
    upper_bound_ = upper_bound;
  }
  // Shows every right entry, from a certain start; nothing is skipped then.
  void Show(const EntryVisitor* visitor) { visitor_ = visitor; }

  Status Run();

  const Boundary& at() const { return at_; }
  bool AtEnd() const { return at_.position >= end_.position && at_.offset >= end_.offset; }
  // The visitor wants no more.
  bool ended() const { return ended_; }

 private:
  void Restart(const Boundary& from);
  bool Done() const;
  Status Step();
  // Whether this entry may come next: the one with our offset, in a sparse segment also one behind it. None reaches
  // into the next segment.
  bool Fits(const EntryHeader& header) const {
    const bool next = sparse_ && !exact_ ? header.offset >= at_.offset : header.offset == at_.offset;
    return next && header.last_offset < end_.offset;
  }
  void StepOver(const EntryHeader& header);
  // Where the next thing begins that is known already: a run or a damage.
  void FindKnown();
  Status SkipKnown();
  Status StartOver();
  // The end of the file is reached, and offsets are left.
  Status OutOfBytes();
  // No entry with our offset is here: `entry` is what is, or null at the end of the file.
  Status Broken(const ScannedEntry* entry);
  void Resume(const Boundary& at);
  void Flush();
  void Record(const Damage& damage);
  void ShowEntry(const Boundary& at, const EntryHeader& header, const uint8_t* bytes) {
    if (visitor_ != nullptr && !(*visitor_)(at, header, bytes)) ended_ = true;
  }
  // The entries of a verified run from here to a boundary, or as far as is wanted.
  Status ShowRun(const Boundary& to);

  Segment::State& state_;
  File& log_;
  const Boundary end_;
  const bool sparse_;
  EntryScanner scanner_;
  Boundary at_;
  mykafka::Run checked_;
  Boundary certain_;
  bool confirmed_ = true;
  bool exact_ = false;  // what the index names has the very offset that it says
  bool damage_behind_ = false;

  int64_t known_ahead_ = -1;  // position of what is known next, -1: not looked up
  std::optional<mykafka::Run> known_run_;
  std::optional<Damage> known_damage_;

  int64_t stop_position_ = INT64_MAX;
  int64_t wanted_ = -1;
  int64_t wanted_start_ = -1;
  int64_t max_bytes_ = 0;
  int64_t upper_bound_ = INT64_MAX;

  const EntryVisitor* visitor_ = nullptr;
  bool ended_ = false;
};

}  // namespace mykafka

#endif  // MYKAFKA_CORE_SEGMENT_WALK_H_
