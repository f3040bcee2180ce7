#include "fuzz/log_recipe.h"

#include <algorithm>

#include "fuzz/reference.h"

namespace mykafka::fuzz {

namespace {

using reference::PutBig;
using reference::SetBig;

constexpr int64_t kMostOffsets = int64_t{1} << 53;

void PutVarint(Bytes* to, int64_t value) {
  uint64_t rest = (static_cast<uint64_t>(value) << 1) ^ (value < 0 ? ~uint64_t{0} : 0);
  for (; rest > 0x7f; rest >>= 7) to->push_back(static_cast<uint8_t>(rest | 0x80));
  to->push_back(static_cast<uint8_t>(rest));
}

void SetRecordCrc(Bytes* record) {
  const size_t at = record->size() - 4;
  SetBig(record->data() + at, reference::RecordCrc(record->data(), at), 4);
}

void SetBatchCrc(Bytes* batch) {
  SetBig(batch->data() + 17, reference::BatchCrc(batch->data(), batch->size()), 4);
}

// How a batch is not a common one.
enum BatchBits : uint8_t {
  kMoreRecords = 3,  // of the value's bit 0 and 1: so many beside the one
  kFewer = 4,        // some of its records are gone
  kEmpty = 8,        // all of them
  kAttributes = 16,  // the attributes come next
  kProducer = 32,    // it has a producer
  kHugeDelta = 64,   // its last offset delta comes next
};

}  // namespace

void LogRecipe::Follow(Input* input) {
  for (int steps = 0; !input->empty() && steps < kMostSteps && log_.size() < kMostBytes; ++steps) Step(input);
}

void LogRecipe::Step(Input* input) {
  const uint8_t step = input->Byte();
  switch (step & 15) {
    case 0:
    case 1:
      return Entry(input, 0, input->Take(step >> 4));
    case 2:
      return Entry(input, input->NumberIn(0, INT32_MAX), input->Take(step >> 4));
    case 3: {  // with a wrong checksum
      Entry(input, 0, input->Take(step >> 4));
      log_[format_ == RecordFormat::kKafka ? last_ + 17 : log_.size() - 1] ^= 1;
      return;
    }
    case 4:
      return Append(input->Take(input->Short()));
    case 5:
      return Mend(input->Take(input->Short()));
    case 6:
      return Append(Bytes(input->Short()));
    case 7:
      return Append(Copied(input));
    case 8:
      return Entry(input, 0, Copied(input));
    case 9: {  // a byte flips
      const size_t at = Place(input);
      if (at < log_.size()) log_[at] ^= std::max<uint8_t>(input->Byte(), 1);
      return;
    }
    case 10:
      return log_.resize(Place(input));
    case 11:
      return Large(input);
    case 12:
      return LieAboutLength(input);
    case 13:
      timestamp_ = input->Number();
      return;
    case 14: {  // written to the wrong place
      const Bytes part = Copied(input);
      const size_t at = std::min(Place(input), log_.size() - std::min(part.size(), log_.size()));
      std::copy(part.begin(), part.end(), log_.begin() + static_cast<std::ptrdiff_t>(at));
      return;
    }
    default:  // the offsets go on elsewhere
      next_ = std::max<int64_t>(next_ + input->NumberIn(-1000, 1000), 0);
  }
}

void LogRecipe::Entry(Input* input, int64_t gap, const Bytes& value) {
  const int64_t offset = next_ + gap;
  last_ = log_.size();
  if (format_ == RecordFormat::kKafka) {
    Batch(input, offset, value);
  } else {
    Record(input, offset, value);
  }
}

void LogRecipe::Record(Input* input, int64_t offset, const Bytes& value) {
  const uint8_t kind = input->Byte();
  Bytes record;
  PutBig(&record, static_cast<uint64_t>(offset), 8);
  PutBig(&record, static_cast<uint64_t>(timestamp_) + (kind >> 4), 8);
  const bool has_key = (kind & 1) == 0;
  PutBig(&record, has_key ? 1 : ~uint64_t{0}, 4);
  if (has_key) record.push_back(static_cast<uint8_t>('a' + (kind >> 2 & 3)));
  const bool tombstone = (kind & 2) != 0 && value.empty();
  PutBig(&record, tombstone ? ~uint64_t{0} : value.size(), 4);
  record.insert(record.end(), value.begin(), value.end());
  record.resize(record.size() + 4);
  SetRecordCrc(&record);
  Append(record);
  next_ = offset + 1;
}

void LogRecipe::Batch(Input* input, int64_t offset, const Bytes& value) {
  const uint8_t kind = input->Byte();
  const int64_t count = 1 + (kind & kMoreRecords);
  Bytes batch;
  PutBig(&batch, static_cast<uint64_t>(offset), 8);
  PutBig(&batch, 0, 4);
  PutBig(&batch, 0, 4);
  PutBig(&batch, 2, 1);
  PutBig(&batch, 0, 4);
  PutBig(&batch, (kind & kAttributes) != 0 ? input->Byte() : 0, 2);
  const int64_t delta = (kind & kHugeDelta) != 0 ? input->NumberIn(count - 1, INT32_MAX) : count - 1;
  PutBig(&batch, static_cast<uint64_t>(delta), 4);
  PutBig(&batch, static_cast<uint64_t>(timestamp_), 8);
  PutBig(&batch, static_cast<uint64_t>(timestamp_), 8);
  const bool producer = (kind & kProducer) != 0;
  PutBig(&batch, producer ? 7 : ~uint64_t{0}, 8);
  PutBig(&batch, producer ? 0 : 0xffff, 2);
  PutBig(&batch, producer ? 0 : 0xffffffffu, 4);
  PutBig(&batch, 0, 4);
  uint64_t left = 0;
  for (int64_t i = 0; i < count && (kind & kEmpty) == 0; ++i) {
    if ((kind & kFewer) != 0 && i == 0 && count > 1) continue;
    Bytes record = {0};
    PutVarint(&record, i);
    PutVarint(&record, i);
    PutVarint(&record, 1);
    record.push_back(static_cast<uint8_t>('a' + ((kind >> 5) + i) % 4));
    const bool tombstone = value.empty() && i == 0;
    PutVarint(&record, tombstone ? -1 : static_cast<int64_t>(value.size()));
    record.insert(record.end(), value.begin(), value.end());
    PutVarint(&record, 0);
    PutVarint(&batch, static_cast<int64_t>(record.size()));
    batch.insert(batch.end(), record.begin(), record.end());
    ++left;
  }
  SetBig(batch.data() + 57, left, 4);
  SetBig(batch.data() + 8, batch.size() - 12, 4);
  SetBatchCrc(&batch);
  Append(batch);
  next_ = offset + delta + 1;
}

void LogRecipe::Mend(Bytes bytes) {
  last_ = log_.size();
  if (format_ == RecordFormat::kKafka) {
    if (bytes.size() < 61) return Append(bytes);
    bytes[16] = 2;
    SetBig(bytes.data() + 8, bytes.size() - 12, 4);
    SetBatchCrc(&bytes);
  } else {
    if (bytes.size() < 4) return Append(bytes);
    SetRecordCrc(&bytes);
  }
  Append(bytes);
  const auto at = static_cast<int64_t>(last_);
  const auto entry = reference::ReadEntry(log_, format_, at, static_cast<int64_t>(log_.size()));
  if (entry && entry->last < kMostOffsets) next_ = entry->last + 1;
}

// Around 64 KiB, from where on it is checked piece by piece; once in a log above 2 MiB, which a cleaner does not keep,
// or above the 1 MiB that it reads at once.
void LogRecipe::Large(Input* input) {
  const size_t size = input->Byte();
  const bool huge = size >= 254 && log_.size() < kMostBytes / 8;
  Bytes value(huge ? (1u << 20) * (size - 253) + 100 : 65'300 + 64 * size);
  const Bytes pattern = input->Take(input->Byte());
  for (size_t i = 0; i < value.size(); ++i) {
    value[i] = pattern.empty() ? static_cast<uint8_t>(i * 7 >> 3) : pattern[i % pattern.size()];
  }
  Entry(input, 0, value);
}

void LogRecipe::LieAboutLength(Input* input) {
  const size_t at = format_ == RecordFormat::kKafka ? last_ + 8 : last_ + 16;
  if (at + 4 <= log_.size()) SetBig(log_.data() + at, static_cast<uint64_t>(input->Number()), 4);
}

Bytes LogRecipe::Copied(Input* input) const {
  const size_t from = Place(input);
  const size_t length = std::min<size_t>(input->Short(), log_.size() - from);
  const auto begin = log_.begin() + static_cast<std::ptrdiff_t>(from);
  return {begin, begin + static_cast<std::ptrdiff_t>(length)};
}

size_t LogRecipe::Place(Input* input) const {
  return std::min(static_cast<size_t>(input->NumberIn(0, INT32_MAX)), log_.size());
}

}  // namespace mykafka::fuzz
