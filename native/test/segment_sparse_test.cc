// Segments that compaction has left: missing offsets are no damage, and damage between them is still found.
#include "core/record_batch.h"
#include "test/batch_vectors.h"
#include "test/segment_fixture.h"
#include "test/sparse_log.h"

namespace mykafka::testing {
namespace {

constexpr int64_t kBase = 500;
constexpr int64_t kTrailing = 40;  // offsets behind the last entry

class SegmentSparse : public EachFormat {
 protected:
  SegmentSparse() {
    options.sparse = true;
    options.base_offset = kBase;
    options.index_interval_bytes = 512;
  }

  // The entry that a byte belongs to.
  size_t EntryAt(size_t byte) const {
    size_t index = 0;
    while (log.entries()[index].end() <= static_cast<int64_t>(byte)) ++index;
    return index;
  }

  int64_t End() const { return log.next_offset() + kTrailing; }

  void Write() { WriteFile(Path(".log"), log.bytes()); }
  void Open() {
    Result<std::shared_ptr<Segment>> opened = Segment::OpenSealed(options, End());
    ASSERT_OK(opened.status());
    segment = *opened;
  }
  void Fill(int count, uint32_t seed, int64_t widest_gap = 6) {
    log = SparseLog(kBase, GetParam());
    log.Fill(count, seed, widest_gap);
    Write();
    std::filesystem::remove(Path(".index"));
  }

  void Expect(int64_t offset, int64_t max_bytes, int64_t upper_bound, Wait wait = Wait::kAllowed) {
    SCOPED_TRACE("offset " + std::to_string(offset) + " max " + std::to_string(max_bytes) + " bound " +
                 std::to_string(upper_bound));
    Result<Range> range = segment->FindRange(offset, max_bytes, upper_bound, wait);
    ASSERT_TRUE(range.ok()) << Describe(range.status());
    const auto [from, to] = log.Answer(offset, max_bytes, upper_bound);
    if (from == to || offset >= upper_bound) {
      ASSERT_EQ(range->length, 0);
      return;
    }
    ASSERT_EQ(range->position, log.entries()[from].position);
    ASSERT_EQ(range->length, log.entries()[to - 1].end() - range->position);
    ASSERT_EQ(range->first_offset, log.entries()[from].first);
    ASSERT_EQ(range->last_offset, log.entries()[to - 1].last);
    int64_t records = 0;
    for (size_t i = from; i < to; ++i) records += log.entries()[i].records;
    ASSERT_EQ(range->count, records);
    ASSERT_TRUE(BytesOf(*range) == log.Slice(from, to)) << "other bytes";
  }

  void Ask(uint32_t seed, int questions, Wait wait = Wait::kAllowed) {
    std::mt19937 random(seed);
    for (int i = 0; i < questions && !HasFatalFailure(); ++i) {
      const int64_t offset = kBase + static_cast<int64_t>(random() % static_cast<uint64_t>(End() - kBase + 1));
      const int64_t sizes[] = {static_cast<int64_t>(random() % 64), static_cast<int64_t>(random() % 20000), INT64_MAX};
      const int64_t bounds[] = {offset + static_cast<int64_t>(random() % 60), End(), INT64_MAX};
      Expect(offset, sizes[random() % 3], bounds[random() % 3], wait);
    }
  }

  void AskAll() {
    for (int64_t offset = kBase; offset <= End() && !HasFatalFailure(); ++offset) Expect(offset, 1, End());
  }

