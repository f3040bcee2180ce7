// What a socket sender puts on the wire: the right bytes in the right order, by whatever path.
#ifdef __linux__

#include "core/socket_sender.h"

#include <gtest/gtest.h>

#include "test/socket_fixture.h"

namespace mykafka {
namespace {

void Append(Bytes* to, const uint8_t* data, size_t length) {
  to->insert(to->end(), data, data + length);
}

// Buffers and file ranges of mixed sizes, and the bytes they come to.
struct Mixture {
  std::vector<SendPart> parts;
  Bytes expected;
};

Mixture Mix(const std::shared_ptr<TestFile>& file, const Bytes& content, const Bytes& buffer, uint32_t seed,
            size_t total) {
  const size_t lengths[] = {0, 1, 40, 4000, 16 * 1024, 32 * 1024 - 1, 32 * 1024, 100 * 1000, 3 << 20};
  std::mt19937 random(seed);
  Mixture mixture;
  while (mixture.expected.size() < total) {
    size_t length = std::min({lengths[random() % 8], content.size(), buffer.size()});
    if (random() % 2 == 0) {
      size_t position = random() % (content.size() - length + 1);
      mixture.parts.push_back(SendPart::Range(file, static_cast<int64_t>(position), length));
      Append(&mixture.expected, content.data() + position, length);
    } else {
      mixture.parts.push_back(SendPart::Buffer(buffer.data(), length));
      Append(&mixture.expected, buffer.data(), length);
    }
  }
  return mixture;
}

class SocketSenderOver : public testing::TestWithParam<bool> {
 protected:
  SocketPair pair_ = GetParam() ? SocketPair::Tcp() : SocketPair::Unix();
  static inline const Bytes content_ = RandomBytes(4 << 20, 1);
  static inline const Bytes buffer_ = RandomBytes(3 << 20, 2);
  std::shared_ptr<TestFile> file_ = std::make_shared<TestFile>(content_);
};

INSTANTIATE_TEST_SUITE_P(Sockets, SocketSenderOver, testing::Bool(),
                         [](const auto& info) { return info.param ? "Tcp" : "Unix"; });

TEST_P(SocketSenderOver, SendsBuffersAndFileRangesInOrder) {
  Mixture mixture = Mix(file_, content_, buffer_, 3, 64 << 20);
  auto sender = MakeSender(pair_.sender);
  auto received = std::async(std::launch::async, [&] { return pair_.Read(mixture.expected.size()); });
  SendResult result = SendAll(*sender, mixture.parts);
  EXPECT_EQ(result.outcome, SendOutcome::kSent);
  EXPECT_TRUE(result.error.ok());
  EXPECT_TRUE(received.get() == mixture.expected);
  EXPECT_EQ(sender->pending_bytes(), 0u);
}

TEST_P(SocketSenderOver, SendsTheSameToASlowReader) {
  int small = 32 << 10;
  setsockopt(pair_.reader, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
  setsockopt(pair_.sender, SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
  Mixture mixture = Mix(file_, content_, buffer_, 4, 4 << 20);
  auto sender = MakeSender(pair_.sender);
  auto received = std::async(std::launch::async, [&] {
    return pair_.Read(mixture.expected.size(), 7001,
                      [] { std::this_thread::sleep_for(std::chrono::microseconds(20)); });
  });
  EXPECT_EQ(SendAll(*sender, mixture.parts).outcome, SendOutcome::kSent);
  EXPECT_TRUE(received.get() == mixture.expected);
}

TEST_P(SocketSenderOver, KeepsTheOrderOverManySends) {
  std::vector<Mixture> mixtures;
  Bytes expected;
  for (uint32_t seed = 0; seed < 150; ++seed) {
    mixtures.push_back(Mix(file_, content_, buffer_, seed, seed % 5 == 0 ? 200 * 1000 : 100));
    Append(&expected, mixtures.back().expected.data(), mixtures.back().expected.size());
  }
  auto sender = MakeSender(pair_.sender);
  auto received = std::async(std::launch::async, [&] { return pair_.Read(expected.size()); });
  for (Mixture& mixture : mixtures) {
    ASSERT_EQ(SendAll(*sender, std::move(mixture.parts)).outcome, SendOutcome::kSent);
  }
  EXPECT_TRUE(received.get() == expected);
}

TEST_P(SocketSenderOver, GoesOnWhereTheSocketWasFull) {
  auto sender = MakeSender(pair_.sender);
  Mixture mixture = Mix(file_, content_, buffer_, 5, 32 << 20);
  Outcome outcome;
  auto at_once = sender->Send(mixture.parts, outcome.Callback());
  ASSERT_FALSE(at_once.has_value());
  EXPECT_GT(sender->pending_bytes(), 0u);
  EXPECT_TRUE(pair_.Read(mixture.expected.size()) == mixture.expected);
  EXPECT_EQ(outcome.Await(std::nullopt).outcome, SendOutcome::kSent);
  EXPECT_EQ(outcome.calls(), 1);
}

TEST_P(SocketSenderOver, SendsASmallResponseAtOnce) {
  auto sender = MakeSender(pair_.sender);
  Outcome outcome;
  auto at_once =
      sender->Send({SendPart::Buffer(buffer_.data(), 30), SendPart::Range(file_, 100, 5000)}, outcome.Callback());
  ASSERT_TRUE(at_once.has_value());
  EXPECT_EQ(at_once->outcome, SendOutcome::kSent);
  EXPECT_EQ(outcome.calls(), 0);
  Bytes expected(buffer_.begin(), buffer_.begin() + 30);
  Append(&expected, content_.data() + 100, 5000);
  EXPECT_TRUE(pair_.Read(expected.size()) == expected);
}

TEST(SocketSender, HoldsItsCallerNoLongerThanForTheInlineBytes) {
  SocketPair pair = SocketPair::Unix();
  SocketSenderOptions options;
  options.inline_bytes = 1000;
  auto sender = MakeSender(pair.sender, options);
  Bytes bytes = RandomBytes(20000, 6);
  Outcome outcome;
  // The socket had room for all of it.
  auto at_once = sender->Send({SendPart::Buffer(bytes.data(), bytes.size())}, outcome.Callback());
  EXPECT_FALSE(at_once.has_value());
  EXPECT_EQ(outcome.Await(std::nullopt).outcome, SendOutcome::kSent);
  EXPECT_TRUE(pair.Read(bytes.size()) == bytes);
}

TEST(SocketSender, SendsTheHeadAndTheEndOfAResponseWithABodyOfTheInlineBytes) {
  SocketPair pair = SocketPair::Unix();
  SocketSenderOptions options;
  options.inline_bytes = 64 << 10;
  auto sender = MakeSender(pair.sender, options);
  Bytes content = RandomBytes(64 << 10, 7);
  auto file = std::make_shared<TestFile>(content);
  Outcome outcome;
  auto at_once = sender->Send({SendPart::Buffer(content.data(), 100), SendPart::Range(file, 0, content.size()),
                               SendPart::Buffer(content.data(), 3)},
                              outcome.Callback());
  ASSERT_TRUE(at_once.has_value());
  EXPECT_EQ(at_once->outcome, SendOutcome::kSent);
  Bytes expected(content.begin(), content.begin() + 100);
  Append(&expected, content.data(), content.size());
  Append(&expected, content.data(), 3);
  EXPECT_TRUE(pair.Read(expected.size()) == expected);
}

TEST(SocketSender, SendsNothingForEmptyParts) {
  SocketPair pair = SocketPair::Unix();
  auto file = std::make_shared<TestFile>(RandomBytes(10, 7));
  auto sender = MakeSender(pair.sender);
  EXPECT_EQ(SendAll(*sender, {}).outcome, SendOutcome::kSent);
  EXPECT_EQ(SendAll(*sender, {SendPart::Buffer(nullptr, 0), SendPart::Range(file, 3, 0)}).outcome, SendOutcome::kSent);
  EXPECT_EQ(
      SendAll(*sender, {SendPart::Range(file, 3, 0), SendPart::Buffer("x", 1), SendPart::Buffer(nullptr, 0)}).outcome,
      SendOutcome::kSent);
  EXPECT_EQ(pair.Read(1), Bytes{'x'});
}

TEST(SocketSender, TakesTheNextSendFromWithinTheEndOfTheLast) {
  SocketPair pair = SocketPair::Unix();
  SocketSenderOptions options;
  options.inline_bytes = 1;
  auto sender = MakeSender(pair.sender, options);
  Bytes bytes = RandomBytes(10000, 8);
  Outcome last;
  SocketSender* borrowed = sender.get();
  auto first = sender->Send({SendPart::Buffer(bytes.data(), 5000)}, [&, borrowed](const SendResult&) {
    EXPECT_FALSE(borrowed->Send({SendPart::Buffer(bytes.data() + 5000, 5000)}, last.Callback()).has_value());
  });
  EXPECT_FALSE(first.has_value());
  EXPECT_EQ(last.Await(std::nullopt).outcome, SendOutcome::kSent);
  EXPECT_TRUE(pair.Read(bytes.size()) == bytes);
}

TEST(SocketSender, ServesManyConnectionsAtOnce) {
  const Bytes content = RandomBytes(5 << 20, 9);
  auto file = std::make_shared<TestFile>(content);
  struct Connection {
    SocketPair pair = SocketPair::Tcp();
    std::shared_ptr<SocketSender> sender = MakeSender(pair.sender);
    Outcome outcome;
    std::future<Bytes> received;
  };
  std::vector<Connection> connections(48);
  for (Connection& connection : connections) {
    EXPECT_FALSE(connection.sender
                     ->Send({SendPart::Buffer("head", 4), SendPart::Range(file, 0, content.size())},
                            connection.outcome.Callback())
                     .has_value());
  }
  for (Connection& connection : connections) {
    connection.received = std::async(std::launch::async, [&] { return connection.pair.Read(content.size() + 4); });
  }
  for (Connection& connection : connections) {
    EXPECT_EQ(connection.outcome.Await(std::nullopt).outcome, SendOutcome::kSent);
    Bytes received = connection.received.get();
    ASSERT_EQ(received.size(), content.size() + 4);
    EXPECT_TRUE(std::equal(content.begin(), content.end(), received.begin() + 4));
  }
}

TEST(SocketSender, SendsAFileThatWasUnlinkedMeanwhile) {
  SocketPair pair = SocketPair::Tcp();
  const Bytes content = RandomBytes(16 << 20, 10);
  auto file = std::make_shared<TestFile>(content);
  auto sender = MakeSender(pair.sender);
  Outcome outcome;
  ASSERT_FALSE(sender->Send({SendPart::Range(file, 0, content.size())}, outcome.Callback()).has_value());
  file->Unlink();
  EXPECT_TRUE(pair.Read(content.size()) == content);
  EXPECT_EQ(outcome.Await(std::nullopt).outcome, SendOutcome::kSent);
}

TEST(SocketSender, LeavesColdBytesToAnotherThread) {
  const Bytes content = RandomBytes(3 << 20, 11);
  for (size_t length : {size_t{1000}, size_t{100 * 1000}, content.size()}) {
    SocketPair pair = SocketPair::Unix();
    auto file = std::make_shared<TestFile>(content);
    file->PretendCold();
    auto sender = MakeSender(pair.sender);
    Outcome outcome;
    auto received = std::async(std::launch::async, [&] { return pair.Read(length + 4); });
    auto at_once = sender->Send({SendPart::Buffer("head", 4), SendPart::Range(file, 0, length)}, outcome.Callback());
    ASSERT_FALSE(at_once.has_value());
    ASSERT_EQ(outcome.Await(std::nullopt).outcome, SendOutcome::kSent);
    Bytes bytes = received.get();
    ASSERT_EQ(bytes.size(), length + 4);
    EXPECT_TRUE(std::equal(bytes.begin() + 4, bytes.end(), content.begin()));
    EXPECT_FALSE(file->ThreadsThatWaited().empty());
    EXPECT_EQ(file->ThreadsThatWaited().count(std::this_thread::get_id()), 0u);
  }
}

TEST(SocketSender, SendsPagesThatAreReallyNotInMemory) {
  const Bytes content = RandomBytes(6 << 20, 12);
  auto file = std::make_shared<TestFile>(content);
  ASSERT_TRUE(file->Sync().ok());
  file->DropCache();
  SocketPair pair = SocketPair::Tcp();
  auto sender = MakeSender(pair.sender);
  auto received = std::async(std::launch::async, [&] { return pair.Read(content.size()); });
  EXPECT_EQ(
      SendAll(*sender, {SendPart::Range(file, 0, 9000), SendPart::Range(file, 9000, content.size() - 9000)}).outcome,
      SendOutcome::kSent);
  EXPECT_TRUE(received.get() == content);
}

}  // namespace
}  // namespace mykafka

#endif  // __linux__
