#ifdef __linux__

#include "core/page_cache.h"

#include <gtest/gtest.h>

#include "test/socket_fixture.h"

namespace mykafka {
namespace {

constexpr size_t kLength = 3 << 20;

TEST(PageCache, HoldsWhatWasJustWritten) {
  TestFile file(RandomBytes(kLength, 1));
  EXPECT_TRUE(InPageCache(file, 0, kLength));
  EXPECT_TRUE(InPageCache(file, 4095, 2));
  EXPECT_TRUE(InPageCache(file, kLength - 1, 1));
  EXPECT_TRUE(InPageCache(file, kLength, 0));
}

TEST(PageCache, HoldsNothingBehindTheEndOfAFile) {
  TestFile file(RandomBytes(kLength, 2));
  EXPECT_FALSE(InPageCache(file, kLength, 1));
  EXPECT_FALSE(InPageCache(file, 0, kLength + 1));
  EXPECT_EQ(WarmPageCache(file, 0, kLength + 1).code(), Code::kCorrupt);
}

TEST(PageCache, HoldsColdBytesOnceTheyWereWarmed) {
  TestFile file(RandomBytes(kLength, 3));
  file.PretendCold();
  EXPECT_FALSE(InPageCache(file, 0, kLength));
  EXPECT_FALSE(InPageCache(file, 0, 1));
  EXPECT_TRUE(WarmPageCache(file, 0, 1 << 20).ok());
  EXPECT_TRUE(InPageCache(file, 0, 1 << 20));
  EXPECT_FALSE(InPageCache(file, 0, kLength));
  EXPECT_TRUE(WarmPageCache(file, 1 << 20, kLength - (1 << 20)).ok());
  EXPECT_TRUE(InPageCache(file, 0, kLength));
}

TEST(PageCache, TellsOfADiskThatFails) {
  TestFile file(RandomBytes(kLength, 4));
  file.PretendCold();
  file.FailColdReads();
  EXPECT_EQ(WarmPageCache(file, 0, kLength).sys_errno(), EIO);
}

}  // namespace
}  // namespace mykafka

#endif  // __linux__
