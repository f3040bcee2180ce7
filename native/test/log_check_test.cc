// A log and its indexes held against each other: what is right is found right, and each flipped bit is found.
#include "core/log_check.h"

#include "core/bytes.h"
#include "core/offset_index.h"
#include "core/time_index.h"
#include "test/segment_fixture.h"
#include "test/sparse_log.h"

namespace mykafka::testing {
namespace {

class LogCheckTest : public EachFormat {
 protected:
  // Entries whose times go up and down, closed like a segment that was rolled.
  void Write(int64_t base_offset, int count) {
    options.index_interval_bytes = 300;
    Create(base_offset);
    std::mt19937 random(7);
    int64_t clock = 1000;
    for (int i = 0; i < count; ++i) {
      clock += static_cast<int64_t>(random() % 4);
      const int64_t timestamp = clock - (random() % 3 == 0 ? 5 : 0);
      const std::vector<ModelRecord> records(1 + random() % 3, RandomRecord(&random, 90));
      const Bytes bytes = Batches() ? EncodeBatch(records, 0, timestamp) : Pack(records);
      const PackedBatch batch = {bytes.data(), bytes.size(), static_cast<uint32_t>(records.size()),
                                 Batches() ? -1 : timestamp};
      ASSERT_OK(segment->Append(&batch, 1, segment->next_offset()));
    }
    next = segment->next_offset();
    largest = segment->largest_timestamp();
    ASSERT_OK(segment->Seal());
    Close();
    log = ReadFile(Path(".log"));
    check.log_path = Path(".log");
    check.base_offset = base_offset;
    check.record_format = GetParam();
    check.end_offset = next;
    check.index = ReadFile(Path(".index"));
    check.times = ReadFile(Path(".timeindex"));
    ASSERT_GT(check.index.size(), 10 * OffsetIndex::kEntryLength);
    ASSERT_GT(check.times.size(), 10 * TimeIndex::kEntryLength);
  }

  LogCheck Check() {
    Result<LogCheck> checked = CheckLog(*FileSystem::Posix(), check);
    EXPECT_TRUE(checked.ok()) << Describe(checked.status());
    return *checked;
  }
  LogCheck CheckOf(const Bytes& bytes) {
    WriteFile(Path(".log"), bytes);
    return Check();
  }

  // How far behind the beginning of its batch a byte of the log lies.
  int64_t InEntry(int64_t at) const {
    int64_t begin = 0;
    for (int64_t next = 0; Batches() && next <= at;) {
      begin = next;
      next += 12 + static_cast<int64_t>(LoadBig32(&log[static_cast<size_t>(begin) + 8]));
    }
    return at - begin;
  }

  static bool AllRight(const std::vector<SlotVerdict>& verdicts) {
    return std::all_of(verdicts.begin(), verdicts.end(), [](SlotVerdict slot) { return slot == SlotVerdict::kRight; });
  }
  static bool AnyWrong(const std::vector<SlotVerdict>& verdicts) {
    return std::find(verdicts.begin(), verdicts.end(), SlotVerdict::kWrong) != verdicts.end();
  }

