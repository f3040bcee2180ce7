/* Preloaded into a broker: what the system has goes short, as a file says that the test maps too (faults.ts). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { CLOCK_SHIFT_MS, SYNCS_HELD, MAPPING_ERRNO, LARGEST_ALLOCATION, WRITE_ERRNO, SLOTS };

static int64_t *controls;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("MYKAFKA_FAULTS");
  int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return;
  long at = syscall(SYS_mmap, NULL, SLOTS * sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
  if (at > 0) controls = (int64_t *)at;
  close(fd);
}

static int64_t control(int slot) {
  return controls == NULL ? 0 : __atomic_load_n(&controls[slot], __ATOMIC_RELAXED);
}

/* The clock that may be set. */

int clock_gettime(clockid_t id, struct timespec *now) {
  int failed = (int)syscall(SYS_clock_gettime, id, now);
  if (failed == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) now->tv_sec += control(CLOCK_SHIFT_MS) / 1000;
  return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec precise;
  if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *into) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (into != NULL) *into = now.tv_sec;
  return now.tv_sec;
}

/* A disk that is slow, or refuses what is written. */

static void wait_while_held(void) {
  const struct timespec moment = {0, 5000000};
  while (control(SYNCS_HELD) != 0) nanosleep(&moment, NULL);
}

int fdatasync(int fd) {
  wait_while_held();
  return (int)syscall(SYS_fdatasync, fd);
}

int fsync(int fd) {
  wait_while_held();
  return (int)syscall(SYS_fsync, fd);
}

static int refused(void) {
  int64_t why = control(WRITE_ERRNO);
  if (why != 0) errno = (int)why;
  return why != 0;
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t position) {
  return refused() ? -1 : syscall(SYS_pwritev, fd, parts, count, position, 0);
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t position) {
  return pwritev(fd, parts, count, position);
}

/* Mappings of files: those of indexes, not those of the allocator. */

void *mmap(void *at, size_t length, int protection, int flags, int fd, off_t position) {
  int64_t why = control(MAPPING_ERRNO);
  if (why != 0 && fd >= 0 && (flags & MAP_SHARED) != 0) {
    errno = (int)why;
    return MAP_FAILED;
  }
  return (void *)syscall(SYS_mmap, at, length, protection, flags, fd, position);
}

void *mmap64(void *at, size_t length, int protection, int flags, int fd, off64_t position) {
  return mmap(at, length, protection, flags, fd, position);
}

/* Memory, of which large pieces are the first to lack. */

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

static int too_large(size_t bytes) {
  int64_t largest = control(LARGEST_ALLOCATION);
  if (largest == 0 || bytes <= (size_t)largest) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t bytes) {
  return too_large(bytes) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
  return too_large(count * bytes) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes) {
  return too_large(bytes) ? NULL : __libc_realloc(old, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
  return too_large(bytes) ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **into, size_t alignment, size_t bytes) {
  if (too_large(bytes)) return ENOMEM;
  *into = __libc_memalign(alignment, bytes);
  return *into == NULL ? ENOMEM : 0;
}
