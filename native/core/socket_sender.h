// Sends lists of buffers and file ranges on one connection's socket without holding up its caller.
// Linux only: elsewhere SocketSenderSupported() is false and there is nothing more.
//
// Contract
//  * Send starts on the caller's thread: up to inline_bytes go out there, if the socket takes them and
//    the file's bytes are in memory. The rest goes on from one thread of the process (SendLoop), on a
//    dup of the socket, at most 1 MiB a turn; bytes that are not in memory are read on
//    ThreadPool::Reads(). Neither the caller nor that thread waits for the disk or for the peer.
//  * A send that ends at once is the answer of Send, and its `done` is dropped. Any other gets exactly
//    one call of `done`, from another thread; from the thread that calls Close() for kCancelled.
//  * Buffers stay as they are until the send has ended or Close() has returned. Files are held.
//  * One send at a time. After any end but kSent the stream is broken off in mid-response: later sends
//    are refused with kClosed.
//  * Close() may be called at any time, from any thread. When it returns no more byte is written to
//    the socket, the dup is closed (it would keep the connection open behind the host's close) and the
//    files are let go; a read of cold bytes under way keeps its file until it ends.
//  * The host closes its socket only after Close(), or never calls Send again behind closing it.
#ifndef MYKAFKA_CORE_SOCKET_SENDER_H_
#define MYKAFKA_CORE_SOCKET_SENDER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/send_loop.h"
#include "core/status.h"
#include "core/transfer.h"

namespace mykafka {

constexpr bool SocketSenderSupported() {
#ifdef __linux__
  return true;
#else
  return false;
#endif
}

enum class SendOutcome : uint8_t {
  kSent,       // all is in the socket's buffer
  kStalled,    // the peer took no byte for the stall timeout
  kCancelled,  // Close()
  kReset,      // the peer is gone
  kFailed,     // error says why: the file is shorter than its range, the disk or the system refused
};

struct SendResult {
  SendOutcome outcome = SendOutcome::kSent;
  Status error;
};

#ifdef __linux__

struct SocketSenderOptions {
  int64_t stall_timeout_ms = 30 * 1000;
  // A megabyte, which Kafka's consumers ask for by default, and the head of the answer: what is left over by a few
  // bytes costs a turn of the other thread.
  size_t inline_bytes = (1u << 20) + (16u << 10);
};

class SocketSender : public SendLoop::Client, public std::enable_shared_from_this<SocketSender> {
 public:
  using Done = std::function<void(const SendResult&)>;

  // The fd of a non-blocking stream socket, which stays the caller's.
  static Result<std::shared_ptr<SocketSender>> Create(int fd, const SocketSenderOptions& options);
  ~SocketSender() override;

  // Nothing where the send is under way.
  std::optional<SendResult> Send(std::vector<SendPart> parts, Done done);
  // Bytes of the current send that the socket has not taken.
  size_t pending_bytes() const { return pending_bytes_.load(std::memory_order_relaxed); }
  void Close();

 private:
  SocketSender(int fd, const SocketSenderOptions& options) : fd_(fd), options_(options) {}

  void OnReady() override;
  void OnDeadline() override;
  void OnWarmed(uint64_t send_number, Status status);

  // All with the lock held.
  Transfer::Step Advance(int fd, size_t budget, bool guard_sigpipe);
  Status Register();
  // The send goes on in the background behind this step, or has ended: then its result.
  std::optional<SendResult> GoOn(Transfer::Step step);
  void Warm();
  void Arm();
  void NoteProgress(int fd, bool moved);
  void ForgetTransfer();

  // Ends the send that is under way, unlocks, then calls its done.
  void End(std::unique_lock<std::mutex> lock, const SendResult& result);

  const int fd_;
  const SocketSenderOptions options_;
  std::mutex mutex_;
  bool closed_ = false;
  bool broken_ = false;  // a send ended before its end
  int dup_ = -1;         // made when first needed
  uint64_t loop_id_ = 0;
  std::optional<Transfer> transfer_;
  uint64_t send_number_ = 0;
  bool warming_ = false;
  int64_t progress_ms_ = 0;  // when the peer last took something
  int unacknowledged_ = 0;   // in the socket's buffer, then
  Done done_;
  std::atomic<size_t> pending_bytes_{0};
};

#endif  // __linux__

}  // namespace mykafka

#endif  // MYKAFKA_CORE_SOCKET_SENDER_H_