  int64_t next = 0;
  int64_t largest = 0;
  Bytes log;
  LogCheckOptions check;
};

TEST_P(LogCheckTest, WhatIsRightIsFoundRight) {
  Write(1000, 200);
  check.record_format.reset();
  for (const int64_t end : {next, int64_t{-1}}) {
    check.end_offset = end;
    const LogCheck found = Check();
    EXPECT_TRUE(found.damages.empty());
    EXPECT_TRUE(found.format == GetParam());
    EXPECT_EQ(found.size, static_cast<int64_t>(log.size()));
    EXPECT_EQ(found.checked, found.size);
    EXPECT_EQ(found.next_offset, next);
    EXPECT_EQ(found.records, next - 1000);
    EXPECT_EQ(found.entries, Batches() ? 200 : next - 1000);
    EXPECT_EQ(found.largest_timestamp, largest);
    EXPECT_EQ(found.index.size(), check.index.size() / OffsetIndex::kEntryLength);
    EXPECT_EQ(found.times.size(), check.times.size() / TimeIndex::kEntryLength);
    EXPECT_TRUE(AllRight(found.index));
    EXPECT_TRUE(AllRight(found.times));
    EXPECT_GE(found.index_widest, 300);
    EXPECT_LT(found.index_tail, 300);
  }
  // Room that is reserved is no entry.
  check.index.resize(4096);
  check.times.resize(4096);
  EXPECT_TRUE(AllRight(Check().index));
  EXPECT_TRUE(AllRight(Check().times));
}

TEST_P(LogCheckTest, EachFlippedBitOfTheLogIsDamageThere) {
  Write(0, 40);
  for (size_t at = 0; at < log.size(); at += 1 + at % 29) {
    Bytes flipped = log;
    flipped[at] ^= static_cast<uint8_t>(1 << (at % 8));
    const LogCheck found = CheckOf(flipped);
    if (Unchecked(InEntry(static_cast<int64_t>(at)))) {
      ASSERT_TRUE(found.damages.empty()) << at;
      continue;
    }
    ASSERT_FALSE(found.damages.empty()) << at;
    const Damage& where = found.damages.front().where;
    ASSERT_EQ(found.damages.size(), 1u) << at;
    ASSERT_TRUE(where.position <= static_cast<int64_t>(at) && static_cast<int64_t>(at) < where.position + where.length);
    ASSERT_LT(where.first_offset, where.next_offset) << at;
    // What is right of the indexes is not called wrong.
    ASSERT_FALSE(AnyWrong(found.index)) << at;
    ASSERT_FALSE(AnyWrong(found.times)) << at;
  }
}

TEST_P(LogCheckTest, EachFlippedBitOfAnIndexIsFound) {
  Write(1000, 60);
  for (Bytes* bytes : {&check.index, &check.times}) {
    for (size_t at = 0; at < bytes->size(); ++at) {
      (*bytes)[at] ^= static_cast<uint8_t>(1 << (at % 8));
      const LogCheck found = Check();
      ASSERT_TRUE(found.damages.empty());
      ASSERT_TRUE(AnyWrong(bytes == &check.index ? found.index : found.times)) << at;
      ASSERT_TRUE(AllRight(bytes == &check.index ? found.times : found.index)) << at;
      (*bytes)[at] ^= static_cast<uint8_t>(1 << (at % 8));
    }
  }
}

TEST_P(LogCheckTest, ACutLogIsTornOrEndsEarly) {
  Write(0, 30);
  for (size_t length = 0; length < log.size(); length += 1 + length % 53) {
    const LogCheck found = CheckOf(Bytes(log.begin(), log.begin() + static_cast<int64_t>(length)));
    ASSERT_EQ(found.damages.size(), 1u) << length;
    const FoundDamage& damage = found.damages.front();
    ASSERT_EQ(damage.where.position, found.checked);
    ASSERT_EQ(damage.where.position + damage.where.length, static_cast<int64_t>(length));
    ASSERT_EQ(damage.where.first_offset, found.next_offset);
    ASSERT_EQ(damage.where.next_offset, next);
    ASSERT_EQ(damage.kind == DamageKind::kGap, damage.where.length == 0);
    // The end of a log may be anywhere; one that is torn lost what nobody can count.
    check.end_offset = -1;
    const LogCheck open = Check();
    check.end_offset = next;
    ASSERT_EQ(open.damages.size(), damage.kind == DamageKind::kGap ? 0u : 1u);
    for (const FoundDamage& torn : open.damages) ASSERT_EQ(torn.where.next_offset, torn.where.first_offset);
  }
}

TEST_P(LogCheckTest, ALogThatIsWrittenIsLookedAtBelowAnOffset) {
  Write(0, 40);
  check.end_offset = -1;
  Bytes torn(log.begin(), log.end() - 3);
  torn.insert(torn.end(), 50, 0x7f);
  EXPECT_EQ(CheckOf(torn).damages.size(), 1u);
  check.below = next / 2;
  const LogCheck found = Check();
  EXPECT_TRUE(found.damages.empty());
  EXPECT_GE(found.next_offset, check.below);
  EXPECT_LT(found.next_offset, next / 2 + 3);
  EXPECT_FALSE(AnyWrong(found.index));
  EXPECT_FALSE(AnyWrong(found.times));
  check.below = 0;
  EXPECT_EQ(Check().entries, 0);
}

TEST_P(LogCheckTest, OffsetsMayBeMissingWhereCompactionWasOnly) {
  std::mt19937 random(3);
  SparseLog sparse(0, GetParam());
  for (int i = 0; i < 100; ++i) sparse.Add(static_cast<int64_t>(random() % 3), 4, 2, &random, 1000 + i);
  check.log_path = directory / "log";
  check.end_offset = sparse.next_offset() + 10;
  check.sparse = true;
  WriteFile(check.log_path, sparse.bytes());
  const LogCheck found = Check();
  EXPECT_TRUE(found.damages.empty());
  EXPECT_EQ(found.entries, 100);
  EXPECT_EQ(found.records, Batches() ? 200 : 100);
  check.sparse = false;
  const LogCheck dense = Check();
  ASSERT_FALSE(dense.damages.empty());
  EXPECT_TRUE(dense.damages.back().kind == DamageKind::kGap);
}

TEST_P(LogCheckTest, AnEmptyLogHasNothingToSay) {
  check.log_path = directory / "log";
  WriteFile(check.log_path, {});
  check.index.resize(4096);
  check.times.resize(4096);
  const LogCheck found = Check();
  EXPECT_TRUE(found.damages.empty() && found.index.empty() && found.times.empty());
  check.log_path = directory / "missing";
  EXPECT_EQ(CheckLog(*FileSystem::Posix(), check).status().code(), Code::kIo);
}

INSTANTIATE_EACH_FORMAT(LogCheckTest);

}  // namespace
}  // namespace mykafka::testing
