// Corruption at rest is never served, and the records around it are.
#include <errno.h>

#include "test/faulty_file_system.h"
#include "test/segment_fixture.h"

namespace mykafka::testing {
namespace {

class SegmentDamage : public EachFormat {
 protected:
  SegmentDamage() { options.index_interval_bytes = 256; }

  void SealAndClose() {
    ASSERT_OK(segment->Sync());
    ASSERT_OK(segment->Seal());
    Close();
    whole_ = ReadFile(Path(".log"));
  }
  void Harm(const Bytes& log) { WriteFile(Path(".log"), log); }
  Bytes WithFlip(int64_t position, uint8_t mask) const {
    Bytes log = whole_;
    log[static_cast<size_t>(position)] ^= mask;
    return log;
  }

  // Those in [first, next) are corrupt, all others are answered right, also by ranges that would go over.
  void ExpectLost(int64_t first, int64_t next) {
    for (int64_t offset = model.base_offset(); offset < model.next_offset(); ++offset) {
      if (offset >= first && offset < next) {
        ExpectCorrupt(offset);
      } else {
        const int64_t run_end = offset < first ? first : model.next_offset();
        Result<Range> range = segment->FindRange(offset, INT64_MAX, INT64_MAX, Wait::kAllowed);
        ASSERT_TRUE(range.ok()) << Describe(range.status()) << " at " << offset;
        ASSERT_EQ(range->position, model.PositionOf(offset));
        ASSERT_EQ(range->last_offset, run_end - 1) << "from " << offset;
        ASSERT_EQ(range->count, run_end - offset);
        ASSERT_EQ(range->length, model.PositionOf(run_end) - model.PositionOf(offset));
        ExpectAnswer(offset, 1, model.next_offset());
      }
    }
    ASSERT_OK(segment->Verify());
    const std::vector<Damage> damages = segment->damages();
    ASSERT_EQ(damages.size(), 1u);
    EXPECT_EQ(damages[0].position, model.PositionOf(first));
    EXPECT_EQ(damages[0].length, model.PositionOf(next) - model.PositionOf(first));
    EXPECT_EQ(damages[0].first_offset, first);
    EXPECT_EQ(damages[0].next_offset, next);
  }

  // Random access of a seed's order before the exhaustive look.
  void Wander(uint32_t seed, int64_t first, int64_t next) {
    std::mt19937 random(seed);
    for (int i = 0; i < 5; ++i) {
      const int64_t offset =
          model.base_offset() +
          static_cast<int64_t>(random() % static_cast<uint64_t>(model.next_offset() - model.base_offset()));
      Result<Range> range =
          segment->FindRange(offset, static_cast<int64_t>(random() % 1000), INT64_MAX, Wait::kAllowed);
      EXPECT_EQ(range.ok(), offset < first || offset >= next) << offset;
    }
  }

