#include "core/status.h"

#include <string.h>

namespace mykafka {

namespace {

// strerror_r comes in two forms: GNU's returns the text, XSI's returns 0 and fills the buffer.
[[maybe_unused]] const char* ErrorText(const char* text, const char*) {
  return text;
}
[[maybe_unused]] const char* ErrorText(int failed, const char* buffer) {
  return failed == 0 ? buffer : "unknown error";
}

}  // namespace

const char* CodeName(Code code) {
  switch (code) {
    case Code::kOk:
      return "OK";
    case Code::kInvalidArgument:
      return "INVALID_ARGUMENT";
    case Code::kInvalidRecord:
      return "INVALID_RECORD";
    case Code::kRecordTooLarge:
      return "RECORD_TOO_LARGE";
    case Code::kOffsetOutOfRange:
      return "OFFSET_OUT_OF_RANGE";
    case Code::kCorrupt:
      return "CORRUPT";
    case Code::kIo:
      return "IO";
    case Code::kSegmentFull:
      return "SEGMENT_FULL";
    case Code::kWouldBlock:
      return "WOULD_BLOCK";
    case Code::kClosed:
      return "CLOSED";
    case Code::kCancelled:
      return "CANCELLED";
  }
  return "UNKNOWN";
}

Status Status::FromErrno(const std::string& what, int sys_errno) {
  char buffer[256] = {};
  return {Code::kIo, what + ": " + ErrorText(strerror_r(sys_errno, buffer, sizeof buffer), buffer), sys_errno};
}

}  // namespace mykafka
