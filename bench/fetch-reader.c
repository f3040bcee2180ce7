// The reader of the fetch benchmark: reads as cheaply as a process can that takes every byte. Each connection asks for
// one range at a time and wakes for whole answers, or for as much as its buffer holds. Prints the seconds, the bytes
// and the latencies' median and 99th percentile in milliseconds.
//   fetch-reader PORT CONNECTIONS TOPIC BYTES RECORDS_PER_RANGE RANGES MILLISECONDS
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { kHeadBytes = 10, kBufferBytes = 256 << 10, kMaxLatencies = 1 << 22, kMaxEvents = 64 };

struct connection {
  int fd;
  size_t missing;
  int64_t sent_at;
  uint64_t next;
};

static char buffer[kBufferBytes];
static double* latencies;
static size_t answers;

static const char* topic;
static uint32_t bytes;
static uint64_t per_range, ranges;

static int64_t now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * INT64_C(1000000000) + at.tv_nsec;
}

static void fail(const char* what) {
  perror(what);
  exit(1);
}

// An answer that is not all there yet is no reason to wake.
static void wake_at(const struct connection* at) {
  int enough = at->missing < kBufferBytes ? (int)at->missing : kBufferBytes;
  if (setsockopt(at->fd, SOL_SOCKET, SO_RCVLOWAT, &enough, sizeof enough) != 0) fail("SO_RCVLOWAT");
}

static void ask(struct connection* at) {
  uint8_t frame[300];
  const size_t name = strlen(topic);
  const uint64_t offset = (at->next++ % ranges) * per_range;
  const uint32_t length = htonl((uint32_t)(name + 19));
  const uint16_t topic_length = htons((uint16_t)name);
  const uint64_t wire_offset = htobe64(offset);
  const uint32_t partition = 0, max_bytes = htonl(bytes);
  uint8_t* to = frame;
  to = mempcpy(to, &length, 4);
  *to++ = 1;
  to = mempcpy(to, &topic_length, 2);
  to = mempcpy(to, topic, name);
  to = mempcpy(to, &partition, 4);
  to = mempcpy(to, &wire_offset, 8);
  to = mempcpy(to, &max_bytes, 4);
  at->missing = kHeadBytes + (size_t)bytes;
  wake_at(at);
  at->sent_at = now();
  if (send(at->fd, frame, (size_t)(to - frame), MSG_NOSIGNAL) != to - frame) fail("send");
}

// Returns whether the answer is complete.
static int take(struct connection* at) {
  while (at->missing > 0) {
    const ssize_t got = recv(at->fd, buffer, at->missing < kBufferBytes ? at->missing : kBufferBytes, MSG_DONTWAIT);
    if (got < 0 && errno == EAGAIN) {
      if (at->missing < kBufferBytes) wake_at(at);
      return 0;
    }
    if (got <= 0) fail("recv");
    at->missing -= (size_t)got;
  }
  if (answers < kMaxLatencies) latencies[answers] = (double)(now() - at->sent_at) / 1e6;
  ++answers;
  return 1;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

int main(int argc, char** argv) {
  if (argc != 8) return 2;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1]))};
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  const int count = atoi(argv[2]);
  topic = argv[3];
  bytes = (uint32_t)atol(argv[4]);
  per_range = (uint64_t)atol(argv[5]);
  ranges = (uint64_t)atol(argv[6]);
  latencies = malloc(kMaxLatencies * sizeof *latencies);
  struct connection* connections = calloc((size_t)count, sizeof *connections);
  const int epoll = epoll_create1(0);
  const int one = 1;
  for (int i = 0; i < count; ++i) {
    struct connection* at = &connections[i];
    at->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(at->fd, (struct sockaddr*)&address, sizeof address) != 0) fail("connect");
    setsockopt(at->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    // The connections begin in different places, as consumers do.
    at->next = (uint64_t)i * ranges / (uint64_t)count;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = at};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, at->fd, &event) != 0) fail("epoll_ctl");
  }
  const int64_t begin = now();
  const int64_t end = begin + atol(argv[7]) * INT64_C(1000000);
  for (int i = 0; i < count; ++i) ask(&connections[i]);
  for (int open = count; open > 0;) {
    struct epoll_event events[kMaxEvents];
    const int ready = epoll_wait(epoll, events, kMaxEvents, -1);
    for (int i = 0; i < ready; ++i) {
      struct connection* at = events[i].data.ptr;
      if (!take(at)) continue;
      if (now() < end) {
        ask(at);
      } else {
        close(at->fd);
        --open;
      }
    }
  }
  const double seconds = (double)(now() - begin) / 1e9;
  const size_t kept = answers < kMaxLatencies ? answers : kMaxLatencies;
  qsort(latencies, kept, sizeof *latencies, by_value);
  printf("{\"seconds\":%f,\"bytes\":%llu,\"p50\":%f,\"p99\":%f}\n", seconds, (unsigned long long)answers * bytes,
         latencies[kept / 2], latencies[kept * 99 / 100]);
  return 0;
}
