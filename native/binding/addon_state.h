// What one JavaScript environment (the main thread or a worker) holds of the addon.
//
// Order of destruction: when an environment ends, its clean-up hook closes the completion channel first. It
// waits for tasks that are still on a pool's thread, since they may read JavaScript's buffers; what they
// post is dropped. Then node frees AddonState, and with it the kept values. The core's objects are held
// by shared_ptr and go with the last task or wrapper that holds them.
#ifndef MYKAFKA_BINDING_ADDON_STATE_H_
#define MYKAFKA_BINDING_ADDON_STATE_H_

#include <napi.h>

#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <unordered_map>
#include <utility>

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
  // Around a task on another thread, the first on the JavaScript thread: the environment's end waits for it.
  virtual void TaskStarts() = 0;
  virtual void TaskEnds() = 0;
};

// JavaScript values that a task in flight needs. Taken and given back on the JavaScript thread only: a
// reference must not be dropped by a task, which may outlive the environment.
class KeptValues {
 public:
  uint64_t Keep(const Napi::Object& value) {
    kept_.emplace(++last_, Napi::Persistent(value));
    return last_;
  }
  Napi::Object Take(uint64_t id) {
    auto found = kept_.find(id);
    Napi::Object value = found->second.Value();
    kept_.erase(found);
    return value;
  }

 private:
  std::unordered_map<uint64_t, Napi::ObjectReference> kept_;
  uint64_t last_ = 0;
};

struct AddonState {
  explicit AddonState(Napi::Env env);
  ~AddonState();

  static AddonState& Of(Napi::Env env) { return *env.GetInstanceData<AddonState>(); }

  std::shared_ptr<CompletionChannel> channel;
  KeptValues kept;
  Napi::FunctionReference make_error;  // (code, message, errno name or undefined) => MyKafkaError
  Napi::FunctionReference segment_class;
  Napi::FunctionReference socket_sender_class;
  Napi::FunctionReference cleaner_class;
  Napi::FunctionReference clean_writer_class;
};

// The JavaScript error for a status, made by the factory that TypeScript set: Kafka's error names.
Napi::Error ToError(Napi::Env env, const Status& status);

// What the work answers; where memory is lacking, an error like any other: an exception would end the process.
template <typename T>
Result<T> Answer(const std::function<Result<T>()>& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Status::FromErrno("no memory for it", ENOMEM);
  }
}

// Runs work on the pool, then settles the returned promise on the JavaScript thread with what
// `finish` makes of the result.
template <typename T>
Napi::Promise RunAsync(Napi::Env env, ThreadPool& pool, std::function<Result<T>()> work,
                       std::function<Napi::Value(Napi::Env, T&)> finish) {
  auto deferred = std::make_shared<Napi::Promise::Deferred>(Napi::Promise::Deferred::New(env));
  auto channel = AddonState::Of(env).channel;
  channel->Begin();
  channel->TaskStarts();
  pool.Submit([channel, deferred, work = std::move(work), finish = std::move(finish)]() mutable {
    auto result = std::make_shared<Result<T>>(Answer<T>(work));
    work = nullptr;
    channel->TaskEnds();
    channel->Post([channel, deferred, result, finish = std::move(finish)](Napi::Env env) {
      channel->End();
      if (!result->ok()) {
        deferred->Reject(ToError(env, result->status()).Value());
        return;
      }
      try {
        deferred->Resolve(finish(env, result->value()));
      } catch (const Napi::Error& error) {
        deferred->Reject(error.Value());
      }
    });
  });
  return deferred->Promise();
}

Napi::Promise RunAsync(Napi::Env env, ThreadPool& pool, std::function<Status()> work);

// The same for work that uses memory of a kept value; the value is handed to `finish` and let go, also
// where the work fails.
template <typename T>
Napi::Promise RunAsyncAndRelease(Napi::Env env, ThreadPool& pool, uint64_t kept, std::function<Result<T>()> work,
                                 std::function<Napi::Value(Napi::Env, T&, Napi::Object)> finish) {
  using Outcome = Result<T>;
  return RunAsync<Outcome>(
      env, pool, [work = std::move(work)]() -> Result<Outcome> { return Result<Outcome>(Answer<T>(work)); },
      [kept, finish = std::move(finish)](Napi::Env env, Outcome& outcome) -> Napi::Value {
        Napi::Object value = AddonState::Of(env).kept.Take(kept);
        if (!outcome.ok()) throw ToError(env, outcome.status());
        return finish(env, outcome.value(), value);
      });
}

}  // namespace mykafka

#endif  // MYKAFKA_BINDING_ADDON_STATE_H_
