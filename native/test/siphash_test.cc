#include "core/siphash.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

namespace mykafka::testing {
namespace {

// 00 01 02 … under the key 00 01 … 0f, as OpenSSL answers (`openssl mac -macopt size:16 … SIPHASH`), read as two
// little-endian words. The reference implementation has the first one too.
TEST(SipHash, AnswersAsOpenSslDoes) {
  const SipKey key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
  const std::map<size_t, Hash128> expected = {
      {0, {0xe6a825ba047f81a3, 0x930255c71472f66d}},  {1, {0x44af996bd8c187da, 0x45fc229b11597634}},
      {8, {0x61f55862baa9623b, 0xb49714f364e2830f}},  {15, {0x11a8b03399e99354, 0xd9c3cf970fec087e}},
      {16, {0xbb54b067caa4e26e, 0x77052385bf1533fd}}, {63, {0x4a83502f77d15051, 0x7cbd3f979a063e50}},
  };
  std::vector<uint8_t> data;
  for (size_t length = 0; length <= 63; ++length) {
    const auto vector = expected.find(length);
    if (vector != expected.end()) {
      const Hash128 hash = SipHash128(key, data.data(), data.size());
      EXPECT_EQ(hash.low, vector->second.low) << length;
      EXPECT_EQ(hash.high, vector->second.high) << length;
    }
    data.push_back(static_cast<uint8_t>(length));
  }
}

TEST(SipHash, AnotherKeyGivesAnotherAnswer) {
  EXPECT_FALSE(SipHash128(SipKey::Random(), "key", 3) == SipHash128(SipKey::Random(), "key", 3));
}

}  // namespace
}  // namespace mykafka::testing
