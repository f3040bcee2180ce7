// What TypeScript needs of files and node:fs does not have: flock, a scan of a log file, syncs on our threads.
#ifndef MYKAFKA_BINDING_FILE_BINDING_H_
#define MYKAFKA_BINDING_FILE_BINDING_H_

#include <napi.h>

namespace mykafka {

void DefineFiles(Napi::Env env, Napi::Object exports);

}  // namespace mykafka

#endif  // MYKAFKA_BINDING_FILE_BINDING_H_
