// The peer of the append benchmark: writes batches one behind the other with one pwritev each, and nothing
// else. Prints the nanoseconds of all of them.
//   raw-append FILE PARTS PART_BYTES BATCHES
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const int parts = atoi(argv[2]);
  const size_t part_bytes = (size_t)atol(argv[3]);
  const long batches = atol(argv[4]);
  const size_t bytes = (size_t)parts * part_bytes;
  char* data = malloc(bytes);
  struct iovec* vectors = calloc((size_t)parts, sizeof *vectors);
  const int fd = open(argv[1], O_RDWR | O_CREAT | O_EXCL, 0644);
  if (data == NULL || vectors == NULL || fd < 0) return 1;
  memset(data, 'x', bytes);
  for (int i = 0; i < parts; ++i) {
    vectors[i].iov_base = data + (size_t)i * part_bytes;
    vectors[i].iov_len = part_bytes;
  }
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (long n = 0; n < batches; ++n) {
    if (pwritev(fd, vectors, parts, (off_t)n * (off_t)bytes) != (ssize_t)bytes) return 1;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%lld\n", (end.tv_sec - begin.tv_sec) * 1000000000LL + (end.tv_nsec - begin.tv_nsec));
  return 0;
}
