// Batches one behind the other that the log cleaner hands out together, because some of them are compressed: a caller
// that is on another thread is asked once for all of them.
#ifndef MYKAFKA_CORE_CLEAN_RUN_H_
#define MYKAFKA_CORE_CLEAN_RUN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/clean_reader.h"
#include "core/record_batch.h"

namespace mykafka {

// Bytes that another holds.
struct BytesView {
  const uint8_t* data = nullptr;
  size_t length = 0;
};

// What the caller gets to see. It does not change any more then.
struct HandedOut {
  std::vector<uint8_t> bytes;
  std::vector<uint32_t> compressed;  // where the batches are whose records are to be decompressed
};

class CleanRun {
 public:
  struct Batch {
    BatchHeader header;
    size_t position;
    size_t length;
    bool compressed;
  };

  // `limit`: so many bytes, or one batch.
  explicit CleanRun(size_t limit) : limit_(limit) {}

  bool empty() const { return batches_.empty(); }
  bool Takes(size_t length) const { return empty() || bytes_->bytes.size() + length <= limit_; }
  // The entry is a whole batch. `compressed`: its records are asked for.
  void Add(const CleanEntry& entry, const BatchHeader& header, bool compressed);
  void Clear();

  std::shared_ptr<const HandedOut> handed_out() const { return bytes_; }
  // Behind the last batch: an offset.
  int64_t next_offset() const { return BehindOf(batches_.back()); }
  static int64_t BehindOf(const Batch& batch) { return batch.header.base_offset + batch.header.last_offset_delta + 1; }

  // The batches are gone through once, in order.
  const Batch* Current() const { return at_ < batches_.size() ? &batches_[at_] : nullptr; }
  void Advance() { left_ -= batches_[at_++].compressed ? 1 : 0; }
  // How many compressed ones are still to come.
  size_t left() const { return left_; }

  BytesView WholeOf(const Batch& batch) const { return {bytes_->bytes.data() + batch.position, batch.length}; }
  BytesView RecordsOf(const Batch& batch) const {
    return {bytes_->bytes.data() + batch.position + kBatchHeaderLength, batch.length - kBatchHeaderLength};
  }

 private:
  const size_t limit_;
  std::shared_ptr<HandedOut> bytes_;
  std::vector<Batch> batches_;
  size_t at_ = 0;
  size_t left_ = 0;
};

}  // namespace mykafka

#endif  // MYKAFKA_CORE_CLEAN_RUN_H_
