#ifdef __linux__

#include "core/transfer.h"

#include <sys/sendfile.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "core/page_cache.h"
#include "core/sigpipe_guard.h"

namespace mykafka {
namespace {

constexpr size_t kMaxVectors = 64;
constexpr size_t kScratchBytes = 64u << 10;

// Copied ranges live here for the length of one sendmsg only.
uint8_t* Scratch() {
  thread_local std::vector<uint8_t> scratch(kScratchBytes);
  return scratch.data();
}

}  // namespace

Transfer::Transfer(std::vector<SendPart> parts) : parts_(std::move(parts)) {
  for (const SendPart& part : parts_) remaining_ += part.length;
  Consume(0);
}

Transfer::Step Transfer::Advance(int socket, size_t budget, bool guard_sigpipe) {
  bool progressed = false;
  size_t grace = std::min(budget, kCopyBelow);
  while (remaining_ > 0) {
    if (budget == 0) {
      // Less than another turn costs: the end of a response whose body took the budget.
      if (remaining_ > grace) return Step::kTurnOver;
      budget = std::exchange(grace, 0);
    }
    const SendPart& part = parts_[cursor_];
    bool by_sendfile = part.file != nullptr && part.length >= kCopyBelow;
    size_t moved = 0;
    Step step = by_sendfile ? SendSlice(socket, budget, guard_sigpipe, &moved) : SendGathered(socket, budget, &moved);
    if (step != Step::kDone) {
      // What was warmed may be gone again when a slow peer is ready for more.
      if (step == Step::kBlocked && progressed) warmed_ = 0;
      return step;
    }
    progressed = true;
    budget -= std::min(budget, moved);
  }
  return Step::kDone;
}

Transfer::Step Transfer::SendGathered(int socket, size_t budget, size_t* moved) {
  iovec vectors[kMaxVectors];
  size_t count = 0;
  size_t total = 0;
  size_t copied = 0;
  bool more = false;
  for (size_t i = cursor_; i < parts_.size(); ++i) {
    const SendPart& part = parts_[i];
    if (part.length == 0) continue;
    more = true;
    if (count == kMaxVectors || total >= budget) break;
    size_t length = part.length;
    if (part.file != nullptr) {
      if (length >= kCopyBelow || copied + length > kScratchBytes) break;
      uint8_t* into = Scratch() + copied;
      Status status = CopyRange(i, into);
      if (!status.ok()) {
        bool cold = status.code() == Code::kWouldBlock;
        if (count == 0) return cold ? Step::kCold : Fail(std::move(status));
        // What is gathered goes out now and must not linger in the socket while the disk is read.
        more = !cold;
        break;
      }
      copied += length;
      vectors[count++] = iovec{into, length};
    } else {
      length = std::min(length, budget - total);
      vectors[count++] = iovec{const_cast<uint8_t*>(part.data), length};
    }
    total += length;
    more = length < part.length;
  }
  msghdr message{};
  message.msg_iov = vectors;
  message.msg_iovlen = count;
  ssize_t sent;
  do {
    sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT | (more ? MSG_MORE : 0));
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) return FromErrno(errno, "sendmsg");
  *moved = static_cast<size_t>(sent);
  Consume(*moved);
  return Step::kDone;
}

Transfer::Step Transfer::SendSlice(int socket, size_t budget, bool guard_sigpipe, size_t* moved) {
  const SendPart& part = parts_[cursor_];
  const size_t most = std::min(budget, kSlice);
  // What is left of it goes along where it is little.
  size_t slice = part.length <= most + std::min(most, kCopyBelow) ? part.length : most;
  if (warmed_ > 0) {
    slice = std::min(slice, warmed_);
  } else if (!InPageCache(*part.file, part.position, slice)) {
    return Step::kCold;
  }
  off_t position = part.position;
  ssize_t sent;
  int sys_errno;
  {
    std::optional<SigpipeGuard> guard;
    if (guard_sigpipe) guard.emplace();
    do {
      sent = sendfile(socket, part.file->fd(), &position, slice);
    } while (sent < 0 && errno == EINTR);
    sys_errno = errno;
    // A call that moved some bytes before it met the peer's reset raises the signal as well.
    if (sent < static_cast<ssize_t>(slice) && guard.has_value()) guard->Consume();
  }
  if (sent < 0) return FromErrno(sys_errno, "sendfile");
  if (sent == 0) return Fail(Status(Code::kCorrupt, "the file ends before the range that is being sent"));
  *moved = static_cast<size_t>(sent);
  Consume(*moved);
  return Step::kDone;
}

Status Transfer::CopyRange(size_t index, uint8_t* into) {
  const SendPart& part = parts_[index];
  Wait wait = index == cursor_ && warmed_ >= part.length ? Wait::kAllowed : Wait::kNever;
  Result<size_t> read = part.file->Read(into, part.length, part.position, wait);
  if (!read.ok()) return read.status();
  if (*read < part.length) return Status(Code::kCorrupt, "the file ends before the range that is being sent");
  return Status::Ok();
}

SendPart Transfer::ColdRange() const {
  const SendPart& part = parts_[cursor_];
  return SendPart::Range(part.file, part.position, std::min(part.length, kSlice));
}

void Transfer::Warmed() {
  warmed_ = std::min(parts_[cursor_].length, kSlice);
}

Transfer::Step Transfer::FromErrno(int sys_errno, const char* call) {
  if (sys_errno == EAGAIN || sys_errno == EWOULDBLOCK) return Step::kBlocked;
  error_ = Status::FromErrno(call, sys_errno);
  bool peer_gone = sys_errno == EPIPE || sys_errno == ECONNRESET || sys_errno == ETIMEDOUT;
  return peer_gone ? Step::kReset : Step::kFailed;
}

Transfer::Step Transfer::Fail(Status status) {
  error_ = std::move(status);
  return Step::kFailed;
}

void Transfer::Consume(size_t length) {
  remaining_ -= length;
  warmed_ -= std::min(warmed_, length);
  while (cursor_ < parts_.size() && length >= parts_[cursor_].length) {
    length -= parts_[cursor_].length;
    parts_[cursor_].file.reset();  // a pin is held no longer than needed
    ++cursor_;
    warmed_ = 0;
  }
  if (length == 0) return;
  SendPart& part = parts_[cursor_];
  part.length -= length;
  if (part.file != nullptr) {
    part.position += static_cast<int64_t>(length);
  } else {
    part.data += length;
  }
}

}  // namespace mykafka

#endif  // __linux__
