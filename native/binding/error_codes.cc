#include "binding/error_codes.h"

#include <errno.h>

namespace mykafka {

const char* JsCode(Code code) {
  switch (code) {
    case Code::kOk:
      return "NONE";
    case Code::kInvalidArgument:
      return "INVALID_ARGUMENT";
    case Code::kInvalidRecord:
      return "INVALID_RECORD";
    case Code::kRecordTooLarge:
      return "MESSAGE_TOO_LARGE";
    case Code::kOffsetOutOfRange:
      return "OFFSET_OUT_OF_RANGE";
    case Code::kCorrupt:
      return "CORRUPT_MESSAGE";
    case Code::kClosed:
      return "LOG_CLOSED";
    case Code::kCancelled:
      return "ABORTED";
    case Code::kIo:
    case Code::kSegmentFull:
    case Code::kWouldBlock:
      break;
  }
  return "KAFKA_STORAGE_ERROR";
}

std::string ErrnoName(int sys_errno) {
  switch (sys_errno) {
#define MYKAFKA_ERRNO(name) \
  case name:                \
    return #name;
    MYKAFKA_ERRNO(EACCES)
    MYKAFKA_ERRNO(EBADF)
    MYKAFKA_ERRNO(EBUSY)
    MYKAFKA_ERRNO(EDQUOT)
    MYKAFKA_ERRNO(EEXIST)
    MYKAFKA_ERRNO(EFBIG)
    MYKAFKA_ERRNO(EINTR)
    MYKAFKA_ERRNO(EINVAL)
    MYKAFKA_ERRNO(EIO)
    MYKAFKA_ERRNO(EISDIR)
    MYKAFKA_ERRNO(ELOOP)
    MYKAFKA_ERRNO(EMFILE)
    MYKAFKA_ERRNO(ENAMETOOLONG)
    MYKAFKA_ERRNO(ENFILE)
    MYKAFKA_ERRNO(ENODEV)
    MYKAFKA_ERRNO(ENOENT)
    MYKAFKA_ERRNO(ENOLCK)
    MYKAFKA_ERRNO(ENOMEM)
    MYKAFKA_ERRNO(ENOSPC)
    MYKAFKA_ERRNO(ENOTDIR)
    MYKAFKA_ERRNO(EPERM)
    MYKAFKA_ERRNO(EPIPE)
    MYKAFKA_ERRNO(ECONNRESET)
    MYKAFKA_ERRNO(EROFS)
    MYKAFKA_ERRNO(ESTALE)
    MYKAFKA_ERRNO(ETIMEDOUT)
#undef MYKAFKA_ERRNO
    default:
      return "errno " + std::to_string(sys_errno);
  }
}

}  // namespace mykafka
