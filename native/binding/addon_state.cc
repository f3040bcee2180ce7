#include "binding/addon_state.h"

#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "binding/error_codes.h"

namespace mykafka {

namespace {

// A thread-safe function wakes the loop; the completions themselves wait in a list of our own, so that
// a burst costs one wake.
class LoopChannel final : public CompletionChannel, public std::enable_shared_from_this<LoopChannel> {
 public:
  explicit LoopChannel(Napi::Env env) : env_(env) {
    Napi::Function none = Napi::Function::New(env, [](const Napi::CallbackInfo&) {});
    wake_ = Napi::ThreadSafeFunction::New(env, none, "mykafka", 0, 1);
    wake_.Unref(env);
  }

  void Post(Completion completion) override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return;
    completions_.push_back(std::move(completion));
    if (completions_.size() > 1) return;
    wake_.NonBlockingCall([self = shared_from_this()](Napi::Env env, Napi::Function) { self->Run(env); });
  }

  void Begin() override {
    if (pending_++ == 0 && !closed_) wake_.Ref(env_);
  }

  void End() override {
    if (--pending_ == 0 && !closed_) wake_.Unref(env_);
  }

  void TaskStarts() override {
    std::lock_guard<std::mutex> lock(mutex_);
    ++running_;
  }

  void TaskEnds() override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (--running_ == 0) idle_.notify_all();
  }

  void Close() {
    std::vector<Completion> dropped;
    std::unique_lock<std::mutex> lock(mutex_);
    idle_.wait(lock, [this] { return running_ == 0; });
    closed_ = true;
    dropped.swap(completions_);
    wake_.Abort();
  }

 private:
  void Run(Napi::Env env) {
    std::vector<Completion> ready;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ready.swap(completions_);
    }
    for (Completion& completion : ready) {
      Napi::HandleScope scope(env);
      completion(env);
    }
  }

  Napi::Env env_;
  Napi::ThreadSafeFunction wake_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::vector<Completion> completions_;
  size_t running_ = 0;
  size_t pending_ = 0;
  bool closed_ = false;
};

}  // namespace

AddonState::AddonState(Napi::Env env) {
  auto loop = std::make_shared<LoopChannel>(env);
  channel = loop;
  env.AddCleanupHook([loop] { loop->Close(); });
}

AddonState::~AddonState() = default;

Napi::Error ToError(Napi::Env env, const Status& status) {
  AddonState& state = AddonState::Of(env);
  const char* code = JsCode(status.code());
  if (state.make_error.IsEmpty()) {
    Napi::Error error = Napi::Error::New(env, status.message());
    error.Set("code", Napi::String::New(env, code));
    return error;
  }
  Napi::Value errno_name = env.Undefined();
  if (status.sys_errno() != 0) errno_name = Napi::String::New(env, ErrnoName(status.sys_errno()));
  Napi::Value made =
      state.make_error.Call({Napi::String::New(env, code), Napi::String::New(env, status.message()), errno_name});
  return Napi::Error(env, made);
}

Napi::Promise RunAsync(Napi::Env env, ThreadPool& pool, std::function<Status()> work) {
  return RunAsync<bool>(
      env, pool,
      [work = std::move(work)]() -> Result<bool> {
        Status status = work();
        if (!status.ok()) return status;
        return true;
      },
      [](Napi::Env env, bool&) -> Napi::Value { return env.Undefined(); });
}

}  // namespace mykafka
