// Errors are values: every operation of the core returns a Status or a Result<T>.
#ifndef MYKAFKA_CORE_STATUS_H_
#define MYKAFKA_CORE_STATUS_H_

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace mykafka {

enum class Code : uint8_t {
  kOk = 0,
  kInvalidArgument,  // a caller's mistake: nothing was read or written
  kInvalidRecord,    // packed records that do not parse
  kRecordTooLarge,   // a key above 16 MiB, or a batch that no segment can hold
  kOffsetOutOfRange,
  kCorrupt,      // stored bytes that are not whole and right
  kIo,           // the system refused; sys_errno says why
  kSegmentFull,  // the index or the relative offsets have no room: roll, then append again
  kWouldBlock,   // the answer needs the disk: ask again from a thread that may wait
  kClosed,
  kCancelled,
};

// A short constant name, for logs and tests.
const char* CodeName(Code code);

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message, int sys_errno = 0)
      : code_(code), sys_errno_(sys_errno), message_(std::move(message)) {}

  static Status Ok() { return {}; }
  // From errno: "what: strerror(errno)".
  static Status FromErrno(const std::string& what, int sys_errno);

  bool ok() const { return code_ == Code::kOk; }
  Code code() const { return code_; }
  int sys_errno() const { return sys_errno_; }
  const std::string& message() const { return message_; }

 private:
  Code code_ = Code::kOk;
  int sys_errno_ = 0;
  std::string message_;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                                  // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }  // NOLINT(google-explicit-constructor)

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  T& value() {
    assert(ok());
    return *value_;
  }
  const T& value() const {
    assert(ok());
    return *value_;
  }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }

 private:
  Status status_;
  std::optional<T> value_;
};

#define MYKAFKA_RETURN_IF_ERROR(expr)                  \
  do {                                                 \
    ::mykafka::Status status_of_expr_ = (expr);        \
    if (!status_of_expr_.ok()) return status_of_expr_; \
  } while (0)

}  // namespace mykafka

#endif  // MYKAFKA_CORE_STATUS_H_
