#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "core/crc32.h"
#include "core/crc32c.h"
#include "test/log_model.h"

namespace mykafka::testing {
namespace {

using CrcFunction = uint32_t (*)(uint32_t, const void*, size_t);

struct Variant {
  const char* name;
  CrcFunction fast;
  CrcFunction portable;
  uint32_t polynomial;
  uint32_t check;  // of "123456789"
};

class Crc : public ::testing::TestWithParam<Variant> {
 protected:
  static Bytes Random(size_t length, uint32_t seed) {
    std::mt19937 random(seed);
    Bytes bytes(length);
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<uint8_t>(random()); });
    return bytes;
  }
};

TEST_P(Crc, HasTheKnownCheckValue) {
  const std::string digits = "123456789";
  EXPECT_EQ(GetParam().fast(0, digits.data(), digits.size()), GetParam().check);
  EXPECT_EQ(GetParam().portable(0, digits.data(), digits.size()), GetParam().check);
}

TEST_P(Crc, OfNothingIsTheSeed) {
  EXPECT_EQ(GetParam().fast(0, "", 0), 0u);
  EXPECT_EQ(GetParam().fast(0x12345678, "", 0), 0x12345678u);
}

TEST_P(Crc, PortableAgreesWithTheBitwiseDefinition) {
  const Bytes bytes = Random(300, 11);
  for (size_t length = 0; length <= bytes.size(); ++length) {
    ASSERT_EQ(GetParam().portable(0, bytes.data(), length), ModelCrc(bytes.data(), length, GetParam().polynomial));
  }
}

TEST_P(Crc, FastAgreesWithPortableAtEveryLengthAlignmentAndSeed) {
  const Bytes bytes = Random(1100 + 16, 12);
  for (size_t length = 0; length <= 1100; ++length) {
    for (const size_t shift : {0, 1, 3, 8, 15}) {
      for (const uint32_t seed : {0u, 1u, 0x80000000u, 0xffffffffu, 0xdeadbeefu}) {
        ASSERT_EQ(GetParam().fast(seed, bytes.data() + shift, length),
                  GetParam().portable(seed, bytes.data() + shift, length))
            << length << " bytes at " << shift << " seed " << seed;
      }
    }
  }
}

TEST_P(Crc, FastAgreesWithPortableOnLongInputs) {
  const Bytes bytes = Random(200000, 13);
  for (const size_t length : {4095u, 4096u, 12287u, 12288u, 12289u, 65536u, 99999u, 200000u}) {
    ASSERT_EQ(GetParam().fast(7, bytes.data(), length), GetParam().portable(7, bytes.data(), length)) << length;
  }
}

TEST_P(Crc, ContinuesAtAnySplit) {
  const Bytes bytes = Random(500, 14);
  const uint32_t whole = GetParam().fast(0, bytes.data(), bytes.size());
  for (size_t split = 0; split <= bytes.size(); ++split) {
    const uint32_t first = GetParam().fast(0, bytes.data(), split);
    ASSERT_EQ(GetParam().fast(first, bytes.data() + split, bytes.size() - split), whole) << split;
  }
}

INSTANTIATE_TEST_SUITE_P(Both, Crc,
                         ::testing::Values(Variant{"crc32", Crc32, Crc32Portable, 0xEDB88320u, 0xCBF43926u},
                                           Variant{"crc32c", Crc32c, Crc32cPortable, 0x82F63B78u, 0xE3069283u}),
                         [](const auto& info) { return info.param.name; });

TEST(CrcImplementation, SaysWhatItIs) {
  const std::string crc32 = Crc32Implementation();
  EXPECT_TRUE(crc32 == "pclmul" || crc32 == "armv8" || crc32 == "portable") << crc32;
  const std::string crc32c = Crc32cImplementation();
  EXPECT_TRUE(crc32c == "sse4.2" || crc32c == "armv8" || crc32c == "portable") << crc32c;
}

}  // namespace
}  // namespace mykafka::testing
