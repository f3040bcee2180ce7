#include "core/thread_pool.h"

#include <pthread.h>
#include <signal.h>

#include <thread>
#include <utility>

namespace mykafka {

void ThreadPool::Submit(std::function<void()> task) {
  std::lock_guard<std::mutex> lock(mutex_);
  tasks_.push_back(std::move(task));
  if (idle_ >= tasks_.size() || threads_ == max_threads_) {
    wake_.notify_one();
    return;
  }
  ++threads_;
  std::thread([this] { Work(); }).detach();
}

void ThreadPool::Work() {
  // Signals are the host's own business: none is delivered on a thread of ours.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
#ifdef __linux__
  pthread_setname_np(pthread_self(), name_);
#endif
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
  static auto* pool = new ThreadPool("mykafka-read", 4);
  return *pool;
}

ThreadPool& ThreadPool::Writes() {
  static auto* pool = new ThreadPool("mykafka-write", 4);
  return *pool;
}

}  // namespace mykafka
