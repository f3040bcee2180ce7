#ifdef __linux__

#include "core/send_loop.h"

#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

namespace mykafka {

SendLoop& SendLoop::Shared() {
  static auto* loop = new SendLoop();
  return *loop;
}

int64_t SendLoop::NowMs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1000000;
}

Result<uint64_t> SendLoop::Add(std::weak_ptr<Client> client, int fd) {
  std::lock_guard<std::mutex> lock(mutex_);
  MYKAFKA_RETURN_IF_ERROR(StartLocked());
  uint64_t id = next_id_++;
  epoll_event event{};
  event.events = EPOLLONESHOT;
  event.data.u64 = id;
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0) return Status::FromErrno("epoll_ctl", errno);
  entries_.emplace(id, Entry{std::move(client), kNoDeadline});
  return id;
}

void SendLoop::Arm(uint64_t id, int fd, int64_t deadline_ms) {
  SetDeadline(id, deadline_ms);
  epoll_event event{};
  event.events = EPOLLOUT | EPOLLONESHOT;
  event.data.u64 = id;
  // Cannot fail for a registered fd.
  epoll_ctl(epoll_, EPOLL_CTL_MOD, fd, &event);
}

void SendLoop::SetDeadline(uint64_t id, int64_t deadline_ms) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = entries_.find(id);
  if (found == entries_.end()) return;
  found->second.deadline_ms = deadline_ms;
  if (deadline_ms < next_deadline_ms_) {
    next_deadline_ms_ = deadline_ms;
    Wake();
  }
}

void SendLoop::Remove(uint64_t id, int fd) {
  std::lock_guard<std::mutex> lock(mutex_);
  entries_.erase(id);
  epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
}

Status SendLoop::StartLocked() {
  if (epoll_ >= 0) return Status::Ok();
  int epoll = epoll_create1(EPOLL_CLOEXEC);
  if (epoll < 0) return Status::FromErrno("epoll_create1", errno);
  int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  epoll_event event{};
  event.events = EPOLLIN;
  int error = wake < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, wake, &event) != 0 ? errno : 0;
  if (error == 0) {
    epoll_ = epoll;
    wake_ = wake;
    // The thread is born with all signals blocked: none of the host's is ever delivered on it.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    error = pthread_create(
        &thread, nullptr,
        [](void* loop) -> void* {
          static_cast<SendLoop*>(loop)->Run();
          return nullptr;
        },
        this);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (error == 0) {
      pthread_setname_np(thread, "mykafka-send");
      pthread_detach(thread);
      return Status::Ok();
    }
  }
  epoll_ = wake_ = -1;
  if (wake >= 0) close(wake);
  close(epoll);
  return Status::FromErrno("cannot start the send loop", error);
}

void SendLoop::Run() {
  epoll_event events[64];
  for (;;) {
    int count = epoll_wait(epoll_, events, 64, TimeoutMs());
    for (int i = 0; i < count; ++i) {
      uint64_t id = events[i].data.u64;
      if (id == 0) {
        uint64_t drained;
        while (read(wake_, &drained, sizeof(drained)) > 0) {
        }
      } else if (std::shared_ptr<Client> client = Find(id)) {
        client->OnReady();
      }
    }
    CallOverdue();
  }
}

std::shared_ptr<SendLoop::Client> SendLoop::Find(uint64_t id) {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : found->second.client.lock();
}

int SendLoop::TimeoutMs() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (next_deadline_ms_ == kNoDeadline) return -1;
  return static_cast<int>(std::clamp<int64_t>(next_deadline_ms_ - NowMs(), 0, 3600 * 1000));
}

void SendLoop::CallOverdue() {
  std::vector<std::shared_ptr<Client>> overdue;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    int64_t now = NowMs();
    if (now < next_deadline_ms_) return;
    // Deadlines mostly move on before they are met, so that this walk is rare: about one per timeout.
    next_deadline_ms_ = kNoDeadline;
    for (auto& [id, entry] : entries_) {
      if (entry.deadline_ms <= now) {
        entry.deadline_ms = kNoDeadline;
        if (auto client = entry.client.lock()) overdue.push_back(std::move(client));
      } else {
        next_deadline_ms_ = std::min(next_deadline_ms_, entry.deadline_ms);
      }
    }
  }
  for (const auto& client : overdue) client->OnDeadline();
}

void SendLoop::Wake() {
  uint64_t one = 1;
  // Fails only where the counter is full: then it wakes anyway.
  [[maybe_unused]] ssize_t written = write(wake_, &one, sizeof(one));
}

}  // namespace mykafka

#endif  // __linux__
