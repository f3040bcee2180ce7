// What can be read of a segment, entry by entry, without its indexes: that which every answer is held against.
#ifndef MYKAFKA_FUZZ_READABLE_H_
#define MYKAFKA_FUZZ_READABLE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/segment.h"
#include "fuzz/reference.h"
#include "fuzz/segment_case.h"

namespace mykafka::fuzz {

class Readable {
 public:
  // Of a log that ends at next_offset, be its last bytes what they may. Checks that what is right and what is damaged
  // together make up all of it.
  Readable(const SegmentCase& segment, int64_t next_offset);

  const std::vector<reference::Entry>& entries() const { return entries_; }
  const std::vector<Damage>& damages() const { return damages_; }
  int64_t next_offset() const { return next_offset_; }

  // What FindRange has to answer, as Describe says it.
  std::string Answer(int64_t offset, int64_t max_bytes, int64_t upper_bound) const;

 private:
  const Damage* DamageAt(int64_t offset) const;
  void Walk(Segment* segment, const SegmentCase& files);
  void CheckComplete(const SegmentCase& segment) const;

  const bool sparse_;
  const int64_t base_;
  const int64_t next_offset_;
  const bool empty_;
  std::vector<reference::Entry> entries_;
  std::vector<Damage> damages_;
};

bool Same(const std::vector<Damage>& a, const std::vector<Damage>& b);

// Whether a slot of the index names the inside of an entry, where bytes stand that read as one with the slot's offset:
// no look at that place alone can tell, and such an index is believed.
bool IsDeceptive(const SegmentCase& files, const Readable& readable);

}  // namespace mykafka::fuzz

#endif  // MYKAFKA_FUZZ_READABLE_H_
