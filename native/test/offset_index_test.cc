#include "core/offset_index.h"

#include <errno.h>

#include "test/faulty_file_system.h"
#include "test/segment_fixture.h"

namespace mykafka::testing {
namespace {

class OffsetIndexTest : public ::testing::Test {
 protected:
  std::shared_ptr<OffsetIndex> Create(size_t capacity) {
    Result<std::shared_ptr<OffsetIndex>> index = OffsetIndex::Create(files, path, capacity);
    EXPECT_TRUE(index.ok());
    return *index;
  }
  std::shared_ptr<OffsetIndex> Open(size_t capacity) {
    Result<std::shared_ptr<OffsetIndex>> index = OffsetIndex::Open(files, path, capacity);
    EXPECT_TRUE(index.ok());
    return *index;
  }
  static void Fill(OffsetIndex& index, uint32_t count) {
    ASSERT_OK(index.Reserve(count));
    for (uint32_t i = 0; i < count; ++i) index.Append({i * 10, i * 4096});
  }

  TemporaryDirectory directory;
  const std::string path = directory / "index";
  FaultyFileSystem files;
};

TEST_F(OffsetIndexTest, FindsTheFloorOfEveryTarget) {
  std::shared_ptr<OffsetIndex> index = Create(100);
  EXPECT_FALSE(index->FloorByOffset(0));
  EXPECT_FALSE(index->Last());
  Fill(*index, 50);
  for (int64_t target = 0; target < 600; ++target) {
    const uint32_t slot = static_cast<uint32_t>(std::min<int64_t>(target / 10, 49));
    EXPECT_EQ(index->FloorByOffset(target)->relative_offset, slot * 10);
    EXPECT_EQ(index->FloorByPosition(slot * 4096 + 5)->position, slot * 4096);
  }
  EXPECT_FALSE(index->FloorByOffset(-1));
  EXPECT_EQ(index->FloorByOffset(INT64_MAX)->position, 49u * 4096);
  std::optional<IndexEntry> next;
  index->FloorByOffset(15, &next);
  EXPECT_EQ(next->relative_offset, 20u);
  next.reset();
  index->FloorByOffset(1000, &next);
  EXPECT_FALSE(next);
}

TEST_F(OffsetIndexTest, IsBigEndianOnTheDisk) {
  std::shared_ptr<OffsetIndex> index = Create(10);
  ASSERT_OK(index->Reserve(2));
  index->Append({0, 0});
  index->Append({0x01020304, 0x7a0b0c0d});
  ASSERT_OK(index->Trim());
  EXPECT_EQ(ReadFile(path), (Bytes{0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0x7a, 0x0b, 0x0c, 0x0d}));
}

TEST_F(OffsetIndexTest, HoldsNoMoreThanItsCapacity) {
  std::shared_ptr<OffsetIndex> index = Create(3);
  EXPECT_EQ(index->Reserve(4).code(), Code::kSegmentFull);
  ASSERT_OK(index->Reserve(3));
  EXPECT_EQ(std::filesystem::file_size(path), 24u);
}

TEST_F(OffsetIndexTest, CountsWithoutTheZeroesAtTheEnd) {
  {
    std::shared_ptr<OffsetIndex> index = Create(1000);
    Fill(*index, 7);
  }
  EXPECT_EQ(std::filesystem::file_size(path), 4096u);
  std::shared_ptr<OffsetIndex> index = Open(1000);
  EXPECT_EQ(index->count(), 7u);
  ASSERT_OK(index->Reserve(1));
  index->Append({70, 7 * 4096});
  EXPECT_EQ(Open(0)->count(), 8u);
  EXPECT_GE(Open(0)->capacity(), 8u);
  // Slot 0 may be 0,0, and counts alone.
  WriteFile(path, Bytes(4096));
  EXPECT_EQ(Open(0)->count(), 1u);
  WriteFile(path, Bytes(7));
  EXPECT_EQ(Open(0)->count(), 0u);
  WriteFile(path, {});
  EXPECT_EQ(Open(0)->count(), 0u);
  std::filesystem::remove(path);
  EXPECT_EQ(Open(10)->count(), 0u);
}

TEST_F(OffsetIndexTest, WhatIsCutReadsAsIfItHadNeverBeen) {
  std::shared_ptr<OffsetIndex> index = Create(1000);
  Fill(*index, 20);
  index->CutTo(5);
  EXPECT_EQ(index->count(), 5u);
  EXPECT_EQ(index->FloorByOffset(1000)->relative_offset, 40u);
  EXPECT_EQ(Open(0)->count(), 5u);
  index->Append({99, 99999});
  EXPECT_EQ(index->FloorByOffset(1000)->relative_offset, 99u);
}

TEST_F(OffsetIndexTest, AFailedReservationChangesNothing) {
  std::shared_ptr<OffsetIndex> index = Create(10000);
  Fill(*index, 512);
  files.Fail(Operation::kAllocate, 1, ENOSPC);
  EXPECT_EQ(index->Reserve(1).sys_errno(), ENOSPC);
  EXPECT_EQ(std::filesystem::file_size(path), 4096u);
  ASSERT_OK(index->Reserve(1));
}

TEST_F(OffsetIndexTest, AnIndexInPlaceOfAnotherLeavesThoseWhoReadTheOldOneAlone) {
  std::shared_ptr<OffsetIndex> old = Create(1000);
  Fill(*old, 600);
  std::shared_ptr<OffsetIndex> fresh = Create(10);
  EXPECT_EQ(fresh->count(), 0u);
  EXPECT_EQ(old->FloorByOffset(5990)->position, 599u * 4096);
}

TEST_F(OffsetIndexTest, AnyGarbageCanBeSearched) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    Bytes garbage(random() % 2000);
    for (uint8_t& byte : garbage) byte = static_cast<uint8_t>(random());
    WriteFile(path, garbage);
    std::shared_ptr<OffsetIndex> index = Open(0);
    for (int i = 0; i < 50; ++i) {
      index->FloorByOffset(static_cast<int64_t>(random()));
      index->FloorByPosition(static_cast<int64_t>(random()));
    }
  }
}

}  // namespace
}  // namespace mykafka::testing
