// Bytes of a socket straight to where they are wanted: a large frame by way of the host's chunks would be copied.
#ifndef MYKAFKA_BINDING_SOCKET_RECEIVE_BINDING_H_
#define MYKAFKA_BINDING_SOCKET_RECEIVE_BINDING_H_

#include <napi.h>

namespace mykafka {

void DefineSocketReceive(Napi::Env env, Napi::Object exports);

}  // namespace mykafka

#endif  // MYKAFKA_BINDING_SOCKET_RECEIVE_BINDING_H_