  Bytes whole_;
};

TEST_P(SegmentDamage, AFlippedBitAnywhereInAnEntryLosesThatEntryAlone) {
  Create(500);
  Fill(30, 2, 60);
  SealAndClose();
  for (const int64_t victim : {500, 501, 515, 528, 529}) {
    for (int64_t at = model.PositionOf(victim); at < model.PositionOf(victim + 1); ++at) {
      if (Unchecked(at - model.PositionOf(victim))) continue;
      for (const uint8_t mask : {0x01, 0x80}) {
        SCOPED_TRACE("offset " + std::to_string(victim) + " byte " + std::to_string(at - model.PositionOf(victim)));
        Harm(WithFlip(at, mask));
        OpenSealed();
        if (at % 3 != 0) Wander(static_cast<uint32_t>(at), victim, victim + 1);
        ExpectLost(victim, victim + 1);
        if (HasFailure()) return;
        EXPECT_TRUE(ReadFile(Path(".log")) == WithFlip(at, mask)) << "nothing is deleted";
        Close();
      }
    }
  }
}

TEST_P(SegmentDamage, ARunOfZeroesLosesWhatItTouches) {
  Create(0);
  Fill(60, 3);
  SealAndClose();
  for (const int64_t first : {0, 1, 20, 58}) {
    for (const int64_t next : {first + 1, first + 2}) {
      for (const int64_t margin : {0, 3}) {
        Bytes log = whole_;
        std::fill(log.begin() + model.PositionOf(first) + margin, log.begin() + model.PositionOf(next) - margin, 0);
        Harm(log);
        OpenSealed();
        SCOPED_TRACE(std::to_string(first) + " to " + std::to_string(next));
        ExpectLost(first, next);
        if (HasFailure()) return;
        Close();
      }
    }
  }
}

TEST_P(SegmentDamage, DamageAtTheEndReachesToTheNextSegment) {
  Create(10);
  Fill(30, 4);
  SealAndClose();
  const int64_t begin = model.PositionOf(36);
  // Cut inside of an entry, cut between two, and overwritten to the end.
  for (const int64_t length : {begin + 5, begin, model.size()}) {
    Bytes log = whole_;
    log.resize(static_cast<size_t>(length));
    std::fill(log.begin() + begin, log.end(), 0xee);
    Harm(log);
    OpenSealed();
    for (int64_t offset = 10; offset < 36; ++offset) ExpectAnswer(offset, 1, model.next_offset());
    for (int64_t offset = 36; offset < 40; ++offset) ExpectCorrupt(offset);
    ASSERT_OK(segment->Verify());
    ASSERT_EQ(segment->damages().size(), 1u);
    EXPECT_EQ(segment->damages()[0].position, begin);
    EXPECT_EQ(segment->damages()[0].length, length - begin);
    EXPECT_EQ(segment->damages()[0].first_offset, 36);
    EXPECT_EQ(segment->damages()[0].next_offset, 40);
    Result<Range> range = segment->FindRange(30, INT64_MAX, INT64_MAX, Wait::kAllowed);
    ASSERT_OK(range.status());
    EXPECT_EQ(range->last_offset, 35);
    EXPECT_EQ(segment->FindRange(40, 1, INT64_MAX, Wait::kAllowed)->length, 0);
    Close();
  }
}

TEST_P(SegmentDamage, AnEmptiedLogLosesEverything) {
  Create(10);
  Fill(5);
  SealAndClose();
  Harm({});
  OpenSealed();
  for (int64_t offset = 10; offset < 15; ++offset) ExpectCorrupt(offset);
  ASSERT_OK(segment->Verify());
  ASSERT_EQ(segment->damages().size(), 1u);
}

TEST_P(SegmentDamage, AMissingEntryIsAGapWithoutBytes) {
  Create(10);
  Fill(20);
  SealAndClose();
  Bytes log = whole_;
  log.erase(log.begin() + model.PositionOf(15), log.begin() + model.PositionOf(17));
  Harm(log);
  OpenSealed();
  ExpectCorrupt(15);
  ExpectCorrupt(16);
  Result<Range> before = segment->FindRange(12, INT64_MAX, INT64_MAX, Wait::kAllowed);
  ASSERT_OK(before.status());
  EXPECT_EQ(before->last_offset, 14);
  EXPECT_EQ(before->count, 3);
  Result<Range> behind = segment->FindRange(17, INT64_MAX, INT64_MAX, Wait::kAllowed);
  ASSERT_OK(behind.status());
  EXPECT_EQ(behind->position, model.PositionOf(15));
  EXPECT_EQ(behind->last_offset, 29);
  ASSERT_OK(segment->Verify());
  ASSERT_EQ(segment->damages().size(), 1u);
  EXPECT_EQ(segment->damages()[0].length, 0);
}

TEST_P(SegmentDamage, SeveralDamagesAreSeveral) {
  Create(0);
  Fill(100, 5);
  SealAndClose();
  for (const std::vector<int64_t>& victims :
       {std::vector<int64_t>{10, 50, 90}, {10, 12, 14}, {10, 11, 12}, {0, 99}, {97, 98, 99}}) {
    for (const int64_t byte :
         {3, 18, 26}) {  // in the offset, the key's length or a batch's CRC, the body or its last offset
      SCOPED_TRACE(std::to_string(victims[1]) + " byte " + std::to_string(byte));
      Bytes log = whole_;
      for (const int64_t victim : victims) log[static_cast<size_t>(model.PositionOf(victim) + byte)] ^= 0x04;
      Harm(log);
      OpenSealed();
      for (int64_t offset = 0; offset < 100; ++offset) {
        if (std::find(victims.begin(), victims.end(), offset) != victims.end()) {
          ExpectCorrupt(offset);
        } else {
          ExpectAnswer(offset, 1, 100);
        }
      }
      if (HasFailure()) return;
      ASSERT_OK(segment->Verify());
      const size_t before = segment->damages().size();
      EXPECT_LE(before, victims.size());
      ASSERT_OK(segment->Verify());
      EXPECT_EQ(segment->damages().size(), before);  // each is recorded once
      Close();
    }
  }
}

// Values that hold whole, right entries with offsets that would be plausible.
class EmbeddedRecords : public SegmentDamage {
 protected:
  static std::string Copies(int64_t first, int64_t next, const std::string& between = "") {
    std::string bytes;
    for (int64_t offset = first; offset < next; ++offset) {
      const Bytes entry = Stored({"embedded", "this is offset " + std::to_string(offset)}, offset, 1);
      bytes += between + std::string(entry.begin(), entry.end());
    }
    return bytes;
  }
  void MakeWith(const std::vector<std::string>& values) {
    Create(0);
    Fill(10, 6);
    for (const std::string& value : values) ASSERT_OK(Append({{"outer", value}}));
    Fill(10, 7);
    SealAndClose();
  }
  // Every byte of the lengths and what stands around them, and a part of the value's.
  void FlipBytesOf(int64_t victim) {
    for (int64_t at = model.PositionOf(victim); at < model.PositionOf(victim + 1); ++at) {
      const int64_t inside = at - model.PositionOf(victim);
      if ((inside > 40 && inside % 7 != 0) || Unchecked(inside)) continue;
      for (const uint8_t mask : {0x01, 0x10, 0xff}) {
        SCOPED_TRACE("byte " + std::to_string(inside) + " ^ " + std::to_string(mask));
        Harm(WithFlip(at, mask));
        OpenSealed();
        ExpectLost(victim, victim + 1);
        if (HasFailure()) return;
        Close();
      }
    }
  }
};

TEST_P(EmbeddedRecords, AreNotTakenForTheLogsOwn) {
  MakeWith({"text" + Copies(12, 15) + "text"});
  FlipBytesOf(10);
}

TEST_P(EmbeddedRecords, ApartFromEachOtherAreNotEither) {
  MakeWith({Copies(12, 15, "between")});
  FlipBytesOf(10);
}

TEST_P(EmbeddedRecords, WithTheSameOffsetAreNotEither) {
  MakeWith({"text" + Copies(10, 12) + "text"});
  FlipBytesOf(10);
}

TEST_P(EmbeddedRecords, InPlaceOfTheirOwnersAreNotEither) {
  MakeWith({"text" + Copies(10, 11) + "text", "text" + Copies(10, 11) + Copies(13, 14)});
  FlipBytesOf(10);
  FlipBytesOf(11);
}

TEST_P(EmbeddedRecords, UpToTheSegmentsEndAreNotEither) {
  MakeWith({Copies(11, 21), "in between", Copies(12, 23)});
  FlipBytesOf(10);
  FlipBytesOf(12);
}

TEST_P(EmbeddedRecords, InTheLastEntryAreNotEither) {
  Create(0);
  Fill(10, 6);
  ASSERT_OK(Append({{"outer", "text" + Copies(10, 11) + "text"}}));
  SealAndClose();
  FlipBytesOf(10);
}

TEST_P(EmbeddedRecords, InTheFirstEntryAreNotEither) {
  Create(0);
  ASSERT_OK(Append({{"outer", Copies(0, 5)}}));
  Fill(10, 6);
  SealAndClose();
  FlipBytesOf(0);
}

TEST_P(SegmentDamage, AScanOverMegabytesOfPlausibleHeadersEnds) {
  // A value full of headers with an offset of this log, each of which claims nearly all that follows: a
  // checksum of megabytes for each would take hours. Some are even right, and lead to the next claim.
  Create(0);
  Fill(5, 6);
  constexpr size_t kLength = 2u << 20;
  std::string value;
  while (value.size() < kLength) {
    const Bytes entry = Stored({"k", "v"}, 7, 1);
    Bytes claim;
    if (Batches()) {
      claim.assign(entry.begin(), entry.begin() + 61);
      claim.resize(8);
      PutBig(&claim, kLength - value.size() - 1000, 4);
      claim.insert(claim.end(), entry.begin() + 12, entry.begin() + 61);
    } else {
      PutBig(&claim, 7, 8);
      PutBig(&claim, 1, 8);
      PutBig(&claim, 0xffffffffu, 4);
      PutBig(&claim, kLength - value.size() - 1000, 4);
    }
    if (value.size() % 3 == 0) claim.insert(claim.end(), entry.begin(), entry.end());
    value.append(claim.begin(), claim.end());
  }
  ASSERT_OK(Append({{"outer", value}}));
  ASSERT_OK(Append({{"outer", std::string(kLength, '\0')}}));
  Fill(5, 7);
  SealAndClose();
  for (const int64_t victim : {5, 6}) {
    // The value's length, or the batch's: nothing leads to its end.
    Harm(WithFlip(model.PositionOf(victim) + (Batches() ? 8 : 25), 0x40));
    OpenSealed();
    ExpectLost(victim, victim + 1);
    Close();
    // The same as a torn tail: what is cut is searched for whole entries.
    Harm(Bytes(whole_.begin(), whole_.begin() + model.PositionOf(victim + 1) - 1));
    OpenRecovering(0);
    EXPECT_EQ(report.cut_position, model.PositionOf(victim));
    Close();
  }
}

TEST_P(SegmentDamage, OnlyWhatIsAskedForIsVerified) {
  auto files = std::make_shared<FaultyFileSystem>();
  options.file_system = files;
  Create(0);
  Fill(4000, 8, 1000);
  SealAndClose();
  // Far behind what is asked for, everything is wrong.
  Bytes log = whole_;
  std::fill(log.begin() + model.PositionOf(2000), log.end(), 0xee);
  Harm(log);
  OpenSealed();
  for (int64_t offset = 0; offset < 1900; offset += 100) ExpectAnswer(offset, 20000, model.next_offset());
  EXPECT_TRUE(segment->damages().empty());
  ExpectCorrupt(3000);
  EXPECT_EQ(segment->damages().size(), 1u);
}

TEST_P(SegmentDamage, ReadingInOrderReadsTheLogOnce) {
  auto files = std::make_shared<FaultyFileSystem>();
  options.file_system = files;
  Create(0);
  Fill(3000, 8, 1000);
  SealAndClose();
  OpenSealed();
  const int before = files->calls(Operation::kRead);
  int answers = 0;
  for (int64_t offset = 0; offset < model.next_offset(); ++answers) {
    Result<Range> range = segment->FindRange(offset, 10000, INT64_MAX, Wait::kAllowed);
    ASSERT_OK(range.status());
    offset = range->last_offset + 1;
  }
  // A few reads an answer, whatever lies before it.
  EXPECT_LT(files->calls(Operation::kRead) - before, answers * 8);
}

TEST_P(SegmentDamage, WhatNeverWaitsDoesNotAnswerFromUnverifiedBytes) {
  Create(0);
  Fill(100, 8);
  SealAndClose();
  OpenSealed();
  EXPECT_EQ(segment->FindRange(50, 100, INT64_MAX, Wait::kNever).status().code(), Code::kWouldBlock);
  ExpectAnswer(50, 100, model.next_offset());
  ExpectAnswer(50, 100, model.next_offset(), Wait::kNever);
  EXPECT_EQ(segment->FindRange(99, 100, INT64_MAX, Wait::kNever).status().code(), Code::kWouldBlock);
  ASSERT_OK(segment->Verify());
  ExpectAllRight(Wait::kNever);
  EXPECT_EQ(segment->FindRange(100, 100, INT64_MAX, Wait::kNever)->length, 0);
}

TEST_P(SegmentDamage, AReadErrorIsAnErrorAndNotADamage) {
  auto files = std::make_shared<FaultyFileSystem>();
  options.file_system = files;
  Create(0);
  Fill(100, 8);
  SealAndClose();
  OpenSealed();
  files->Fail(Operation::kRead, 1, EIO, ".log", true);
  EXPECT_EQ(segment->FindRange(50, 100, INT64_MAX, Wait::kAllowed).status().sys_errno(), EIO);
  files->Heal();
  ExpectAllRight();
  EXPECT_TRUE(segment->damages().empty());
}

INSTANTIATE_EACH_FORMAT(SegmentDamage);
INSTANTIATE_EACH_FORMAT(EmbeddedRecords);

// Another segment follows at that offset, and has those offsets for its own.
TEST_P(SegmentDamage, EntriesBehindTheLastOffsetAreNotOfTheSegment) {
  Create(100);
  Fill(10);
  SealAndClose();
  Result<std::shared_ptr<Segment>> opened = Segment::OpenSealed(options, 106);
  ASSERT_OK(opened.status());
  ASSERT_OK((*opened)->Verify());
  const std::vector<Damage> damages = (*opened)->damages();
  ASSERT_EQ(damages.size(), 1u);
  EXPECT_EQ(damages[0].position, model.PositionOf(106));
  EXPECT_EQ(damages[0].position + damages[0].length, model.size());
  EXPECT_EQ(damages[0].first_offset, 106);
  EXPECT_EQ(damages[0].next_offset, 106);
  const Result<Range> range = (*opened)->FindRange(105, INT64_MAX, INT64_MAX, Wait::kAllowed);
  ASSERT_OK(range.status());
  EXPECT_EQ(range->last_offset, 105);
}

}  // namespace
}  // namespace mykafka::testing
