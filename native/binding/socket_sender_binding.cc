#include "binding/socket_sender_binding.h"

#include "core/socket_sender.h"

#ifdef __linux__

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "binding/addon_state.h"
#include "binding/arguments.h"
#include "binding/segment_binding.h"

namespace mykafka {

namespace {

const char* OutcomeName(SendOutcome outcome) {
  switch (outcome) {
    case SendOutcome::kSent:
      return "sent";
    case SendOutcome::kStalled:
      return "stalled";
    case SendOutcome::kCancelled:
      return "cancelled";
    case SendOutcome::kReset:
      return "reset";
    case SendOutcome::kFailed:
      return "failed";
  }
  return "failed";
}

class NativeSocketSender final : public Napi::ObjectWrap<NativeSocketSender> {
 public:
  static Napi::Function Define(Napi::Env env) {
    return DefineClass(env, "NativeSocketSender",
                       {
                           InstanceMethod<&NativeSocketSender::Send>("send"),
                           InstanceMethod<&NativeSocketSender::PendingBytes>("pendingBytes"),
                           InstanceMethod<&NativeSocketSender::Close>("close"),
                       });
  }

  explicit NativeSocketSender(const Napi::CallbackInfo& info)
      : Napi::ObjectWrap<NativeSocketSender>(info), channel_(AddonState::Of(info.Env()).channel) {
    sender_ = ConstructorArgument<std::shared_ptr<SocketSender>>(info, "socket senders are made by createSocketSender");
    wrapper_ = std::make_shared<NativeSocketSender*>(this);
  }

  // Also where an environment ends in mid-send: behind Close() no thread reads the buffers any more.
  ~NativeSocketSender() override {
    *wrapper_ = nullptr;
    sender_->Close();
  }

 private:
  // The address of the wrapper while it lives; looked at on the JavaScript thread only.
  using Wrapper = std::shared_ptr<NativeSocketSender*>;

  Napi::Value Send(const Napi::CallbackInfo& info) {
    Napi::Env env = info.Env();
    Napi::Array list = ArrayArgument(info[0], "parts");
    Napi::Function done = FunctionArgument(info[1], "done");
    if (!kept_.IsEmpty()) throw Napi::Error::New(env, "a send is under way");
    std::vector<SendPart> parts;
    uint32_t length = list.Length();
    parts.reserve(length);
    Status status;
    for (uint32_t i = 0; i < length && status.ok(); ++i) status = AddPart(list.Get(i), &parts);
    std::optional<SendResult> ended = SendResult{SendOutcome::kFailed, status};
    if (status.ok()) {
      ended = sender_->Send(std::move(parts), [wrapper = wrapper_, channel = channel_](const SendResult& result) {
        PostEnd(wrapper, *channel, result);
      });
    }
    if (ended.has_value() && ended->outcome == SendOutcome::kSent) return Napi::Boolean::New(env, true);

    // Only now something has to be kept: most sends end above.
    Napi::Array kept = Napi::Array::New(env, length + 1);
    kept.Set(uint32_t{0}, done);
    for (uint32_t i = 0; i < length; ++i) kept.Set(i + 1, list.Get(i));
    kept_ = Napi::Persistent(kept);
    Ref();
    channel_->Begin();
    if (ended.has_value()) PostEnd(wrapper_, *channel_, *ended);
    return Napi::Boolean::New(env, false);
  }

  static Status AddPart(const Napi::Value& value, std::vector<SendPart>* parts) {
    if (value.IsTypedArray()) {
      Napi::Uint8Array bytes = BytesArgument(value, "part");
      parts->push_back(SendPart::Buffer(bytes.Data(), bytes.ByteLength()));
      return Status::Ok();
    }
    Napi::Object object = ObjectArgument(value, "part");
    Result<std::shared_ptr<File>> file = FileOf(value.Env(), object.Get("segment"));
    int64_t position = OffsetArgument(object.Get("position"), "position");
    int64_t length = OffsetArgument(object.Get("length"), "length");
    if (!file.ok()) return file.status();
    parts->push_back(SendPart::Range(std::move(*file), position, static_cast<size_t>(length)));
    return Status::Ok();
  }

  static void PostEnd(const Wrapper& wrapper, CompletionChannel& channel, const SendResult& result) {
    channel.Post([wrapper, result](Napi::Env env) {
      if (*wrapper != nullptr) (*wrapper)->OnEnd(env, result);
    });
  }

  void OnEnd(Napi::Env env, const SendResult& result) {
    Napi::Function done = kept_.Value().Get(uint32_t{0}).As<Napi::Function>();
    kept_.Reset();
    channel_->End();
    Unref();
    Napi::Value error = env.Null();
    if (!result.error.ok()) error = ToError(env, result.error).Value();
    try {
      done.Call({Napi::String::New(env, OutcomeName(result.outcome)), error});
    } catch (const Napi::Error& thrown) {
      // Other completions wait behind this one: an exception of the host's must not take them along.
      napi_fatal_exception(env, thrown.Value());
    }
  }

  Napi::Value PendingBytes(const Napi::CallbackInfo& info) {
    return Napi::Number::New(info.Env(), static_cast<double>(sender_->pending_bytes()));
  }

  void Close(const Napi::CallbackInfo&) { sender_->Close(); }

  std::shared_ptr<SocketSender> sender_;
  std::shared_ptr<CompletionChannel> channel_;
  Wrapper wrapper_;
  // While a send is under way: [done, ...parts].
  Napi::Reference<Napi::Array> kept_;
};

Napi::Value CreateSocketSender(const Napi::CallbackInfo& info) {
  int fd = static_cast<int>(IntegerArgument(info[0], "fd", 0, INT32_MAX));
  SocketSenderOptions options;
  options.stall_timeout_ms = IntegerArgument(info[1], "stallTimeoutMs", 1, INT32_MAX);
  Result<std::shared_ptr<SocketSender>> sender = SocketSender::Create(fd, options);
  if (!sender.ok()) throw ToError(info.Env(), sender.status());
  auto external = Napi::External<std::shared_ptr<SocketSender>>::New(info.Env(), &*sender);
  return AddonState::Of(info.Env()).socket_sender_class.New({external});
}

}  // namespace

void DefineSocketSender(Napi::Env env, Napi::Object exports) {
  AddonState::Of(env).socket_sender_class = Napi::Persistent(NativeSocketSender::Define(env));
  exports.Set("createSocketSender", Napi::Function::New(env, CreateSocketSender, "createSocketSender"));
}

}  // namespace mykafka

#else

namespace mykafka {

void DefineSocketSender(Napi::Env env, Napi::Object exports) {
  auto refuse = [](const Napi::CallbackInfo& info) -> Napi::Value {
    throw Napi::Error::New(info.Env(), "sockets are sent to natively on Linux only");
  };
  exports.Set("createSocketSender", Napi::Function::New(env, refuse, "createSocketSender"));
}

}  // namespace mykafka

#endif  // __linux__