  SparseLog log{kBase, RecordFormat::kMykafka};
};

TEST_P(SegmentSparse, AnswersLikeTheModel) {
  for (const uint32_t interval : {0u, 100u, 512u, 1u << 20}) {
    options.index_interval_bytes = interval;
    for (uint32_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(interval * 10 + seed);
      Fill(300, seed, seed % 2 == 0 ? 3 : 40);
      Open();
      Ask(seed, 300);
      ASSERT_OK(segment->Verify());
      EXPECT_TRUE(segment->damages().empty());
      Ask(seed + 100, 300, Wait::kNever);
      Close();
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

// Far questions begin at an indexed entry; what lies before is met later, gaps at the seams included.
TEST_P(SegmentSparse, WhatIsCheckedPieceByPieceGrowsTogether) {
  for (uint32_t seed = 1; seed <= 2; ++seed) {
    Fill(6000, seed);
    Open();
    AskAll();  // makes the index
    Close();
    ASSERT_FALSE(HasFatalFailure());
    Open();
    Ask(seed, 400);
    ASSERT_FALSE(HasFatalFailure());
    AskAll();
    ASSERT_OK(segment->Verify());
    EXPECT_TRUE(segment->damages().empty());
    Close();
  }
}

TEST_P(SegmentSparse, MakesItsIndexByTheRule) {
  Fill(400, 5);
  for (const Bytes& garbage : {Bytes(), Bytes(64, 0xab), log.Index(4096)}) {
    WriteFile(Path(".index"), garbage);
    Open();
    AskAll();
    Close();
    EXPECT_EQ(ReadFile(Path(".index")), log.Index(512));
  }
}

TEST_P(SegmentSparse, NothingMayBeLeft) {
  log = SparseLog(kBase, GetParam());
  Write();
  Open();
  Ask(1, 50);
  Ask(2, 50, Wait::kNever);
  ASSERT_OK(segment->Verify());
  EXPECT_TRUE(segment->damages().empty());
  EXPECT_FALSE(segment->FindTimestamp(0, kBase)->has_value());
  EXPECT_EQ(segment->FindRange(End() + 1, 1, INT64_MAX, Wait::kAllowed).status().code(), Code::kOffsetOutOfRange);
}

TEST_P(SegmentSparse, ADamagedEntryTakesTheGapsAroundItWithIt) {
  Fill(60, 7);
  const Bytes right = log.bytes();
  for (size_t lost = 0; lost < log.entries().size(); ++lost) {
    SCOPED_TRACE(lost);
    const SparseLog::Entry& entry = log.entries()[lost];
    Bytes bytes = right;
    bytes[static_cast<size_t>(entry.end() - 1)] ^= 1;
    WriteFile(Path(".log"), bytes);
    Open();
    const int64_t from = lost == 0 ? kBase : log.entries()[lost - 1].next();
    const int64_t to = lost + 1 < log.entries().size() ? log.entries()[lost + 1].first : End();
    for (int64_t offset = kBase; offset < End(); ++offset) {
      if (offset >= from && offset < to) {
        ASSERT_EQ(segment->FindRange(offset, 1, End(), Wait::kAllowed).status().code(), Code::kCorrupt) << offset;
      } else {
        Expect(offset, 1, End());
        ASSERT_FALSE(HasFatalFailure());
      }
    }
    ASSERT_OK(segment->Verify());
    ASSERT_EQ(segment->damages().size(), 1u);
    EXPECT_EQ(segment->damages()[0].position, entry.position);
    EXPECT_EQ(segment->damages()[0].length, entry.length);
    EXPECT_EQ(segment->damages()[0].first_offset, from);
    EXPECT_EQ(segment->damages()[0].next_offset, to);
    Close();
  }
}

// Whatever bit flips, what is answered is what was written, and nothing before the damage or far behind is lost.
TEST_P(SegmentSparse, NoFlippedBitIsServed) {
  Fill(80, 8);
  const Bytes right = log.bytes();
  std::mt19937 random(9);
  for (int round = 0; round < 300; ++round) {
    const size_t at = random() % right.size();
    if (Unchecked(static_cast<int64_t>(at) - log.entries()[EntryAt(at)].position)) continue;
    Bytes bytes = right;
    bytes[at] ^= static_cast<uint8_t>(1u << (random() % 8));
    WriteFile(Path(".log"), bytes);
    std::filesystem::remove(Path(".index"));
    const size_t lost = EntryAt(at);
    SCOPED_TRACE("byte " + std::to_string(at) + " of entry " + std::to_string(lost));
    Open();
    size_t missing = 0;
    for (size_t i = 0; i < log.entries().size(); ++i) {
      Result<Range> range = segment->FindRange(log.entries()[i].first, 1, End(), Wait::kAllowed);
      ASSERT_TRUE(range.ok() || range.status().code() == Code::kCorrupt);
      if (i == lost) continue;
      const bool there = range.ok() && range->first_offset == log.entries()[i].first;
      if (!there) ++missing;
      ASSERT_TRUE(!there || BytesOf(*range) == log.Slice(i, i + 1));
    }
    // A batch's offset is not under its CRC: a higher one hides those behind it that are lower.
    EXPECT_TRUE(Batches() || missing == 0);
    Close();
    ASSERT_FALSE(HasFatalFailure());
  }
}

// No damaged entry is passed over as if it were a gap, and no gap hides a right one.
TEST_P(SegmentSparse, RandomHarmIsNeitherServedNorTakenForAGap) {
  std::mt19937 random(21);
  const auto below = [&](size_t end) { return random() % end; };
  for (uint32_t round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    options.index_interval_bytes = 128u << (round % 4);
    Fill(150, round, 1 + static_cast<int64_t>(below(30)));
    std::vector<bool> touched(log.entries().size());
    Bytes bytes = log.bytes();
    const auto touch = [&](size_t begin, size_t end) {
      for (size_t entry = EntryAt(begin); entry <= EntryAt(end - 1); ++entry) touched[entry] = true;
    };
    for (size_t harms = 1 + below(4); harms > 0; --harms) {
      const size_t begin = below(bytes.size());
      const size_t end = std::min(begin + 1 + below(400), bytes.size());
      const size_t kind = below(3);
      touch(begin, kind == 0 ? begin + 1 : end);
      if (kind == 0) {
        bytes[begin] ^= static_cast<uint8_t>(1u << below(8));
      } else {
        std::generate(bytes.begin() + static_cast<int64_t>(begin), bytes.begin() + static_cast<int64_t>(end),
                      [&] { return kind == 1 ? uint8_t{0} : static_cast<uint8_t>(random()); });
      }
    }
    for (const SparseLog::Entry& entry : log.entries()) {
      if (!Batches()) break;
      // What is not under a batch's CRC: its offset and its leader epoch.
      for (const int64_t at : {0, 12}) {
        const auto from = log.bytes().begin() + entry.position + at;
        std::copy(from, from + (at == 0 ? 8 : 4), bytes.begin() + entry.position + at);
      }
    }
    if (round % 3 == 0) {  // torn, not where an entry ends
      const SparseLog::Entry& last = log.entries()[below(log.entries().size())];
      touch(static_cast<size_t>(last.position), bytes.size());
      bytes.resize(static_cast<size_t>(last.end() - 1));
    }
    WriteFile(Path(".log"), bytes);
    Bytes index = log.Index(options.index_interval_bytes);
    if (round % 2 == 0) index[below(index.size())] = static_cast<uint8_t>(random());
    if (round % 5 != 0) WriteFile(Path(".index"), index);
    Open();
    for (int question = 0; question < 400; ++question) {
      const int64_t offset = kBase + static_cast<int64_t>(below(static_cast<size_t>(End() - kBase)));
      const size_t from = log.IndexFrom(offset);
      const bool around = (from < touched.size() && touched[from]) || (from > 0 && touched[from - 1]);
      Result<Range> range = segment->FindRange(offset, static_cast<int64_t>(below(3000)), End(), Wait::kAllowed);
      if (!range.ok()) {
        ASSERT_EQ(range.status().code(), Code::kCorrupt) << Describe(range.status());
        ASSERT_TRUE(around) << "offset " << offset;
      } else if (from == log.entries().size()) {
        ASSERT_EQ(range->length, 0);
      } else {
        ASSERT_EQ(range->first_offset, log.entries()[from].first) << "offset " << offset;
        const size_t to = log.IndexFrom(range->last_offset) + 1;
        ASSERT_TRUE(BytesOf(*range) == log.Slice(from, to)) << "offset " << offset;
      }
    }
    ASSERT_OK(segment->Verify());
    Close();
    std::filesystem::remove(Path(".index"));
  }
}

// The length of the damaged entry is what is wrong: it claims some that follow it.
TEST_P(SegmentSparse, EntriesAreNotHiddenByALengthThatEndsAtAnother) {
  log = SparseLog(kBase, GetParam());
  for (int i = 0; i < 20; ++i) {
    const int64_t first = kBase + 3 * i;
    log.AddBytes(Stored({"k", std::string(50, 'v')}, first, 1000), first, 1, 1, 1000);
  }
  Write();
  Bytes bytes = log.bytes();
  const SparseLog::Entry& entry = log.entries()[4];
  const auto at = static_cast<size_t>(entry.position);
  if (Batches()) {
    SetBig(&bytes, at + 8, static_cast<uint64_t>(3 * entry.length - 12), 4);
  } else {
    SetBig(&bytes, at + 21, static_cast<uint64_t>(50 + 2 * entry.length), 4);
  }
  WriteFile(Path(".log"), bytes);
  Open();
  ASSERT_OK(segment->Verify());
  ASSERT_EQ(segment->damages().size(), 1u);
  EXPECT_EQ(segment->damages()[0].length, entry.length);
  Expect(log.entries()[5].first, 1, End());
}

// Entries inside of a value are none of the log's.
TEST_P(SegmentSparse, CopiesInADamagedValueAreNotServed) {
  log = SparseLog(kBase, GetParam());
  Bytes copies;
  for (int64_t offset = kBase + 12; offset < kBase + 18; offset += 2) {
    const Bytes copy = Stored({"forged", "forged"}, offset, 1);
    copies.insert(copies.end(), copy.begin(), copy.end());
  }
  const std::string value(copies.begin(), copies.end());
  for (const int64_t first : {kBase + 3, kBase + 10, kBase + 20, kBase + 31}) {
    log.AddBytes(Stored({"k", first == kBase + 10 ? value : "v"}, first, 1000), first, 1, 1, 1000);
  }
  Bytes bytes = log.bytes();
  bytes[static_cast<size_t>(log.entries()[1].position) + 20] ^= 1;
  WriteFile(Path(".log"), bytes);
  Open();
  for (const int64_t offset : {kBase + 4, kBase + 10, kBase + 12, kBase + 19}) {
    EXPECT_EQ(segment->FindRange(offset, 1, End(), Wait::kAllowed).status().code(), Code::kCorrupt) << offset;
  }
  Expect(kBase + 20, 1, End());
  Expect(kBase + 21, 1, End());
}

TEST_P(SegmentSparse, TheEndIsFoundWhateverIsMissingBeforeIt) {
  Fill(200, 3);
  const int64_t behind = log.next_offset();
  for (const bool index : {false, true}) {
    for (const int64_t recovery_point : {int64_t{0}, kBase, behind - 30, behind, behind + 25}) {
      SCOPED_TRACE(recovery_point);
      for (const bool clean : {false, true}) {
        if (!index) std::filesystem::remove(Path(".index"));
        if (clean) {
          OpenClean(recovery_point);
        } else {
          OpenRecovering(recovery_point);
        }
        ASSERT_FALSE(HasFatalFailure());
        EXPECT_EQ(report.cut_position, -1);
        EXPECT_FALSE(report.damaged_tail);
        EXPECT_EQ(report.next_offset, std::max(behind, recovery_point));
        EXPECT_EQ(segment->size(), static_cast<int64_t>(log.bytes().size()));
        for (int64_t offset = kBase; offset < report.next_offset && !HasFatalFailure(); ++offset) {
          Expect(offset, 1, INT64_MAX);
        }
        EXPECT_TRUE(segment->damages().empty());
        ASSERT_OK(segment->Seal());
        Close();
        if (!clean || !index) {
          EXPECT_EQ(ReadFile(Path(".index")), log.Index(512));
        }
      }
    }
  }
}

TEST_P(SegmentSparse, AnEmptyOneEndsAtTheRecoveryPoint) {
  log = SparseLog(kBase, GetParam());
  Write();
  OpenClean(kBase + 7);
  EXPECT_EQ(report.next_offset, kBase + 7);
  EXPECT_FALSE(report.damaged_tail);
  Close();
  OpenRecovering(0);
  EXPECT_EQ(report.next_offset, kBase);
}

TEST_P(SegmentSparse, WhatIsTornAboveTheRecoveryPointIsCut) {
  Fill(50, 4);
  const SparseLog::Entry& torn = log.entries()[40];
  Bytes bytes = log.bytes();
  bytes.resize(static_cast<size_t>(torn.end() - 1));
  WriteFile(Path(".log"), bytes);
  OpenRecovering(log.entries()[20].first);
  EXPECT_EQ(report.cut_position, torn.position);
  EXPECT_EQ(report.next_offset, log.entries()[39].next());
}

TEST_P(SegmentSparse, IsCutAtAnyOffset) {
  Fill(40, 6);
  const SparseLog whole = log;
  for (int64_t offset = kBase; offset < whole.next_offset() + kTrailing; ++offset) {
    SCOPED_TRACE(offset);
    log = whole;
    Write();
    std::filesystem::remove(Path(".index"));
    Open();
    if (offset % 2 == 0) ASSERT_OK(segment->Verify());
    ASSERT_OK(segment->TruncateTo(offset));
    const size_t left = whole.IndexFrom(offset);
    const bool inside = left < whole.entries().size() && whole.entries()[left].first < offset;
    const int64_t end = inside ? whole.entries()[left].first : offset;
    ASSERT_EQ(segment->next_offset(), end);
    const int64_t size = left == 0 ? 0 : whole.entries()[left - 1].end();
    ASSERT_EQ(segment->size(), size);
    ASSERT_EQ(static_cast<int64_t>(ReadFile(Path(".log")).size()), size);
    // It takes entries again.
    log = SparseLog(kBase, GetParam());
    for (size_t i = 0; i < left; ++i) {
      const SparseLog::Entry& entry = whole.entries()[i];
      log.AddBytes(whole.Slice(i, i + 1), entry.first, entry.next() - entry.first, entry.records, entry.timestamp);
    }
    const ModelLog appended(end, GetParam());
    const std::vector<ModelRecord> records = {{"new", "value"}};
    Bytes packed = appended.ToAppend(records);
    const PackedBatch batch = {packed.data(), packed.size(), 1, Batches() ? -1 : appended.timestamp()};
    ASSERT_OK(segment->Append(&batch, 1, end));
    log.AddBytes(Stored(records[0], end, appended.timestamp()), end, 1, 1, appended.timestamp());
    for (int64_t asked = kBase; asked <= end; ++asked) Expect(asked, 1, INT64_MAX);
    Expect(kBase, INT64_MAX, INT64_MAX);
    Close();
    OpenClean(end + 1);
    for (int64_t asked = kBase; asked <= end; ++asked) Expect(asked, 1, INT64_MAX);
    Close();
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST_P(SegmentSparse, EntriesAreFoundByTimeBatchesWithoutRecordsAreNot) {
  Fill(200, 2);
  Open();
  std::optional<SparseLog::Entry> last;
  for (const SparseLog::Entry& entry : log.entries()) {
    if (entry.records > 0) last = entry;
    Result<std::optional<FoundEntry>> found = segment->FindTimestamp(entry.timestamp, kBase);
    ASSERT_OK(found.status());
    size_t wanted = static_cast<size_t>(&entry - log.entries().data());
    while (wanted < log.entries().size() && log.entries()[wanted].records == 0) ++wanted;
    ASSERT_EQ(found->has_value(), wanted < log.entries().size());
    if (found->has_value()) {
      ASSERT_EQ((*found)->offset, log.entries()[wanted].first);
    }
  }
  EXPECT_EQ((*segment->FindTimestamp(kLargestTimestamp, kBase))->offset, last->first);
  // From inside of a gap, and behind the last entry.
  const size_t from = log.IndexFrom(log.entries()[100].next());
  size_t wanted = from;
  while (log.entries()[wanted].records == 0) ++wanted;
  EXPECT_EQ((*segment->FindTimestamp(0, log.entries()[100].next()))->offset, log.entries()[wanted].first);
  EXPECT_FALSE(segment->FindTimestamp(0, log.next_offset() + 1)->has_value());
}

TEST_P(SegmentSparse, HeadersOfBatchesAreReadOverGaps) {
  if (!Batches()) return;
  Fill(200, 11);
  Open();
  for (int64_t offset = kBase; offset <= End(); ++offset) {
    Bytes expected;
    const size_t from = log.IndexFrom(offset);
    for (size_t i = from; i < std::min(from + 3, log.entries().size()); ++i) {
      const Bytes batch = log.Slice(i, i + 1);
      expected.insert(expected.end(), batch.begin(), batch.begin() + kBatchHeaderLength);
    }
    Result<std::vector<uint8_t>> headers = segment->ReadBatchHeaders(offset, 3);
    ASSERT_OK(headers.status());
    ASSERT_EQ(*headers, expected) << offset;
  }
}

INSTANTIATE_EACH_FORMAT(SegmentSparse);

}  // namespace
}  // namespace mykafka::testing
