#include "binding/socket_receive_binding.h"

#include <errno.h>
#include <sys/socket.h>

#include <cstdint>

#include "binding/arguments.h"

namespace mykafka {

namespace {

// The end of the stream and errors stay there for the host, which reads on and tells of them.
Napi::Value ReceiveInto(const Napi::CallbackInfo& info) {
  const int fd = static_cast<int>(IntegerArgument(info[0], "fd", 0, INT32_MAX));
  Napi::Uint8Array into = BytesArgument(info[1], "into");
  const auto start = static_cast<size_t>(IntegerArgument(info[2], "start", 0, static_cast<double>(into.ByteLength())));
  ssize_t received;
  do {
    received = recv(fd, into.Data() + start, into.ByteLength() - start, MSG_DONTWAIT);
  } while (received < 0 && errno == EINTR);
  return Napi::Number::New(info.Env(), received > 0 ? static_cast<double>(received) : 0);
}

}  // namespace

void DefineSocketReceive(Napi::Env env, Napi::Object exports) {
  exports.Set("receiveInto", Napi::Function::New(env, ReceiveInto, "receiveInto"));
}

}  // namespace mykafka
