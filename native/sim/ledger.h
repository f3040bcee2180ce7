// What a partition's log should hold: every entry that was ever handed in, which of them are in the log, and which of
// these must be there whatever happens. Bytes are compared, nothing is parsed.
#ifndef MYKAFKA_SIM_LEDGER_H_
#define MYKAFKA_SIM_LEDGER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/segment.h"
#include "sim/random.h"
#include "test/log_model.h"

namespace mykafka::sim {

using Bytes = std::vector<uint8_t>;

struct Entry {
  int64_t first;
  int64_t next;
  int64_t timestamp;
  Bytes bytes;                     // as it is stored
  std::optional<std::string> key;  // of its only record
};
using EntryPointer = std::shared_ptr<const Entry>;

// What is handed in as one batch.
struct Batch {
  Bytes packed;
  uint32_t count;
  int64_t timestamp;  // for PackedBatch
  std::vector<EntryPointer> entries;
};

struct BatchShape {
  uint32_t most_records = 5;
  uint32_t largest_value = 200;
  bool nulls = true;  // some values are none
};

// The `.log` files as a crash left them, by their base offsets.
using Image = std::map<int64_t, Bytes>;

// What a right recovery of an image leaves.
struct Survivors {
  std::vector<EntryPointer> entries;
  int64_t end = 0;
  // What is to be kept aside, by name.
  struct Aside {
    std::string log;  // the name of the `.log`
    int64_t position;
    Bytes bytes;
    int64_t whole_entries;
  };
  std::vector<Aside> asides;
};

class Ledger {
 public:
  Ledger(RecordFormat format, Random* random) : format_(format), random_(random) {}

  // Batches to be appended one behind the other, the first at the end of the log. They may be on the disk from now on.
  std::vector<Batch> NewBatches(uint32_t count, const BatchShape& shape);

  void Appended(const std::vector<Batch>& batches);
  // Everything below is on the disk.
  void Synced(int64_t end);
  // A truncation begins: what lies above the offset may go, and is gone for certain when it is done.
  void CutBegins(int64_t offset);
  void CutDone(int64_t offset);
  // A recovery came to its end.
  void Recovered(const Survivors& survivors);

  int64_t end() const { return entries_.empty() ? 0 : entries_.back()->next; }
  int64_t synced() const { return synced_; }
  const std::vector<EntryPointer>& entries() const { return entries_; }
  // Of the entry that holds the offset: its place among the entries.
  size_t IndexOf(int64_t offset) const;

  // What recovery must make of an image: everything that is whole from the start on, and nothing behind.
  Survivors Survey(const Image& image, int64_t recovery_point) const;

  RecordFormat format() const { return format_; }

 private:
  void Know(const EntryPointer& entry);
  const EntryPointer* FindAt(int64_t offset, const Bytes& bytes, size_t position) const;
  int64_t CountWhole(const Bytes& bytes, size_t from) const;

  const RecordFormat format_;
  Random* const random_;
  std::vector<EntryPointer> entries_;
  int64_t synced_ = 0;
  // By offset: whatever may be found there.
  std::map<int64_t, std::vector<EntryPointer>> possible_;
  std::map<int64_t, std::vector<EntryPointer>> ever_;
};

std::string LogName(int64_t base_offset);

}  // namespace mykafka::sim

#endif  // MYKAFKA_SIM_LEDGER_H_
