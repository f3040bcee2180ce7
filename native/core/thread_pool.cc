#include "core/thread_pool.h"

#include <pthread.h>
#include <signal.h>

#include <utility>

namespace mykafka {

void ThreadPool::Submit(std::function<void()> task) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const bool served = idle_ > tasks_.size() || threads_ == max_threads_ || StartThread() || threads_ > 0;
    if (served) {
      tasks_.push_back(std::move(task));
      wake_.notify_one();
      return;
    }
  }
  task();  // not one thread can be had: late is better than never
}

// With mutex_. The thread is born with all signals blocked: none of the host's is ever delivered on it.
bool ThreadPool::StartThread() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const int error = pthread_create(
      &thread, nullptr,
      [](void* pool) -> void* {
        static_cast<ThreadPool*>(pool)->Work();
        return nullptr;
      },
      this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) return false;
#ifdef __linux__
  pthread_setname_np(thread, name_);
#endif
  pthread_detach(thread);
  ++threads_;
  return true;
}

void ThreadPool::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    ++idle_;
    wake_.wait(lock, [this] { return !tasks_.empty(); });
    --idle_;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    task = nullptr;  // what it held goes before the next wait
    lock.lock();
  }
}

ThreadPool& ThreadPool::Sync() {
  static auto* pool = new ThreadPool("mykafka-sync", 4);
  return *pool;
}

ThreadPool& ThreadPool::Reads() {
  static auto* pool = new ThreadPool("mykafka-read", 8);
  return *pool;
}

ThreadPool& ThreadPool::Writes() {
  static auto* pool = new ThreadPool("mykafka-write", 4);
  return *pool;
}

ThreadPool& ThreadPool::Cleaning() {
  static auto* pool = new ThreadPool("mykafka-clean", 4);
  return *pool;
}

}  // namespace mykafka
