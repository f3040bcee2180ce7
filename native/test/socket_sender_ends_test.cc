// The ways in which a send ends other than well, and what is left behind then: nothing.
#ifdef __linux__

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "core/socket_sender.h"
#include "test/socket_fixture.h"

namespace mykafka {
namespace {

using std::chrono::milliseconds;

constexpr size_t kLarge = 16 << 20;  // more than any socket's buffer here

class SocketSenderEnds : public testing::Test {
 protected:
  static inline const Bytes content_ = RandomBytes(kLarge, 1);
  std::shared_ptr<TestFile> file_ = std::make_shared<TestFile>(content_);
};

TEST_F(SocketSenderEnds, CloseWritesNothingMore) {
  for (bool tcp : {false, true}) {
    SocketPair pair = tcp ? SocketPair::Tcp() : SocketPair::Unix();
    auto sender = MakeSender(pair.sender);
    Outcome outcome;
    ASSERT_FALSE(sender->Send({SendPart::Range(file_, 0, kLarge)}, outcome.Callback()).has_value());
    Bytes begin = pair.Read(3 << 20);
    sender->Close();
    EXPECT_EQ(outcome.Await(std::nullopt).outcome, SendOutcome::kCancelled);
    // The dup is gone: closing the host's own fd ends the stream.
    pair.CloseSender();
    Bytes rest = pair.Read(kLarge);
    EXPECT_LT(begin.size() + rest.size(), kLarge);
    EXPECT_TRUE(std::equal(begin.begin(), begin.end(), content_.begin()));
    EXPECT_TRUE(std::equal(rest.begin(), rest.end(), content_.begin() + static_cast<ptrdiff_t>(begin.size())));
    EXPECT_EQ(outcome.calls(), 1);
    EXPECT_EQ(file_.use_count(), 1);
  }
}

TEST_F(SocketSenderEnds, CloseAtAnyMomentGivesOneEnd) {
  auto cold = std::make_shared<TestFile>(content_);
  cold->PretendCold();
  for (int i = 0; i < 200; ++i) {
    SocketPair pair = SocketPair::Unix();
    auto sender = MakeSender(pair.sender);
    std::thread reader([&] { pair.Drain(); });
    Outcome outcome;
    auto at_once = sender->Send({SendPart::Range(i % 2 ? file_ : cold, 0, kLarge)}, outcome.Callback());
    ASSERT_FALSE(at_once.has_value());
    std::this_thread::sleep_for(std::chrono::microseconds(i * 37 % 2000));
    std::thread closer([&] { sender->Close(); });
    sender->Close();
    closer.join();
    SendOutcome end = outcome.Await(std::nullopt).outcome;
    EXPECT_TRUE(end == SendOutcome::kCancelled || end == SendOutcome::kSent);
    pair.CloseSender();
    reader.join();
    EXPECT_EQ(outcome.calls(), 1);
  }
}

TEST_F(SocketSenderEnds, LosingTheSenderIsClosingIt) {
  SocketPair pair = SocketPair::Tcp();
  auto sender = MakeSender(pair.sender);
  Outcome outcome;
  ASSERT_FALSE(sender->Send({SendPart::Range(file_, 0, kLarge)}, outcome.Callback()).has_value());
  sender.reset();
  EXPECT_EQ(outcome.Await(std::nullopt).outcome, SendOutcome::kCancelled);
}

TEST_F(SocketSenderEnds, APeersResetIsToldInMidTransfer) {
  SocketPair pair = SocketPair::Tcp();
  auto sender = MakeSender(pair.sender);
  Outcome outcome;
  ASSERT_FALSE(sender->Send({SendPart::Range(file_, 0, kLarge)}, outcome.Callback()).has_value());
  pair.Read(1 << 20);
  pair.ResetReader();
  SendResult result = outcome.Await(std::nullopt);
  EXPECT_EQ(result.outcome, SendOutcome::kReset);
  EXPECT_TRUE(result.error.sys_errno() == EPIPE || result.error.sys_errno() == ECONNRESET);
  EXPECT_EQ(file_.use_count(), 1);
  // A stream that broke off takes nothing more.
  EXPECT_EQ(SendAll(*sender, {SendPart::Buffer("x", 1)}).error.code(), Code::kClosed);
}

TEST_F(SocketSenderEnds, APeerThatIsGoneIsToldAtOnce) {
  for (bool by_file : {false, true}) {
    SocketPair pair = SocketPair::Unix();
    auto sender = MakeSender(pair.sender);
    pair.CloseReader();
    Outcome outcome;
    auto at_once = sender->Send(
        {by_file ? SendPart::Range(file_, 0, 100 * 1000) : SendPart::Buffer(content_.data(), 100)}, outcome.Callback());
    ASSERT_TRUE(at_once.has_value());
    EXPECT_EQ(at_once->outcome, SendOutcome::kReset);
    EXPECT_EQ(outcome.calls(), 0);
  }
}

TEST_F(SocketSenderEnds, NoSendRaisesSigpipe) {
  struct sigaction standard {};
  struct sigaction before {};
  standard.sa_handler = SIG_DFL;
  ASSERT_EQ(sigaction(SIGPIPE, &standard, &before), 0);
  for (size_t length : {size_t{100}, size_t{100 * 1000}}) {
    SocketPair pair = SocketPair::Unix();
    auto sender = MakeSender(pair.sender);
    pair.CloseReader();
    EXPECT_EQ(SendAll(*sender, {SendPart::Range(file_, 0, length)}).outcome, SendOutcome::kReset);
  }
  {
    SocketPair pair = SocketPair::Tcp();
    auto sender = MakeSender(pair.sender);
    Outcome outcome;
    ASSERT_FALSE(sender->Send({SendPart::Range(file_, 0, kLarge)}, outcome.Callback()).has_value());
    pair.ResetReader();
    EXPECT_EQ(outcome.Await(std::nullopt).outcome, SendOutcome::kReset);
  }
  sigaction(SIGPIPE, &before, nullptr);
}

TEST_F(SocketSenderEnds, AHostsOwnPendingSigpipeStaysPending) {
  sigset_t sigpipe;
  sigset_t before;
  sigemptyset(&sigpipe);
  sigaddset(&sigpipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &sigpipe, &before);
  raise(SIGPIPE);
  SocketPair pair = SocketPair::Unix();
  auto sender = MakeSender(pair.sender);
  pair.CloseReader();
  EXPECT_EQ(SendAll(*sender, {SendPart::Range(file_, 0, 100 * 1000)}).outcome, SendOutcome::kReset);
  timespec now{0, 0};
  EXPECT_EQ(sigtimedwait(&sigpipe, nullptr, &now), SIGPIPE);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_F(SocketSenderEnds, APeerThatTakesNothingIsStalled) {
  SocketPair pair = SocketPair::Tcp();
  SocketSenderOptions options;
  options.stall_timeout_ms = 50;
  auto sender = MakeSender(pair.sender, options);
  EXPECT_EQ(SendAll(*sender, {SendPart::Range(file_, 0, kLarge)}).outcome, SendOutcome::kStalled);
  EXPECT_EQ(file_.use_count(), 1);
}

TEST_F(SocketSenderEnds, APeerThatTakesLittleIsNotStalled) {
  SocketPair pair = SocketPair::Unix();
  int buffer = 1 << 20;
  setsockopt(pair.sender, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer));
  SocketSenderOptions options;
  options.stall_timeout_ms = 1500;
  auto sender = MakeSender(pair.sender, options);
  Outcome outcome;
  ASSERT_FALSE(sender->Send({SendPart::Buffer(content_.data(), kLarge)}, outcome.Callback()).has_value());
  // Far less per timeout than makes the socket writable again.
  Bytes begin = pair.Read(400 * 1000, 4000, [] { std::this_thread::sleep_for(milliseconds(20)); });
  EXPECT_EQ(outcome.calls(), 0);
  begin.resize(kLarge);
  Bytes rest = pair.Read(kLarge - 400 * 1000);
  std::copy(rest.begin(), rest.end(), begin.begin() + 400 * 1000);
  EXPECT_TRUE(begin == content_);
  EXPECT_EQ(outcome.Await(std::nullopt).outcome, SendOutcome::kSent);
}

TEST_F(SocketSenderEnds, AFileThatIsShorterThanItsRangeFailsTheSend) {
  for (size_t length : {size_t{100}, size_t{100 * 1000}, kLarge}) {
    SocketPair pair = SocketPair::Unix();
    auto sender = MakeSender(pair.sender);
    std::thread reader([&] { pair.Drain(); });
    int64_t position = static_cast<int64_t>(kLarge - length + 1);
    SendResult result = SendAll(*sender, {SendPart::Range(file_, position, length)});
    EXPECT_EQ(result.outcome, SendOutcome::kFailed);
    EXPECT_EQ(result.error.code(), Code::kCorrupt);
    sender->Close();
    pair.CloseSender();
    reader.join();
  }
}

TEST_F(SocketSenderEnds, AFileCutInMidTransferFailsTheSend) {
  SocketPair pair = SocketPair::Unix();
  auto sender = MakeSender(pair.sender);
  Outcome outcome;
  ASSERT_FALSE(sender->Send({SendPart::Range(file_, 0, kLarge)}, outcome.Callback()).has_value());
  ASSERT_TRUE(file_->Truncate(8 << 20).ok());
  std::thread reader([&] { pair.Drain(); });
  EXPECT_EQ(outcome.Await(std::nullopt).outcome, SendOutcome::kFailed);
  pair.CloseSender();
  sender->Close();
  reader.join();
}

TEST_F(SocketSenderEnds, ADiskThatFailsFailsTheSend) {
  for (size_t length : {size_t{1000}, kLarge}) {
    SocketPair pair = SocketPair::Unix();
    auto file = std::make_shared<TestFile>(content_);
    file->PretendCold();
    file->FailColdReads();
    auto sender = MakeSender(pair.sender);
    SendResult result = SendAll(*sender, {SendPart::Range(file, 0, length)});
    EXPECT_EQ(result.outcome, SendOutcome::kFailed);
    EXPECT_EQ(result.error.sys_errno(), EIO);
  }
}

TEST_F(SocketSenderEnds, AClosedOrBusySenderTakesNoSend) {
  SocketPair pair = SocketPair::Unix();
  auto sender = MakeSender(pair.sender);
  Outcome outcome;
  ASSERT_FALSE(sender->Send({SendPart::Range(file_, 0, kLarge)}, outcome.Callback()).has_value());
  Outcome second;
  auto refused = sender->Send({SendPart::Buffer("x", 1)}, second.Callback());
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->error.code(), Code::kInvalidArgument);
  sender->Close();
  EXPECT_EQ(SendAll(*sender, {SendPart::Buffer("x", 1)}).outcome, SendOutcome::kCancelled);
}

TEST_F(SocketSenderEnds, OnlyNonBlockingStreamSocketsAreTaken) {
  SocketPair pair = SocketPair::Unix();
  EXPECT_EQ(SocketSender::Create(pair.reader, {}).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(SocketSender::Create(file_->fd(), {}).status().sys_errno(), ENOTSOCK);
  EXPECT_EQ(SocketSender::Create(-1, {}).status().sys_errno(), EBADF);
}

TEST_F(SocketSenderEnds, AProcessOutOfDescriptorsIsToldAtOnce) {
  SocketPair pair = SocketPair::Unix();
  auto sender = MakeSender(pair.sender);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 4;  // the standard streams and one that is open here
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  Outcome outcome;
  auto at_once = sender->Send({SendPart::Range(file_, 0, kLarge)}, outcome.Callback());
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_TRUE(at_once.has_value());
  EXPECT_EQ(at_once->outcome, SendOutcome::kFailed);
  EXPECT_EQ(at_once->error.sys_errno(), EMFILE);
  EXPECT_EQ(file_.use_count(), 1);
}

TEST_F(SocketSenderEnds, LeavesNoDescriptorBehind) {
  { MakeSender(SocketPair::Unix().sender); }
  size_t before = 0;
  for (int i = 0; i < 300; ++i) {
    SocketPair pair = SocketPair::Tcp();
    SocketSenderOptions options;
    options.inline_bytes = 1000;
    options.stall_timeout_ms = i % 4 == 3 ? 5 : 30000;
    auto sender = MakeSender(pair.sender, options);
    Outcome outcome;
    auto at_once = sender->Send({SendPart::Range(file_, 0, i % 4 == 0 ? 50000 : kLarge)}, outcome.Callback());
    ASSERT_FALSE(at_once.has_value());
    if (i % 4 == 1) pair.ResetReader();
    if (i % 4 == 2) sender->Close();
    outcome.Await(std::nullopt);
    sender->Close();
    sender.reset();
    pair.CloseReader();
    pair.CloseSender();
    // From the first round on, the loop's own are open.
    if (i == 0) before = OpenDescriptors();
  }
  EXPECT_EQ(OpenDescriptors(), before);
  EXPECT_EQ(file_.use_count(), 1);
}

}  // namespace
}  // namespace mykafka

#endif  // __linux__
