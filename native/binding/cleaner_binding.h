// NativeCleaner and NativeCleanWriter of src/native/native.ts: wrappers over core/cleaner.h and core/clean_writer.h.
#ifndef MYKAFKA_BINDING_CLEANER_BINDING_H_
#define MYKAFKA_BINDING_CLEANER_BINDING_H_

#include <napi.h>

namespace mykafka {

// Defines the classes and the function that creates a cleaner.
void DefineCleaner(Napi::Env env, Napi::Object exports);

}  // namespace mykafka

#endif  // MYKAFKA_BINDING_CLEANER_BINDING_H_
