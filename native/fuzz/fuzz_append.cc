// What clients send, as it is appended: written exactly as the formats say where it parses, with nothing written where
// it does not; and bytes that change between the plan and the write, as those that are shared with another thread may,
// harm nothing.
#include <memory>

#include "core/append_layout.h"
#include "fuzz/check.h"
#include "fuzz/memory_file_system.h"
#include "fuzz/reference.h"
#include "fuzz/segment_case.h"
#include "fuzz/targets.h"

namespace mykafka::fuzz {

namespace {

using reference::PutBig;
using reference::SetBig;

struct Sent {
  Bytes bytes;
  uint32_t count = 0;
  int64_t timestamp = 0;
};

// [how][bytes as they are], with a count, or records one after another: their keys and values.
Sent TakeRecords(Input* input) {
  Sent sent;
  const uint8_t how = input->Byte();
  sent.timestamp = input->Number();
  if ((how & 1) != 0) {
    sent.bytes = input->Take(input->Short());
    sent.count = input->Byte();
    return sent;
  }
  sent.count = how >> 4;
  for (uint32_t i = 0; i < sent.count; ++i) {
    for (int field = 0; field < 2; ++field) {
      const uint8_t length = input->Byte();
      if (length == 255) {
        PutBig(&sent.bytes, 0xffffffffu, 4);
        continue;
      }
      // Around 64 KiB, above which bytes are written from where they lie.
      const bool large = length >= 240;
      const Bytes content = large ? Bytes(65'534 + length - 240, input->Byte()) : input->Take(length);
      PutBig(&sent.bytes, content.size(), 4);
      sent.bytes.insert(sent.bytes.end(), content.begin(), content.end());
    }
  }
  if ((how & 2) != 0) sent.count += input->Byte();
  return sent;
}

// [how][timestamp][bytes]: as they are, or with the length and the magic of a batch.
Sent TakeBatch(Input* input) {
  Sent sent;
  const uint8_t how = input->Byte();
  sent.timestamp = input->Number();
  sent.bytes = input->Take(input->Short());
  const bool header = sent.bytes.size() >= 61;
  if ((how & 1) == 0 && header) {
    sent.bytes[16] = 2;
    SetBig(sent.bytes.data() + 8, sent.bytes.size() - 12, 4);
  }
  sent.count = header && (how & 2) == 0 ? static_cast<uint32_t>(reference::Int32(sent.bytes.data() + 23)) + 1
                                        : static_cast<uint32_t>(input->Number());
  return sent;
}

// What is written for it; nothing where it is none.
std::optional<Bytes> StoredRecords(const Sent& sent, int64_t offset) {
  Bytes stored;
  size_t at = 0;
  for (uint32_t i = 0; i < sent.count; ++i) {
    Bytes record;
    PutBig(&record, static_cast<uint64_t>(offset + i), 8);
    PutBig(&record, static_cast<uint64_t>(sent.timestamp), 8);
    for (int field = 0; field < 2; ++field) {
      if (sent.bytes.size() - at < 4) return std::nullopt;
      const int64_t length = reference::Int32(sent.bytes.data() + at);
      const auto left = static_cast<int64_t>(sent.bytes.size() - at) - 4;
      if (length < -1 || length > left) return std::nullopt;
      const auto begin = sent.bytes.begin() + static_cast<std::ptrdiff_t>(at);
      at += 4 + static_cast<size_t>(std::max<int64_t>(length, 0));
      record.insert(record.end(), begin, sent.bytes.begin() + static_cast<std::ptrdiff_t>(at));
    }
    PutBig(&record, reference::RecordCrc(record.data(), record.size()), 4);
    stored.insert(stored.end(), record.begin(), record.end());
  }
  if (at != sent.bytes.size()) return std::nullopt;
  return stored;
}

std::optional<Bytes> StoredBatch(const Sent& sent, int64_t offset) {
  const auto entry = reference::ReadBatch(sent.bytes.data(), 0, static_cast<int64_t>(sent.bytes.size()));
  if (!entry || entry->length != static_cast<int64_t>(sent.bytes.size())) return std::nullopt;
  if (entry->last - entry->first + 1 != static_cast<int64_t>(sent.count)) return std::nullopt;
  Bytes stored = sent.bytes;
  SetBig(stored.data(), static_cast<uint64_t>(offset), 8);
  SetBig(stored.data() + 12, 0, 4);
  if (sent.timestamp < 0) return stored;
  stored[22] |= 8;
  SetBig(stored.data() + 35, static_cast<uint64_t>(sent.timestamp), 8);
  SetBig(stored.data() + 17, reference::BatchCrc(stored.data(), stored.size()), 4);
  return stored;
}

PackedBatch PackedOf(Sent* sent) {
  return {sent->bytes.data(), sent->bytes.size(), sent->count, sent->timestamp};
}

void AppendAll(const SegmentCase& segment, Input* input) {
  const bool kafka = segment.format == RecordFormat::kKafka;
  const auto files = std::make_shared<MemoryFileSystem>();
  const Result<std::shared_ptr<Segment>> created = Segment::Create(segment.Options(files));
  FUZZ_OK(created.status());
  Bytes log;
  int64_t next = segment.base;
  for (int appends = 0; appends < 12 && !input->empty(); ++appends) {
    std::vector<Sent> sent;
    std::optional<Bytes> stored = Bytes();
    int64_t offsets = 0;
    for (int i = 1 + (input->Byte() & 3); i > 0; --i) {
      sent.push_back(kafka ? TakeBatch(input) : TakeRecords(input));
      const auto each = kafka ? StoredBatch(sent.back(), next + offsets) : StoredRecords(sent.back(), next + offsets);
      if (!each) stored.reset();
      if (each && stored) stored->insert(stored->end(), each->begin(), each->end());
      offsets += sent.back().count;
    }
    std::vector<PackedBatch> batches;
    for (Sent& each : sent) batches.push_back(PackedOf(&each));
    const Status appended = (*created)->Append(batches.data(), batches.size(), next);
    const bool full = next - segment.base + offsets - 1 > INT32_MAX;
    FUZZ_CHECK(appended.ok() == (stored && !full));
    FUZZ_CHECK(appended.ok() || appended.code() == (stored ? Code::kSegmentFull : Code::kInvalidRecord));
    if (appended.ok()) {
      log.insert(log.end(), stored->begin(), stored->end());
      next += offsets;
    }
    FUZZ_CHECK((*created)->next_offset() == next && (*created)->size() == static_cast<int64_t>(log.size()));
    FUZZ_CHECK(files->Get(segment.Path(".log")) == log);
  }
}

// The plan is of other bytes than the layout.
void AppendChanged(const SegmentCase& segment, Input* input) {
  const EntryFormat& format = EntryFormat::Of(segment.format);
  Sent sent = segment.format == RecordFormat::kKafka ? TakeBatch(input) : TakeRecords(input);
  std::vector<IndexEntry> entries;
  std::vector<TimeEntry> times;
  AppendPlanner planner(format, {0, 0}, IndexRule(segment.interval), &entries, LargestSoFar(), &times);
  if (!planner.Add(PackedOf(&sent)).ok()) return;
  const AppendPlan& plan = planner.plan();
  while (!input->empty() && !sent.bytes.empty()) {
    const auto at = static_cast<size_t>(input->NumberIn(0, static_cast<int64_t>(sent.bytes.size()) - 1));
    sent.bytes[at] ^= input->Byte();
  }
  const std::unique_ptr<uint8_t[]> scratch(new uint8_t[plan.scratch]);
  std::vector<iovec> parts;
  AppendLayout layout(format, segment.base, scratch.get(), plan.scratch, &parts);
  Status laid_out = layout.Add(PackedOf(&sent));
  if (laid_out.ok()) laid_out = layout.Finish(plan);
  FUZZ_CHECK(laid_out.ok() || laid_out.code() == Code::kInvalidRecord);
  if (!laid_out.ok()) return;
  Bytes written;
  for (const iovec& part : parts) {
    const auto* from = static_cast<const uint8_t*>(part.iov_base);
    written.insert(written.end(), from, from + part.iov_len);
  }
  FUZZ_CHECK(static_cast<int64_t>(written.size()) == plan.length);
  if (segment.format == RecordFormat::kMykafka) FUZZ_CHECK(written == StoredRecords(sent, segment.base));
}

}  // namespace

void FuzzAppend(Input input) {
  const uint8_t flags = input.Byte();
  SegmentCase segment;
  segment.format = (flags & 1) != 0 ? RecordFormat::kKafka : RecordFormat::kMykafka;
  segment.interval = (flags & 4) != 0 ? 1 : 4096;
  segment.base = (flags & 8) != 0 ? input.NumberIn(0, INT32_MAX) : 0;
  if ((flags & 2) != 0) {
    AppendChanged(segment, &input);
  } else {
    AppendAll(segment, &input);
  }
}

}  // namespace mykafka::fuzz
