// checkLogFile: a log file and its indexes, checked in one pass.
#ifndef MYKAFKA_BINDING_LOG_CHECK_BINDING_H_
#define MYKAFKA_BINDING_LOG_CHECK_BINDING_H_

#include <napi.h>

namespace mykafka {

void DefineLogCheck(Napi::Env env, Napi::Object exports);

}  // namespace mykafka

#endif  // MYKAFKA_BINDING_LOG_CHECK_BINDING_H_
