// Keeps one system call on the caller's thread from raising SIGPIPE, where the call has no flag for it
// (sendfile). The host may have SIGPIPE at its default, which kills the process.
#ifndef MYKAFKA_CORE_SIGPIPE_GUARD_H_
#define MYKAFKA_CORE_SIGPIPE_GUARD_H_

#include <pthread.h>
#include <signal.h>
#include <time.h>

namespace mykafka {

class SigpipeGuard {
 public:
  SigpipeGuard() {
    sigemptyset(&sigpipe_);
    sigaddset(&sigpipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &sigpipe_, &before_);
    // Where it was not blocked, none can be pending: it would have been delivered.
    if (sigismember(&before_, SIGPIPE) == 1) {
      sigset_t pending;
      sigpending(&pending);
      was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    }
  }
  SigpipeGuard(const SigpipeGuard&) = delete;
  SigpipeGuard& operator=(const SigpipeGuard&) = delete;
  ~SigpipeGuard() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  // Takes back the signal that the call may have raised.
  void Consume() {
    if (was_pending_) return;
    timespec now{0, 0};
    sigtimedwait(&sigpipe_, nullptr, &now);
  }

 private:
  sigset_t sigpipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

}  // namespace mykafka

#endif  // MYKAFKA_CORE_SIGPIPE_GUARD_H_
