// The core's codes and the system's errno as the names that JavaScript sees (src/errors.ts).
#ifndef MYKAFKA_BINDING_ERROR_CODES_H_
#define MYKAFKA_BINDING_ERROR_CODES_H_

#include <string>

#include "core/status.h"

namespace mykafka {

const char* JsCode(Code code);

// "ENOSPC" and its like; "errno N" for what has no name here.
std::string ErrnoName(int sys_errno);

}  // namespace mykafka

#endif  // MYKAFKA_BINDING_ERROR_CODES_H_
