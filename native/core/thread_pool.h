// Threads for what may wait for the disk. Pools are process-wide and never destroyed: a task keeps
// what it needs alive by itself and may outlive the JavaScript environment that asked for it.
#ifndef MYKAFKA_CORE_THREAD_POOL_H_
#define MYKAFKA_CORE_THREAD_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>

namespace mykafka {

class ThreadPool {
 public:
  // Threads start on demand, up to max_threads, named name in the system's lists.
  ThreadPool(const char* name, size_t max_threads) : name_(name), max_threads_(max_threads) {}

  // Runs the task on a thread of the pool, in the order of submission.
  void Submit(std::function<void()> task);

  // fsync, reads that may be cold (with verification and recovery), large writes and the log cleaner each
  // have their own: one that waits holds up none of another kind.
  static ThreadPool& Sync();
  static ThreadPool& Reads();
  static ThreadPool& Writes();
  static ThreadPool& Cleaning();

 private:
  void Work();
  bool StartThread();

  const char* name_;
  const size_t max_threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  size_t threads_ = 0;
  size_t idle_ = 0;
};

}  // namespace mykafka

#endif  // MYKAFKA_CORE_THREAD_POOL_H_
