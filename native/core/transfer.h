// The bytes of one send and how far they have gone: buffers and ranges of files, in order, onto a
// non-blocking stream socket. Knows no threads; SocketSender says when to advance. Linux only.
//
// Consecutive buffers go out as one sendmsg. A file range below kCopyBelow joins them through a
// scratch buffer (measured: below some 32 KiB that wins), a longer one goes out by sendfile.
#ifndef MYKAFKA_CORE_TRANSFER_H_
#define MYKAFKA_CORE_TRANSFER_H_

#ifdef __linux__

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/file.h"
#include "core/status.h"

namespace mykafka {

// A buffer, or a range of a file where file is set.
struct SendPart {
  static SendPart Buffer(const void* data, size_t length) {
    return SendPart{static_cast<const uint8_t*>(data), nullptr, 0, length};
  }
  static SendPart Range(std::shared_ptr<File> file, int64_t position, size_t length) {
    return SendPart{nullptr, std::move(file), position, length};
  }

  const uint8_t* data = nullptr;
  std::shared_ptr<File> file;
  int64_t position = 0;
  size_t length = 0;
};

class Transfer {
 public:
  static constexpr size_t kCopyBelow = 32u << 10;
  static constexpr size_t kSlice = 1u << 20;  // of one sendfile

  enum class Step : uint8_t {
    kDone,
    kBlocked,   // the socket takes no more now
    kTurnOver,  // the budget is used up
    kCold,      // the next bytes are not in memory: read ColdRange(), then Warmed()
    kReset,     // the peer is gone
    kFailed,    // error() says why
  };

  explicit Transfer(std::vector<SendPart> parts);

  // Writes up to budget bytes, and a short rest with them. Never waits, neither for the socket nor (bytes
  // given by Warmed() aside, that memory pressure took again) for the disk. guard_sigpipe: the thread has SIGPIPE
  // unblocked.
  Step Advance(int socket, size_t budget, bool guard_sigpipe);

  // The file range that Advance wants in memory.
  SendPart ColdRange() const;
  // It has been read: the next Advance does not ask again, however short memory is.
  void Warmed();

  size_t remaining() const { return remaining_; }
  const Status& error() const { return error_; }

 private:
  // kDone here means: bytes moved, go on.
  Step SendGathered(int socket, size_t budget, size_t* moved);
  Step SendSlice(int socket, size_t budget, bool guard_sigpipe, size_t* moved);
  // One part's bytes in the scratch. kWouldBlock where they are cold.
  Status CopyRange(size_t index, uint8_t* into);
  Step FromErrno(int sys_errno, const char* call);
  Step Fail(Status status);
  void Consume(size_t length);

  std::vector<SendPart> parts_;
  size_t cursor_ = 0;     // the part that goes on
  size_t remaining_ = 0;  // bytes of all parts
  size_t warmed_ = 0;     // bytes of parts_[cursor_] that were just read
  Status error_;
};

}  // namespace mykafka

#endif  // __linux__
#endif  // MYKAFKA_CORE_TRANSFER_H_
