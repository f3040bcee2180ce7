// Real sockets, real files and a reader, for the tests of the socket sender.
#ifndef MYKAFKA_TEST_SOCKET_FIXTURE_H_
#define MYKAFKA_TEST_SOCKET_FIXTURE_H_

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/file.h"
#include "core/socket_sender.h"

namespace mykafka {

using Bytes = std::vector<uint8_t>;

inline Bytes RandomBytes(size_t length, uint32_t seed) {
  std::mt19937 random(seed);
  Bytes bytes(length);
  for (size_t i = 0; i + 4 <= length; i += 4) {
    uint32_t word = random();
    memcpy(bytes.data() + i, &word, 4);
  }
  for (size_t i = length & ~size_t{3}; i < length; ++i) bytes[i] = static_cast<uint8_t>(random());
  return bytes;
}

inline size_t OpenDescriptors() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

// A connected pair: `sender` is non-blocking, `reader` is not.
struct SocketPair {
  int sender = -1;
  int reader = -1;

  SocketPair() = default;
  SocketPair(SocketPair&& other) noexcept
      : sender(std::exchange(other.sender, -1)), reader(std::exchange(other.reader, -1)) {}
  ~SocketPair() {
    CloseSender();
    CloseReader();
  }

  static SocketPair Unix() {
    SocketPair pair;
    int fds[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
    pair.sender = fds[0];
    pair.reader = fds[1];
    fcntl(pair.sender, F_SETFL, O_NONBLOCK);
    return pair;
  }

  static SocketPair Tcp() {
    SocketPair pair;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    EXPECT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), length), 0);
    EXPECT_EQ(listen(listener, 1), 0);
    getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
    pair.reader = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(connect(pair.reader, reinterpret_cast<sockaddr*>(&address), length), 0);
    pair.sender = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    EXPECT_GE(pair.sender, 0);
    close(listener);
    return pair;
  }

  void CloseSender() {
    if (sender >= 0) close(sender);
    sender = -1;
  }
  void CloseReader() {
    if (reader >= 0) close(reader);
    reader = -1;
  }
  // The next byte sent meets a reset connection.
  void ResetReader() {
    linger abort{1, 0};
    setsockopt(reader, SOL_SOCKET, SO_LINGER, &abort, sizeof(abort));
    CloseReader();
  }

  // Reads length bytes, or fewer where the stream ends. `pause` runs before each read.
  Bytes Read(size_t length, size_t step = 1u << 20, const std::function<void()>& pause = nullptr) const {
    Bytes bytes(length);
    size_t got = 0;
    while (got < length) {
      if (pause) pause();
      ssize_t n = recv(reader, bytes.data() + got, std::min(step, length - got), 0);
      if (n <= 0) break;
      got += static_cast<size_t>(n);
    }
    bytes.resize(got);
    return bytes;
  }

  // Reads to the end of the stream and keeps nothing.
  void Drain() const {
    Bytes chunk(256 << 10);
    while (recv(reader, chunk.data(), chunk.size(), 0) > 0) {
    }
  }
};

// A file with these bytes, deleted at the end. It can pretend that its bytes are not in memory until
// they were read by a call that may wait, and notes which threads waited.
class TestFile : public File {
 public:
  explicit TestFile(const Bytes& content) {
    static std::atomic<int> number{0};
    path_ = testing::TempDir() + "sender-" + std::to_string(getpid()) + "-" + std::to_string(++number);
    auto opened = FileSystem::Posix()->Open(path_, OpenMode::kCreateNew);
    EXPECT_TRUE(opened.ok());
    file_ = std::move(*opened);
    iovec part{const_cast<uint8_t*>(content.data()), content.size()};
    EXPECT_TRUE(WriteFully(*file_, &part, 1, 0).ok());
  }
  ~TestFile() override { Unlink(); }

  void Unlink() { unlink(path_.c_str()); }

  void PretendCold() { cold_ = true; }
  void FailColdReads() { fail_cold_reads_ = true; }
  std::set<std::thread::id> ThreadsThatWaited() {
    std::lock_guard<std::mutex> lock(mutex_);
    return waited_;
  }

  Result<size_t> Read(void* into, size_t length, int64_t position, Wait wait) override {
    std::lock_guard<std::mutex> lock(mutex_);
    int64_t end = position + static_cast<int64_t>(length);
    if (cold_) {
      if (wait == Wait::kNever) {
        if (end > warm_to_) return Status(Code::kWouldBlock, "cold");
      } else {
        waited_.insert(std::this_thread::get_id());
        if (fail_cold_reads_) return Status::FromErrno("read", EIO);
        warm_to_ = std::max(warm_to_, end);
      }
    }
    return file_->Read(into, length, position, wait);
  }
  Result<size_t> Write(const iovec* parts, int count, int64_t position) override {
    return file_->Write(parts, count, position);
  }
  Status Sync() override { return file_->Sync(); }
  Status Truncate(int64_t length) override { return file_->Truncate(length); }
  Status Allocate(int64_t position, int64_t length) override { return file_->Allocate(position, length); }
  Result<int64_t> Size() override { return file_->Size(); }
  void DropCache() override { file_->DropCache(); }
  int fd() const override { return file_->fd(); }

 private:
  std::string path_;
  std::shared_ptr<File> file_;
  std::mutex mutex_;
  bool cold_ = false;
  bool fail_cold_reads_ = false;
  int64_t warm_to_ = 0;
  std::set<std::thread::id> waited_;
};

// What one send came to, whichever way it ended.
class Outcome {
 public:
  SocketSender::Done Callback() {
    return [state = state_](const SendResult& result) {
      ++state->calls;
      state->promise.set_value(result);
    };
  }
  // Waits for the end, where the send did not end at once.
  SendResult Await(std::optional<SendResult> at_once) {
    return at_once.has_value() ? std::move(*at_once) : state_->promise.get_future().get();
  }
  int calls() const { return state_->calls; }

 private:
  struct State {
    std::promise<SendResult> promise;
    std::atomic<int> calls{0};
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

inline std::shared_ptr<SocketSender> MakeSender(int fd, const SocketSenderOptions& options = {}) {
  auto sender = SocketSender::Create(fd, options);
  EXPECT_TRUE(sender.ok());
  return std::move(*sender);
}

inline SendResult SendAll(SocketSender& sender, std::vector<SendPart> parts) {
  Outcome outcome;
  return outcome.Await(sender.Send(std::move(parts), outcome.Callback()));
}

}  // namespace mykafka

#endif  // MYKAFKA_TEST_SOCKET_FIXTURE_H_
