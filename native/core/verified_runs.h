// What is known to be right in a segment: disjoint runs of checked entries, each with the offsets and
// the positions it begins and ends at. Not locked: the segment's mutex guards it.
#ifndef MYKAFKA_CORE_VERIFIED_RUNS_H_
#define MYKAFKA_CORE_VERIFIED_RUNS_H_

#include <cstddef>
#include <cstdint>
#include <map>

namespace mykafka {

// A place between two entries: behind it stands the entry with this offset (or nothing yet).
struct Boundary {
  int64_t position = 0;
  int64_t offset = 0;
};

inline bool operator==(const Boundary& a, const Boundary& b) {
  return a.position == b.position && a.offset == b.offset;
}
inline bool operator!=(const Boundary& a, const Boundary& b) {
  return !(a == b);
}

// The entries between two boundaries: all that there are.
struct Run {
  Boundary from;
  Boundary to;
};

class VerifiedRuns {
 public:
  // Of a sparse segment (segment.h) runs that touch are one, also where no entry has the offsets between them.
  explicit VerifiedRuns(bool sparse = false) : sparse_(sparse) {}

  // Takes a run in and joins it with those that it touches. An empty one changes nothing.
  void Add(const Run& run);

  // The run that holds the entry with this offset, or null.
  const Run* Holding(int64_t offset) const;
  // The last run that begins at or before this position (this offset), or null.
  const Run* LastFrom(int64_t position) const;
  const Run* LastFromOffset(int64_t offset) const;
  // The first run that begins behind this position, or null.
  const Run* FirstBehind(int64_t position) const;

  // Forgets everything behind a boundary.
  void CutAt(const Boundary& end);

  size_t count() const { return runs_.size(); }

 private:
  struct ByOffset {
    int64_t value;
  };
  // Offsets rise with positions, so one tree is searched by either.
  struct Order {
    using is_transparent = void;
    bool operator()(const Boundary& a, const Boundary& b) const { return a.position < b.position; }
    bool operator()(const Boundary& a, int64_t position) const { return a.position < position; }
    bool operator()(int64_t position, const Boundary& b) const { return position < b.position; }
    bool operator()(const Boundary& a, ByOffset b) const { return a.offset < b.value; }
    bool operator()(ByOffset a, const Boundary& b) const { return a.value < b.offset; }
  };

  bool Join(const Run& first, const Run& second) const;
  void Cover(Run* run, const Run& other) const;

  bool sparse_;
  std::map<Boundary, Run, Order> runs_;  // by from
};

}  // namespace mykafka

#endif  // MYKAFKA_CORE_VERIFIED_RUNS_H_
