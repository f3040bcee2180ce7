// One pass over the file of a segment that belongs to no open log, and over what its indexes say of it. Reads only.
// Used by `mykafka verify` and `mykafka dump-log`.
#ifndef MYKAFKA_CORE_LOG_CHECK_H_
#define MYKAFKA_CORE_LOG_CHECK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/index_slots.h"
#include "core/segment.h"

namespace mykafka {

struct LogCheckOptions {
  std::string log_path;
  int64_t base_offset = 0;
  int64_t end_offset = -1;  // base of the segment behind it; -1: the log ends with this one, or nobody knows
  // Entries from this offset on are not looked at: a broker may be writing them.
  int64_t below = INT64_MAX;
  bool sparse = false;
  std::optional<RecordFormat> record_format;  // nothing: that of the first entry
  std::vector<uint8_t> index;                 // as the files hold them
  std::vector<uint8_t> times;
};

enum class DamageKind : uint8_t {
  kCrcWrong,
  kTorn,  // an entry begins, and there are fewer bytes than it says
  kNotAnEntry,
  kOffsetWrong,  // a right entry that does not belong there by its offset
  kGap,          // nothing is damaged, but offsets are missing
};

struct FoundDamage {
  Damage where;  // at the end of a log that nothing is known behind, next_offset is first_offset
  DamageKind kind = DamageKind::kGap;
};

struct LogCheck {
  RecordFormat format = RecordFormat::kMykafka;
  int64_t size = 0;     // of the file
  int64_t checked = 0;  // where the last right entry ends
  int64_t entries = 0;  // right ones
  int64_t records = 0;
  int64_t next_offset = 0;  // behind the last right one
  int64_t largest_timestamp = -1;
  std::vector<FoundDamage> damages;  // by position
  std::vector<SlotVerdict> index;
  std::vector<SlotVerdict> times;
  // Of the offset index: the longest way from one right entry to the next, and from the last one to the last entry of
  // the log; -1 where there are none.
  int64_t index_widest = -1;
  int64_t index_tail = -1;
};

Result<LogCheck> CheckLog(FileSystem& file_system, const LogCheckOptions& options);

}  // namespace mykafka

#endif  // MYKAFKA_CORE_LOG_CHECK_H_
