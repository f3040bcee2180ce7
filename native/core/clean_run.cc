#include "core/clean_run.h"

namespace mykafka {

void CleanRun::Add(const CleanEntry& entry, const BatchHeader& header, bool compressed) {
  if (bytes_ == nullptr) bytes_ = std::make_shared<HandedOut>();
  std::vector<uint8_t>& bytes = bytes_->bytes;
  const size_t position = bytes.size();
  bytes.insert(bytes.end(), entry.bytes, entry.bytes + entry.header.length);
  batches_.push_back({header, position, entry.header.length, compressed});
  if (!compressed) return;
  bytes_->compressed.push_back(static_cast<uint32_t>(position));
  ++left_;
}

void CleanRun::Clear() {
  bytes_.reset();
  batches_.clear();
  at_ = 0;
  left_ = 0;
}

}  // namespace mykafka
