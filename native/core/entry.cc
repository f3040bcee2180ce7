#include "core/entry.h"

#include "core/bytes.h"
#include "core/crc32.h"
#include "core/crc32c.h"
#include "core/record.h"
#include "core/record_batch.h"

namespace mykafka {

namespace {

constexpr CrcKind kCrc32 = {Crc32, 0xEDB88320u};
constexpr CrcKind kCrc32c = {Crc32c, 0x82F63B78u};

constexpr EntryFormat kMykafkaFormat = {
    RecordFormat::kMykafka,
    kStoredOverhead,
    kStoredHeaderLength,
    ParseStored,
    true,
    // keyLen is -1 to kMaxKeyLength
    [](const uint8_t* data) { return LoadBig32(data + 16) + 1 <= kMaxKeyLength + 1; },
    kCrc32,
    0,
    sizeof(uint32_t),
    true,
    [](int64_t bytes) { return bytes / static_cast<int64_t>(kStoredOverhead); },
};

constexpr EntryFormat kKafkaFormat = {
    RecordFormat::kKafka,
    kBatchHeaderLength,
    kBatchHeaderLength,
    ParseBatch,
    false,
    [](const uint8_t* data) { return data[kBatchMagicAt] == kBatchMagic; },
    kCrc32c,
    kBatchCrcFrom,
    0,
    false,
    // A compressed batch may hold any number.
    [](int64_t bytes) { return bytes > 0 ? static_cast<int64_t>(INT32_MAX) : 0; },
};

}  // namespace

const EntryFormat& EntryFormat::Of(RecordFormat format) {
  return format == RecordFormat::kKafka ? kKafkaFormat : kMykafkaFormat;
}

bool EntryFormat::CrcRight(const uint8_t* entry, size_t length) const {
  return crc.update(0, entry + crc_from, length - crc_from - crc_tail) == LoadBig32(entry + StoredCrcAt(length));
}

}  // namespace mykafka
