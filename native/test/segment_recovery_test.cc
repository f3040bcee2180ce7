// Finding the end of the last segment, behind a clean stop and behind a crash.
#include <errno.h>

#include "test/faulty_file_system.h"
#include "test/segment_fixture.h"

namespace mykafka::testing {
namespace {

class SegmentRecovery : public EachFormat {
 protected:
  SegmentRecovery() {
    options.file_system = files;
    options.index_interval_bytes = 256;
  }

  void MakeAndClose(int records, int64_t base_offset = 100) {
    Create(base_offset);
    Fill(records, 21, 100);
    Close();
    whole_ = ReadFile(Path(".log"));
    index_ = ReadFile(Path(".index"));
  }
  void Restore(const Bytes& log) {
    WriteFile(Path(".log"), log);
    WriteFile(Path(".index"), index_);
  }
  Bytes Upto(int64_t length) const { return Bytes(whole_.begin(), whole_.begin() + length); }
  std::string CutPath(int64_t position) const { return Path(".log") + ".cut-" + std::to_string(position); }

  void ExpectCut(int64_t at_offset, const Bytes& log, int64_t whole_entries) {
    const int64_t position = model.PositionOf(at_offset);
    EXPECT_EQ(segment->next_offset(), at_offset);
    EXPECT_EQ(segment->size(), position);
    EXPECT_EQ(report.next_offset, at_offset);
    EXPECT_EQ(report.cut_position, position);
    EXPECT_EQ(report.cut_length, static_cast<int64_t>(log.size()) - position);
    EXPECT_EQ(report.cut_whole_entries, whole_entries);
    EXPECT_FALSE(report.damaged_tail);
    EXPECT_TRUE(ReadFile(report.cut_path) == Bytes(log.begin() + position, log.end()));
    EXPECT_TRUE(ReadFile(Path(".log")) == Bytes(log.begin(), log.begin() + position));
    for (int64_t offset = model.base_offset(); offset < at_offset; ++offset) ExpectAnswer(offset, 1, at_offset);
  }
  // The entry that was cut is written again, and then all is as if nothing had been.
  void ExpectAppendsGoOn(int64_t at_offset) {
    ModelLog before = model;
    model = model.Upto(at_offset);
    Fill(20, 22);
    ExpectAllRight(Wait::kNever);
    ASSERT_OK(segment->Seal());
    EXPECT_EQ(ReadFile(Path(".index")), model.Index(256));
    model = before;
  }
  std::shared_ptr<FaultyFileSystem> files = std::make_shared<FaultyFileSystem>();
  Bytes whole_;
  Bytes index_;
};

TEST_P(SegmentRecovery, ATornTailAtEveryByteIsCutAndKept) {
  MakeAndClose(40);
  const int64_t last = model.next_offset() - 1;
  for (int64_t length = model.PositionOf(last) + 1; length < model.size(); ++length) {
    for (const int64_t recovery_point : {int64_t{0}, int64_t{100}, int64_t{120}, last}) {
      SCOPED_TRACE(std::to_string(length) + " recovery point " + std::to_string(recovery_point));
      const Bytes log = Upto(length);
      Restore(log);
      OpenRecovering(recovery_point);
      ExpectCut(last, log, 0);
      if (recovery_point == 120) ExpectAppendsGoOn(last);
      if (HasFailure()) return;
      Close();
    }
  }
}

TEST_P(SegmentRecovery, AWholeLogIsKeptWhole) {
  MakeAndClose(40);
  for (const int64_t recovery_point : {0, 100, 101, 120, 139, 140}) {
    OpenRecovering(recovery_point);
    EXPECT_EQ(report.cut_position, -1);
    EXPECT_EQ(report.cut_path, "");
    EXPECT_EQ(report.next_offset, 140);
    EXPECT_FALSE(report.damaged_tail);
    EXPECT_EQ(segment->size(), model.size());
    if (recovery_point <= 100) {
      EXPECT_EQ(report.entries_checked, 40);
      EXPECT_EQ(report.bytes_checked, model.size());
    }
    if (recovery_point == 139) {
      EXPECT_LT(report.entries_checked, 15);
    }
    EXPECT_LE(segment->synced_size(), model.size());
    ASSERT_OK(segment->Sync());
    EXPECT_EQ(segment->synced_size(), model.size());
    ExpectAllRight();
    Close();
  }
}

TEST_P(SegmentRecovery, AFlippedBitAboveTheRecoveryPointEndsTheLog) {
  MakeAndClose(40);
  // A batch with another offset is whole, and would count among what is kept aside.
  for (int64_t at = model.PositionOf(125) + (Batches() ? 8 : 0); at < model.PositionOf(126); ++at) {
    if (Unchecked(at - model.PositionOf(125))) continue;
    for (const int64_t recovery_point : {100, 110, 125}) {
      SCOPED_TRACE(at);
      Bytes log = whole_;
      log[static_cast<size_t>(at)] ^= 0x02;
      Restore(log);
      OpenRecovering(recovery_point);
      ExpectCut(125, log, 14);  // 126 to 139 are whole, and kept aside
      EXPECT_EQ(segment->synced_size(), model.PositionOf(std::max<int64_t>(recovery_point, 100)));
      if (HasFailure()) return;
      ExpectAppendsGoOn(125);
      Close();
      std::filesystem::remove(report.cut_path);
    }
  }
}

TEST_P(SegmentRecovery, AHoleIsTheEndThoughGoodEntriesFollow) {
  MakeAndClose(40);
  Bytes log = whole_;
  std::fill(log.begin() + model.PositionOf(110), log.begin() + model.PositionOf(130), 0);
  Restore(log);
  OpenRecovering(105);
  ExpectCut(110, log, 10);
}

TEST_P(SegmentRecovery, AGapInTheOffsetsIsTheEnd) {
  MakeAndClose(40);
  Bytes log = whole_;
  log.erase(log.begin() + model.PositionOf(120), log.begin() + model.PositionOf(121));
  Restore(log);
  OpenRecovering(105);
  ExpectCut(120, log, 19);
}

TEST_P(SegmentRecovery, DamageBelowTheRecoveryPointCutsNothing) {
  MakeAndClose(40);
  for (const int64_t recovery_point : {111, 120, 140}) {
    for (int64_t at = model.PositionOf(110); at < model.PositionOf(111); ++at) {
      if (Unchecked(at - model.PositionOf(110))) continue;
      SCOPED_TRACE(std::to_string(at) + " recovery point " + std::to_string(recovery_point));
      Bytes log = whole_;
      log[static_cast<size_t>(at)] ^= 0x40;
      Restore(log);
      // Without an index the whole way is looked at.
      WriteFile(Path(".index"), {});
      OpenRecovering(recovery_point);
      EXPECT_EQ(report.cut_position, -1);
      EXPECT_FALSE(report.damaged_tail);
      EXPECT_EQ(segment->next_offset(), 140);
      EXPECT_TRUE(ReadFile(Path(".log")) == log);
      for (int64_t offset = 100; offset < 140; ++offset) {
        if (offset == 110) {
          ExpectCorrupt(110);
        } else {
          ExpectAnswer(offset, 1, 140);
        }
      }
      ASSERT_EQ(segment->damages().size(), 1u);
      EXPECT_EQ(segment->damages()[0].first_offset, 110);
      EXPECT_EQ(segment->damages()[0].next_offset, 111);
      if (HasFailure()) return;
      Close();
    }
  }
}

TEST_P(SegmentRecovery, DamageBelowAndATornTailAboveAreToldApart) {
  MakeAndClose(40);
  Bytes log = Upto(model.PositionOf(139) + 10);
  log[static_cast<size_t>(model.PositionOf(105) + 20)] ^= 0xff;
  Restore(log);
  WriteFile(Path(".index"), {});
  OpenRecovering(120);
  EXPECT_EQ(segment->next_offset(), 139);
  EXPECT_EQ(report.cut_length, 10);
  ASSERT_EQ(segment->damages().size(), 1u);
  EXPECT_EQ(segment->damages()[0].first_offset, 105);
}

TEST_P(SegmentRecovery, ADamagedEndBelowTheRecoveryPointIsLeftAndAppendsGoElsewhere) {
  MakeAndClose(40);
  struct Case {
    int64_t length;  // of the log
    int64_t zeroed;  // from this offset's position on
    int64_t recovery_point;
  };
  for (const Case& c : {Case{model.size(), 135, 140}, Case{model.PositionOf(135), 135, 140},
                        Case{model.PositionOf(135) + 4, 135, 150}, Case{model.size(), 135, 136}}) {
    for (const bool clean : {false, true}) {
      SCOPED_TRACE(std::to_string(c.length) + " recovery point " + std::to_string(c.recovery_point));
      Bytes log = Upto(c.length);
      std::fill(log.begin() + model.PositionOf(c.zeroed), log.end(), 0);
      Restore(log);
      if (clean) {
        OpenClean(c.recovery_point);
      } else {
        OpenRecovering(c.recovery_point);
      }
      EXPECT_TRUE(report.damaged_tail);
      EXPECT_EQ(report.cut_position, -1);
      EXPECT_EQ(report.next_offset, std::max(c.zeroed, c.recovery_point));
      EXPECT_EQ(segment->next_offset(), std::max(c.zeroed, c.recovery_point));
      EXPECT_TRUE(ReadFile(Path(".log")) == log);
      for (int64_t offset = 100; offset < c.zeroed; ++offset) ExpectAnswer(offset, 1, c.zeroed);
      for (int64_t offset = c.zeroed; offset < c.recovery_point; ++offset) {
        EXPECT_EQ(segment->FindRange(offset, 1, INT64_MAX, Wait::kAllowed).status().code(), Code::kCorrupt);
      }
      ASSERT_EQ(segment->damages().size(), 1u);
      EXPECT_EQ(segment->damages()[0].position, model.PositionOf(c.zeroed));
      EXPECT_EQ(segment->damages()[0].length, c.length - model.PositionOf(c.zeroed));
      EXPECT_EQ(segment->damages()[0].next_offset, c.recovery_point);
      const Bytes packed = Pack({{"k", "v"}});
      const PackedBatch batch = {packed.data(), packed.size(), 1, 1};
      EXPECT_EQ(segment->Append(&batch, 1, segment->next_offset()).code(), Code::kInvalidArgument);
      if (HasFailure()) return;
      Close();
    }
  }
}

TEST_P(SegmentRecovery, ACleanStopLooksAtTheEndOnly) {
  MakeAndClose(400);
  OpenClean(500);
  EXPECT_LT(report.entries_checked, 20);
  EXPECT_EQ(report.next_offset, 500);
  EXPECT_EQ(segment->synced_size(), model.size());
  ExpectAllRight();
}

TEST_P(SegmentRecovery, BehindACleanStopNothingIsEverCut) {
  MakeAndClose(40);
  for (const int64_t recovery_point : {100, 140}) {
    const Bytes log = Upto(model.size() - 3);
    Restore(log);
    OpenClean(recovery_point);
    EXPECT_TRUE(report.damaged_tail);
    EXPECT_EQ(report.next_offset, std::max<int64_t>(139, recovery_point));
    EXPECT_TRUE(ReadFile(Path(".log")) == log);
    Close();
  }
}

TEST_P(SegmentRecovery, AnEmptyLogIsAnEmptySegment) {
  MakeAndClose(0);
  for (const bool clean : {true, false}) {
    Restore({});
    WriteFile(Path(".index"), Bytes(4096));
    if (clean) {
      OpenClean(100);
    } else {
      OpenRecovering(0);
    }
    EXPECT_EQ(segment->next_offset(), 100);
    EXPECT_EQ(segment->size(), 0);
    EXPECT_FALSE(report.damaged_tail);
    Fill(20, 1);
    ExpectAllRight();
    ASSERT_OK(segment->Seal());
    EXPECT_EQ(ReadFile(Path(".index")), model.Index(256));
    Close();
    model = ModelLog(100, options.record_format);
  }
}

TEST_P(SegmentRecovery, EntriesOfAStaleIndexBehindTheEndAreForgotten) {
  MakeAndClose(40);
  Restore(Upto(model.PositionOf(110) + 1));
  OpenRecovering(100);
  EXPECT_EQ(segment->next_offset(), 110);
  ExpectAppendsGoOn(110);
}

TEST_P(SegmentRecovery, WhatWasCutBeforeIsNotOverwritten) {
  MakeAndClose(40);
  const int64_t last = 139;
  for (int round = 0; round < 3; ++round) {
    const Bytes log = Upto(model.PositionOf(last) + 1 + round);
    Restore(log);
    OpenRecovering(100);
    ExpectCut(last, log, 0);
    Close();
  }
  const std::string path = CutPath(model.PositionOf(last));
  EXPECT_EQ(ReadFile(path).size(), 1u);
  EXPECT_EQ(ReadFile(path + ".1").size(), 2u);
  EXPECT_EQ(ReadFile(path + ".2").size(), 3u);
}

TEST_P(SegmentRecovery, WhereTheTailCannotBeKeptNothingIsCut) {
  MakeAndClose(40);
  const Bytes log = Upto(model.size() - 1);
  const std::string cut = CutPath(model.PositionOf(139));
  const std::string cut_name = cut.substr(cut.find(".log"));
  for (const Operation operation : {Operation::kOpen, Operation::kWrite, Operation::kSync, Operation::kSyncDirectory}) {
    Restore(log);
    files->Fail(operation, 1, ENOSPC, operation == Operation::kSyncDirectory ? "" : cut_name, true);
    EXPECT_EQ(Segment::OpenRecovering(options, 100, &report).status().sys_errno(), ENOSPC);
    EXPECT_TRUE(ReadFile(Path(".log")) == log);
    EXPECT_FALSE(Exists(cut));
    files->Heal();
  }
  OpenRecovering(100);
  ExpectCut(139, log, 0);
}

TEST_P(SegmentRecovery, TheTailIsOnTheDiskBeforeTheLogIsCut) {
  MakeAndClose(40);
  const Bytes log = Upto(model.size() - 1);
  Restore(log);
  files->Fail(Operation::kTruncate, 1, EIO, ".log");
  EXPECT_FALSE(Segment::OpenRecovering(options, 100, &report).ok());
  EXPECT_EQ(files->calls(Operation::kSync), 1);
  EXPECT_EQ(files->calls(Operation::kSyncDirectory), 1);
  EXPECT_EQ(ReadFile(CutPath(model.PositionOf(139))).size(), log.size() - static_cast<size_t>(model.PositionOf(139)));
}

TEST_P(SegmentRecovery, ASegmentBehindACutIsPutAsideWhole) {
  MakeAndClose(40);
  ASSERT_OK(Segment::SetAside(options, &report));
  EXPECT_FALSE(Exists(Path(".log")));
  EXPECT_FALSE(Exists(Path(".index")));
  EXPECT_EQ(report.cut_path, CutPath(0));
  EXPECT_EQ(report.cut_position, 0);
  EXPECT_EQ(report.cut_length, model.size());
  EXPECT_EQ(report.cut_whole_entries, 40);
  EXPECT_TRUE(ReadFile(CutPath(0)) == whole_);
  // Another one of the same name, without an index and with a hole.
  Bytes log = whole_;
  std::fill(log.begin() + model.PositionOf(110), log.begin() + model.PositionOf(112), 0);
  WriteFile(Path(".log"), log);
  ASSERT_OK(Segment::SetAside(options, &report));
  EXPECT_EQ(report.cut_path, CutPath(0) + ".1");
  EXPECT_EQ(report.cut_whole_entries, 38);
  EXPECT_TRUE(ReadFile(CutPath(0)) == whole_);
  EXPECT_TRUE(ReadFile(CutPath(0) + ".1") == log);
  EXPECT_EQ(Segment::SetAside(options, &report).sys_errno(), ENOENT);
}

TEST_P(SegmentRecovery, ACrashAtAnyByteOfAnyLengthKeepsEveryWholeEntryBefore) {
  MakeAndClose(12, 0);
  for (int64_t length = 0; length <= model.size(); ++length) {
    SCOPED_TRACE(length);
    int64_t next = 0;
    while (next < 12 && model.PositionOf(next + 1) <= length) ++next;
    const Bytes log = Upto(length);
    Restore(log);
    OpenRecovering(0);
    EXPECT_EQ(segment->next_offset(), next);
    EXPECT_EQ(report.cut_length, length - model.PositionOf(next));
    for (int64_t offset = 0; offset < next; ++offset) ExpectAnswer(offset, 1, next);
    if (HasFailure()) return;
    Close();
  }
}

INSTANTIATE_EACH_FORMAT(SegmentRecovery);

}  // namespace
}  // namespace mykafka::testing
