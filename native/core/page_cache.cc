#include "core/page_cache.h"

#include <algorithm>
#include <memory>
#include <optional>

#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#endif

namespace mykafka {
namespace {

constexpr size_t kProbeStride = 128u << 10;
constexpr size_t kReadStep = 128u << 10;

#ifdef __linux__
// The numbers and layouts of linux/mman.h of 6.5, which older headers do not have.
constexpr long kCachestatCall = 451;
struct CachestatRange {
  uint64_t offset;
  uint64_t length;
};
struct Cachestat {
  uint64_t cached;
  uint64_t dirty;
  uint64_t writeback;
  uint64_t evicted;
  uint64_t recently_evicted;
};

// Nothing where the system cannot say.
std::optional<bool> AllPagesPresent(int fd, int64_t position, size_t length) {
  static std::atomic<bool> available{true};
  if (!available.load(std::memory_order_relaxed)) return std::nullopt;
  static const int64_t page_size = sysconf(_SC_PAGESIZE);
  CachestatRange range{static_cast<uint64_t>(position), length};
  Cachestat found{};
  if (syscall(kCachestatCall, fd, &range, &found, 0) != 0) {
    if (errno == ENOSYS) available.store(false, std::memory_order_relaxed);
    return std::nullopt;
  }
  int64_t first = position / page_size;
  int64_t last = (position + static_cast<int64_t>(length) - 1) / page_size;
  return found.cached >= static_cast<uint64_t>(last - first + 1);
}
#else
std::optional<bool> AllPagesPresent(int, int64_t, size_t) {
  return std::nullopt;
}
#endif

bool ByteReadable(File& file, int64_t position) {
  uint8_t byte;
  Result<size_t> read = file.Read(&byte, 1, position, Wait::kNever);
  return read.ok() && *read == 1;
}

}  // namespace

bool InPageCache(File& file, int64_t position, size_t length) {
  if (length == 0) return true;
  // The last byte first: a page that is being read ahead is present, but not readable yet.
  int64_t last = position + static_cast<int64_t>(length) - 1;
  if (!ByteReadable(file, last)) return false;
  if (length > kProbeStride) {
    std::optional<bool> present = AllPagesPresent(file.fd(), position, length);
    if (present.has_value()) return *present && ByteReadable(file, position);
  }
  for (int64_t at = position; at < last; at += kProbeStride) {
    if (!ByteReadable(file, at)) return false;
  }
  return true;
}

Status WarmPageCache(File& file, int64_t position, size_t length) {
  size_t step = std::min(length, kReadStep);
  std::unique_ptr<uint8_t[]> scratch(new uint8_t[step]);
  while (length > 0) {
    step = std::min(length, kReadStep);
    MYKAFKA_RETURN_IF_ERROR(ReadFully(file, scratch.get(), step, position, Wait::kAllowed));
    position += static_cast<int64_t>(step);
    length -= step;
  }
  return Status::Ok();
}

}  // namespace mykafka
