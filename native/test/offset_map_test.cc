#include "core/offset_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace mykafka::testing {
namespace {

bool Put(OffsetMap* map, const std::string& key, int64_t offset) {
  return map->Put(map->HashOf(key.data(), key.size()), offset);
}

int64_t Find(const OffsetMap& map, const std::string& key) {
  return map.Find(map.HashOf(key.data(), key.size()));
}

TEST(OffsetMap, AnswersWithTheHighestOffset) {
  OffsetMap map(1 << 16, 0.9);
  EXPECT_EQ(Find(map, "a"), -1);
  EXPECT_TRUE(Put(&map, "a", 0));
  EXPECT_EQ(Find(map, "a"), 0);
  EXPECT_TRUE(Put(&map, "a", 7));
  EXPECT_TRUE(Put(&map, "a", 5));
  EXPECT_TRUE(Put(&map, "", INT64_MAX));
  EXPECT_EQ(Find(map, "a"), 7);
  EXPECT_EQ(Find(map, ""), INT64_MAX);
  EXPECT_EQ(Find(map, "b"), -1);
  EXPECT_EQ(map.size(), 2u);
}

TEST(OffsetMap, TakesAsManyKeysAsItsMemoryAndItsLoadFactorAllow) {
  OffsetMap map(1000 * OffsetMap::kSlotLength, 0.9);
  EXPECT_EQ(map.limit(), 900u);
  for (int i = 0; i < 900; ++i) ASSERT_TRUE(Put(&map, std::to_string(i), i)) << i;
  EXPECT_FALSE(Put(&map, "one more", 900));
  EXPECT_EQ(Find(map, "one more"), -1);
  // A key that is there takes no room.
  EXPECT_TRUE(Put(&map, "5", 901));
  EXPECT_EQ(Find(map, "5"), 901);
  EXPECT_EQ(map.size(), 900u);
  EXPECT_LE(map.bytes(), 1000 * OffsetMap::kSlotLength);
}

TEST(OffsetMap, OneFilledToTheLastSlotButOneStillAnswers) {
  OffsetMap map(0, 1);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Put(&map, std::to_string(i), i));
  EXPECT_FALSE(Put(&map, "3", 3));
  EXPECT_EQ(Find(map, "3"), -1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Find(map, std::to_string(i)), i);
}

TEST(OffsetMap, AgreesWithAMapWhileItGrows) {
  for (const size_t bytes : {size_t{3} << 10, size_t{100} << 10, size_t{5} << 20}) {
    SCOPED_TRACE(bytes);
    OffsetMap map(bytes, 0.9);
    std::map<std::string, int64_t> model;
    std::mt19937 random(7);
    for (int64_t offset = 0; offset < 300000; ++offset) {
      const std::string key = "key-" + std::to_string(random() % 250000);
      const bool known = model.count(key) > 0;
      const bool put = Put(&map, key, offset);
      ASSERT_EQ(put, known || model.size() < map.limit());
      if (put) model[key] = offset;
    }
    ASSERT_EQ(map.size(), model.size());
    ASSERT_LE(map.bytes(), bytes);
    for (int i = 0; i < 250000; ++i) {
      const std::string key = "key-" + std::to_string(i);
      const auto found = model.find(key);
      ASSERT_EQ(Find(map, key), found == model.end() ? -1 : found->second) << key;
    }
  }
}

TEST(OffsetMap, IsEmptyBehindAClear) {
  OffsetMap map(1 << 16, 0.5);
  for (int i = 0; i < 1000; ++i) Put(&map, std::to_string(i), i);
  map.Clear();
  EXPECT_EQ(map.size(), 0u);
  EXPECT_EQ(map.bytes(), 0u);
  EXPECT_EQ(Find(map, "1"), -1);
  EXPECT_TRUE(Put(&map, "1", 3));
  EXPECT_EQ(Find(map, "1"), 3);
}

}  // namespace
}  // namespace mykafka::testing
