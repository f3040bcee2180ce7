#ifdef __linux__

#include "core/socket_sender.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/page_cache.h"
#include "core/thread_pool.h"

namespace mykafka {
namespace {

constexpr size_t kTurnBytes = 1u << 20;
// What the system queues of a connection beyond what the peer's window takes. Its own bound (megabytes)
// costs a fast reader up to half of the throughput, and a slow one's share of the kernel's memory.
constexpr int kUnsentBytes = 128 << 10;

// Bytes that the peer has not acknowledged. A slow reader lets it shrink long before the socket is
// writable again, which takes a third of its buffer.
int Unacknowledged(int fd) {
  int bytes = 0;
  return ioctl(fd, SIOCOUTQ, &bytes) == 0 ? bytes : 0;
}

}  // namespace

Result<std::shared_ptr<SocketSender>> SocketSender::Create(int fd, const SocketSenderOptions& options) {
  int type = 0;
  socklen_t length = sizeof(type);
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0) return Status::FromErrno("getsockopt", errno);
  int flags = fcntl(fd, F_GETFL);
  if (type != SOCK_STREAM || flags < 0 || (flags & O_NONBLOCK) == 0) {
    return Status(Code::kInvalidArgument, "not a non-blocking stream socket");
  }
  if (options.stall_timeout_ms <= 0) return Status(Code::kInvalidArgument, "the stall timeout must be positive");
  // Refused by sockets that are not TCP, which do without.
  setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kUnsentBytes, sizeof(kUnsentBytes));
  return std::shared_ptr<SocketSender>(new SocketSender(fd, options));
}

SocketSender::~SocketSender() {
  Close();
}

std::optional<SendResult> SocketSender::Send(std::vector<SendPart> parts, Done done) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (closed_) return SendResult{SendOutcome::kCancelled, Status(Code::kClosed, "the sender is closed")};
  if (broken_) return SendResult{SendOutcome::kFailed, Status(Code::kClosed, "an earlier send broke off")};
  if (transfer_.has_value()) {
    return SendResult{SendOutcome::kFailed, Status(Code::kInvalidArgument, "a send is under way")};
  }
  ++send_number_;
  transfer_.emplace(std::move(parts));
  Transfer::Step step = Advance(fd_, options_.inline_bytes, true);
  std::optional<SendResult> result = GoOn(step);
  if (!result.has_value()) {
    done_ = std::move(done);
    return std::nullopt;
  }
  broken_ = result->outcome != SendOutcome::kSent;
  ForgetTransfer();
  return result;
}

void SocketSender::Close() {
  std::unique_lock<std::mutex> lock(mutex_);
  closed_ = true;
  if (dup_ >= 0) {
    SendLoop::Shared().Remove(loop_id_, dup_);
    close(dup_);
    dup_ = -1;
  }
  if (!transfer_.has_value()) return;
  End(std::move(lock), SendResult{SendOutcome::kCancelled, Status(Code::kCancelled, "the sender was closed")});
}

void SocketSender::OnReady() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!transfer_.has_value() || warming_) return;
  std::optional<SendResult> result = GoOn(Advance(dup_, kTurnBytes, false));
  if (result.has_value()) End(std::move(lock), *result);
}

void SocketSender::OnDeadline() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!transfer_.has_value() || warming_) return;
  NoteProgress(dup_, false);
  if (SendLoop::NowMs() - progress_ms_ < options_.stall_timeout_ms) {
    SendLoop::Shared().SetDeadline(loop_id_, progress_ms_ + options_.stall_timeout_ms);
    return;
  }
  End(std::move(lock), SendResult{SendOutcome::kStalled, Status(Code::kIo, "the peer takes nothing", ETIMEDOUT)});
}

void SocketSender::OnWarmed(uint64_t send_number, Status status) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!transfer_.has_value() || send_number != send_number_) return;
  warming_ = false;
  if (!status.ok()) {
    End(std::move(lock), SendResult{SendOutcome::kFailed, std::move(status)});
    return;
  }
  transfer_->Warmed();
  NoteProgress(dup_, true);
  Arm();
}

Transfer::Step SocketSender::Advance(int fd, size_t budget, bool guard_sigpipe) {
  size_t before = transfer_->remaining();
  Transfer::Step step = transfer_->Advance(fd, budget, guard_sigpipe);
  pending_bytes_.store(transfer_->remaining(), std::memory_order_relaxed);
  if (step == Transfer::Step::kBlocked || step == Transfer::Step::kTurnOver) {
    NoteProgress(fd, transfer_->remaining() < before);
  }
  return step;
}

std::optional<SendResult> SocketSender::GoOn(Transfer::Step step) {
  switch (step) {
    case Transfer::Step::kDone:
      return SendResult{};
    case Transfer::Step::kReset:
      return SendResult{SendOutcome::kReset, transfer_->error()};
    case Transfer::Step::kFailed:
      return SendResult{SendOutcome::kFailed, transfer_->error()};
    case Transfer::Step::kBlocked:
    case Transfer::Step::kTurnOver:
    case Transfer::Step::kCold:
      break;
  }
  if (dup_ < 0) {
    Status status = Register();
    if (!status.ok()) return SendResult{SendOutcome::kFailed, std::move(status)};
  }
  if (step == Transfer::Step::kCold) {
    Warm();
  } else {
    Arm();
  }
  return std::nullopt;
}

Status SocketSender::Register() {
  int copy = fcntl(fd_, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) return Status::FromErrno("fcntl(F_DUPFD_CLOEXEC)", errno);
  Result<uint64_t> id = SendLoop::Shared().Add(weak_from_this(), copy);
  if (!id.ok()) {
    close(copy);
    return id.status();
  }
  dup_ = copy;
  loop_id_ = *id;
  return Status::Ok();
}

void SocketSender::Warm() {
  warming_ = true;
  SendLoop::Shared().SetDeadline(loop_id_, SendLoop::kNoDeadline);
  ThreadPool::Reads().Submit([weak = weak_from_this(), number = send_number_, range = transfer_->ColdRange()] {
    Status status = WarmPageCache(*range.file, range.position, range.length);
    if (auto self = weak.lock()) self->OnWarmed(number, std::move(status));
  });
}

void SocketSender::NoteProgress(int fd, bool moved) {
  int unacknowledged = Unacknowledged(fd);
  // The peer has the whole timeout from the send's beginning on.
  bool first = progress_ms_ == 0;
  if (moved || first || unacknowledged < unacknowledged_) progress_ms_ = SendLoop::NowMs();
  unacknowledged_ = unacknowledged;
}

void SocketSender::Arm() {
  SendLoop::Shared().Arm(loop_id_, dup_, progress_ms_ + options_.stall_timeout_ms);
}

void SocketSender::ForgetTransfer() {
  transfer_.reset();
  warming_ = false;
  progress_ms_ = 0;
  pending_bytes_.store(0, std::memory_order_relaxed);
}

void SocketSender::End(std::unique_lock<std::mutex> lock, const SendResult& result) {
  if (result.outcome != SendOutcome::kSent) broken_ = true;
  ForgetTransfer();
  if (dup_ >= 0) SendLoop::Shared().SetDeadline(loop_id_, SendLoop::kNoDeadline);
  Done done = std::move(done_);
  done_ = nullptr;
  lock.unlock();
  if (done) done(result);
}

}  // namespace mykafka

#endif  // __linux__
