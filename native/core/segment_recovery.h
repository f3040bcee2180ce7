// Finding the end of a segment's log at start, and keeping aside what does not belong to it.
#ifndef MYKAFKA_CORE_SEGMENT_RECOVERY_H_
#define MYKAFKA_CORE_SEGMENT_RECOVERY_H_

#include <cstdint>

#include "core/segment.h"
#include "core/segment_state.h"

namespace mykafka {

enum class RecoveryMode : uint8_t {
  kClean,       // everything is below the recovery point: only the end is looked for, nothing is cut
  kRecovering,  // from the recovery point up every entry is checked, and what is not right is cut
};

// Opens the files, finds the end and sets up the state of a segment that nobody else sees yet.
Status RecoverSegment(Segment::State& state, RecoveryMode mode, int64_t recovery_point, RecoveryReport* report);

}  // namespace mykafka

#endif  // MYKAFKA_CORE_SEGMENT_RECOVERY_H_
