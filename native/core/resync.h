// Where reading resumes behind damaged bytes. The index is not asked: only the bytes themselves count.
//
// A value may hold bytes that are right entries by chance or on purpose (a copy of a log, say), and a disk
// may write a block to the wrong place. So a right entry with a plausible offset is believed only with the
// chain that begins there: of all chains up to the end of the log, those count that fit together and hold
// the most.
#ifndef MYKAFKA_CORE_RESYNC_H_
#define MYKAFKA_CORE_RESYNC_H_

#include <cstdint>
#include <optional>

#include "core/entry_scanner.h"
#include "core/file.h"
#include "core/status.h"

namespace mykafka {

// The part of a file in question and the offsets that an entry in it may bear.
struct ResyncBounds {
  int64_t end = 0;           // no entry reaches beyond this position
  int64_t first_offset = 0;  // the least that is plausible: the last good one + 1
  int64_t end_offset = 0;    // above the greatest that is plausible
  RecordFormat format = RecordFormat::kMykafka;
  bool sparse = false;  // offsets may be missing between neighbours
  // Where the end of the offsets is unknown: an entry bears none for which the bytes between this position and its own
  // have no room, but for `missing` ones. So what is plausible does not change when the end of the file is cut off.
  int64_t room_from = -1;  // -1: whatever the bytes have room for
  int64_t missing = 0;
};

// `damaged` is what the scanner found at the position where an entry with bounds.first_offset (in a sparse log: that or
// a higher one) should begin: no entry, or a right one with another offset. Returns the right entry where reading
// resumes, or nothing where no right one follows.
Result<std::optional<ScannedEntry>> Resync(File& file, const ScannedEntry& damaged, const ResyncBounds& bounds);

// The first position from `from` on where a right entry with a plausible offset begins.
Result<std::optional<ScannedEntry>> FindRightEntry(File& file, int64_t from, const ResyncBounds& bounds);

// How many right entries with plausible offsets lie from `from` on, one behind the other or apart.
Result<int64_t> CountRightEntries(File& file, int64_t from, const ResyncBounds& bounds);

}  // namespace mykafka

#endif  // MYKAFKA_CORE_RESYNC_H_
