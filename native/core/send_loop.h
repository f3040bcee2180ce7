// The one thread of the process that waits for sockets to take more, and for peers that do not.
// Never destroyed; all signals are blocked on it. Linux only.
#ifndef MYKAFKA_CORE_SEND_LOOP_H_
#define MYKAFKA_CORE_SEND_LOOP_H_

#ifdef __linux__

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "core/status.h"

namespace mykafka {

class SendLoop {
 public:
  static constexpr int64_t kNoDeadline = std::numeric_limits<int64_t>::max();

  // What the thread calls, with no lock of the loop held: a client may call the loop from there.
  class Client {
   public:
    virtual ~Client() = default;
    // The socket takes more, or is broken. The client is disarmed until it arms itself again.
    virtual void OnReady() = 0;
    // The deadline given with Arm() is over.
    virtual void OnDeadline() = 0;
  };

  static SendLoop& Shared();
  static int64_t NowMs();  // monotonic

  // Registers a socket, disarmed, and returns the id to use from here on. The fd must be one that
  // nobody else closes: an epoll registration outlives its fd where a dup is open.
  Result<uint64_t> Add(std::weak_ptr<Client> client, int fd);
  // OnReady once when the socket is ready; OnDeadline from deadline_ms on, unless disarmed before.
  void Arm(uint64_t id, int fd, int64_t deadline_ms);
  void SetDeadline(uint64_t id, int64_t deadline_ms);
  void Remove(uint64_t id, int fd);

 private:
  struct Entry {
    std::weak_ptr<Client> client;
    int64_t deadline_ms;
  };

  Status StartLocked();
  void Run();
  std::shared_ptr<Client> Find(uint64_t id);
  int TimeoutMs();
  void CallOverdue();
  void Wake();

  std::mutex mutex_;
  int epoll_ = -1;
  int wake_ = -1;
  uint64_t next_id_ = 1;  // 0 is wake_
  std::unordered_map<uint64_t, Entry> entries_;
  int64_t next_deadline_ms_ = kNoDeadline;  // at or before the earliest of the entries'
};

}  // namespace mykafka

#endif  // __linux__
#endif  // MYKAFKA_CORE_SEND_LOOP_H_
