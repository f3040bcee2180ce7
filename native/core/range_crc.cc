#include "core/range_crc.h"

#include <algorithm>

namespace mykafka {

namespace {

constexpr size_t kBlocksAtOnce = 64;
constexpr int64_t kFarAhead = 1 << 20;

// The product of two polynomials modulo a third, reflected.
uint32_t Multiply(uint32_t a, uint32_t b, uint32_t polynomial) {
  uint32_t product = 0;
  for (uint32_t bit = 0x80000000u; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = (b >> 1) ^ ((b & 1) != 0 ? polynomial : 0);
  }
  return product;
}

}  // namespace

RangeCrc::RangeCrc(File& file, const CrcKind& crc) : file_(file), crc_(crc) {
  uint32_t power = 0x80000000u >> 8;
  for (uint32_t& by : powers_) {
    by = power;
    power = Multiply(power, power, crc.polynomial);
  }
}

uint32_t RangeCrc::MoveOver(uint32_t crc, uint64_t length) const {
  for (int i = 0; length != 0; ++i, length >>= 1) {
    if ((length & 1) != 0) crc = Multiply(powers_[i], crc, crc_.polynomial);
  }
  return crc;
}

Result<uint32_t> RangeCrc::Of(int64_t from, int64_t to) {
  if (begin_ < 0 || from < begin_) {
    begin_ = from;
    prefixes_.assign(1, 0);
  }
  Result<uint32_t> before = Prefix(from, &front_);
  if (!before.ok()) return before;
  Result<uint32_t> all = Prefix(to, &back_);
  if (!all.ok()) return all;
  return *all ^ MoveOver(*before, static_cast<uint64_t>(to - from));
}

void RangeCrc::SkipTo(int64_t position) {
  if (begin_ < 0) return;
  if (position - begin_ - static_cast<int64_t>(prefixes_.size()) * kBlock > kFarAhead) begin_ = -1;
}

Result<uint32_t> RangeCrc::Prefix(int64_t at, Edge* edge) {
  const auto blocks = static_cast<size_t>((at - begin_) / kBlock);
  if (blocks >= prefixes_.size()) MYKAFKA_RETURN_IF_ERROR(Extend(blocks));
  const int64_t position = begin_ + static_cast<int64_t>(blocks) * kBlock;
  const auto rest = static_cast<size_t>(at - position);
  if (edge->position != position || edge->length < rest) {
    edge->position = -1;
    Result<size_t> got = file_.Read(edge->bytes, sizeof edge->bytes, position, Wait::kAllowed);
    if (!got.ok()) return got.status();
    if (*got < rest) return Status(Code::kCorrupt, "the file ends within an entry");
    edge->position = position;
    edge->length = *got;
  }
  return crc_.update(prefixes_[blocks], edge->bytes, rest);
}

Status RangeCrc::Extend(size_t blocks) {
  chunk_.resize(kBlocksAtOnce * kBlock);
  while (prefixes_.size() <= blocks) {
    const size_t count = std::min(kBlocksAtOnce, blocks + 1 - prefixes_.size());
    const int64_t position = begin_ + static_cast<int64_t>(prefixes_.size() - 1) * kBlock;
    MYKAFKA_RETURN_IF_ERROR(ReadFully(file_, chunk_.data(), count * kBlock, position, Wait::kAllowed));
    for (size_t i = 0; i < count; ++i) {
      prefixes_.push_back(crc_.update(prefixes_.back(), chunk_.data() + i * kBlock, kBlock));
    }
  }
  return Status::Ok();
}

}  // namespace mykafka
