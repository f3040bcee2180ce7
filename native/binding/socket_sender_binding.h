// NativeSocketSender of src/native/native.ts: one wrapper over core/socket_sender.h.
#ifndef MYKAFKA_BINDING_SOCKET_SENDER_BINDING_H_
#define MYKAFKA_BINDING_SOCKET_SENDER_BINDING_H_

#include <napi.h>

namespace mykafka {

// Elsewhere than on Linux createSocketSender throws.
void DefineSocketSender(Napi::Env env, Napi::Object exports);

}  // namespace mykafka

#endif  // MYKAFKA_BINDING_SOCKET_SENDER_BINDING_H_
