// What one JavaScript environment (the main thread or a worker) holds of the addon.
//
// Order of destruction: when an environment ends, its clean-up hook closes the completion channel first;
// tasks that are still on a pool's thread finish, find the channel closed and drop their results. The
// core's objects are kept by shared_ptr and go with the last task or wrapper that holds them.
#ifndef MYKAFKA_BINDING_ADDON_STATE_H_
#define MYKAFKA_BINDING_ADDON_STATE_H_

#include <napi.h>

#include <functional>
#include <memory>

#include "core/status.h"
#include "core/thread_pool.h"

namespace mykafka {

// Carries results from other threads to the environment's own. Shared by tasks, which may outlive it.
class CompletionChannel {
 public:
  using Completion = std::function<void(Napi::Env)>;

  virtual ~CompletionChannel() = default;
  // From any thread: runs the completion on the JavaScript thread; drops it if the environment is gone.
  virtual void Post(Completion completion) = 0;
  // On the JavaScript thread: while more Begin than End were called, the event loop is kept alive.
  virtual void Begin() = 0;
  virtual void End() = 0;
};

struct AddonState {
  explicit AddonState(Napi::Env env);
  ~AddonState();

  static AddonState& Of(Napi::Env env) { return *env.GetInstanceData<AddonState>(); }

  std::shared_ptr<CompletionChannel> channel;
  Napi::FunctionReference make_error;  // (code, message, errno, syscall) => MyKafkaError
  Napi::FunctionReference segment_class;
};

// The JavaScript error for a status, made by the factory that TypeScript set: Kafka's error names.
Napi::Error ToError(Napi::Env env, const Status& status);

// Runs work on the pool, then settles the returned promise on the JavaScript thread with what
// `finish` makes of the result.
template <typename T>
Napi::Promise RunAsync(Napi::Env env, ThreadPool& pool, std::function<Result<T>()> work,
                       std::function<Napi::Value(Napi::Env, T&)> finish) {
  auto deferred = std::make_shared<Napi::Promise::Deferred>(Napi::Promise::Deferred::New(env));
  auto channel = AddonState::Of(env).channel;
  channel->Begin();
  pool.Submit([channel, deferred, work = std::move(work), finish = std::move(finish)]() mutable {
    auto result = std::make_shared<Result<T>>(work());
    work = nullptr;
    channel->Post([channel, deferred, result, finish = std::move(finish)](Napi::Env env) {
      channel->End();
      if (result->ok()) {
        deferred->Resolve(finish(env, result->value()));
      } else {
        deferred->Reject(ToError(env, result->status()).Value());
      }
    });
  });
  return deferred->Promise();
}

Napi::Promise RunAsync(Napi::Env env, ThreadPool& pool, std::function<Status()> work);

}  // namespace mykafka

#endif  // MYKAFKA_BINDING_ADDON_STATE_H_
