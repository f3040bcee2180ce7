// A file of the simulated disk: what the process sees of it is a memfd, so that it can be mapped; beside that, what of
// it is on the disk, and every change since, of which a power loss may keep any part.
#ifndef MYKAFKA_SIM_STORED_FILE_H_
#define MYKAFKA_SIM_STORED_FILE_H_

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/random.h"

namespace mykafka::sim {

using Bytes = std::vector<uint8_t>;

constexpr int64_t kSector = 512;
constexpr int64_t kPage = 4096;

// What a power loss does to what was not synced.
enum class Loss : uint8_t {
  kEverySector,  // each sector is any of its versions, the length any of its own
  kInOrder,      // all changes up to one are there, that one up to one of its sectors, and none behind it
  kNothingLost,
  kAllLost,
};

struct PowerLoss {
  Loss loss = Loss::kEverySector;
  uint64_t last = 0;  // kInOrder: the number of the last change
};

class StoredFile {
 public:
  StoredFile();
  ~StoredFile();
  StoredFile(const StoredFile&) = delete;
  StoredFile& operator=(const StoredFile&) = delete;

  // From here on stores through a mapping are looked for.
  int MappableFd();
  int64_t length() const { return length_; }
  Bytes Contents() const;
  size_t Read(void* into, size_t length, int64_t position) const;

  // Each change has a number of the disk's, ascending.
  void Write(const iovec* parts, int part_count, size_t length, int64_t position, uint64_t number);
  void SetLength(int64_t length, uint64_t number);
  // Makes changes of what was stored through a mapping since the last time.
  void NoticeStores(uint64_t number);

  // A sync covers what was there when it began; what it failed to write is taken for written from then on, unless its
  // page is written again.
  void BeginSync();
  void EndSync(bool ok);

  // The process is gone, and with it the mappings.
  void Unmapped() { mapped_ = false; }
  // The power was gone: what is left is on the disk.
  void Settle(const PowerLoss& how, Random* random);
  // Clean pages are read from the disk again: what a failed sync lost shows.
  void DropClean(Random* random);

 private:
  enum class Fate : uint8_t { kCached, kSyncing, kSynced, kDoubtful };
  struct Change {
    uint64_t number;
    int64_t position;  // of the bytes; where there are none: the new length
    Bytes bytes;
    int64_t length_after;
    Fate fate = Fate::kCached;
    bool shortens = false;
  };

  void Apply(const Change& change, Bytes* to) const;
  void Fold();
  void SplitByPages();
  static int64_t PageOf(const Change& change) { return change.position / kPage; }
  bool IsIn(const Change& change, int64_t page) const;
  void Replace(Bytes bytes);
  int64_t ChooseLength(const PowerLoss& how, Random* random) const;

  const int fd_;
  int64_t length_ = 0;
  Bytes durable_;
  std::vector<Change> changes_;
  bool mapped_ = false;
  Bytes seen_;  // while it is mapped
};

}  // namespace mykafka::sim

#endif  // MYKAFKA_SIM_STORED_FILE_H_
