// The reader of the fetch benchmark: reads as cheaply as a process can that takes every byte. Each connection asks for
// one range at a time and wakes for whole answers, or for as much as its buffer holds. Prints the seconds, the bytes
// and the latencies' median and 99th percentile in milliseconds. With `kafka` it asks by Kafka's Fetch: the ranges are
// of whole batches then.
//   fetch-reader PORT CONNECTIONS TOPIC BYTES RECORDS_PER_RANGE RANGES MILLISECONDS mykafka|kafka
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
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

enum { kMyKafkaHead = 10, kKafkaHead = 70, kBufferBytes = 256 << 10, kMaxLatencies = 1 << 22, kMaxEvents = 64 };

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
static int kafka;
// Of an answer, all in all. The topic's name is in the head of Kafka's.
static size_t answer_bytes;

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

static uint8_t* put16(uint8_t* to, uint16_t value) {
  value = htobe16(value);
  return mempcpy(to, &value, sizeof value);
}

static uint8_t* put32(uint8_t* to, uint32_t value) {
  value = htobe32(value);
  return mempcpy(to, &value, sizeof value);
}

static uint8_t* put64(uint8_t* to, uint64_t value) {
  value = htobe64(value);
  return mempcpy(to, &value, sizeof value);
}

static uint8_t* put_topic(uint8_t* to) {
  const size_t length = strlen(topic);
  return mempcpy(put16(to, (uint16_t)length), topic, length);
}

static uint8_t* put_fetch(uint8_t* to, uint64_t offset) {
  *to++ = 1;
  to = put_topic(to);
  to = put32(to, 0);
  to = put64(to, offset);
  return put32(to, bytes);
}

// Version 11, without a session.
static uint8_t* put_kafka_fetch(uint8_t* to, uint64_t offset) {
  enum { kApiKey = 1, kVersion = 11, kMaxWaitMs = 500, kMinBytes = 1 };
  const uint32_t none = UINT32_MAX, partition = 0, one = 1;
  to = put16(put16(to, kApiKey), kVersion);
  to = put32(to, 0);           // correlation id
  to = put16(to, UINT16_MAX);  // client id: null
  to = put32(to, none);        // replica id
  to = put32(put32(put32(to, kMaxWaitMs), kMinBytes), bytes);
  *to++ = 0;                       // isolation level
  to = put32(put32(to, 0), none);  // session id, session epoch
  to = put_topic(put32(to, one));  // topics
  to = put32(put32(to, one), partition);
  to = put32(to, none);  // current leader epoch
  to = put64(put64(to, offset), UINT64_MAX);
  to = put32(to, bytes);
  to = put32(to, 0);    // forgotten topics
  return put16(to, 0);  // rack id
}

static void ask(struct connection* at) {
  uint8_t frame[400];
  const uint64_t offset = (at->next++ % ranges) * per_range;
  uint8_t* end = kafka ? put_kafka_fetch(frame + 4, offset) : put_fetch(frame + 4, offset);
  put32(frame, (uint32_t)(end - frame - 4));
  at->missing = answer_bytes;
  wake_at(at);
  at->sent_at = now();
  if (send(at->fd, frame, (size_t)(end - frame), MSG_NOSIGNAL) != end - frame) fail("send");
}

static void check_length(const char* answer) {
  uint32_t length;
  memcpy(&length, answer, sizeof length);
  if (be32toh(length) + 4 == answer_bytes) return;
  fprintf(stderr, "an answer of %u bytes, not %zu\n", be32toh(length) + 4, answer_bytes);
  exit(1);
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
    if (at->missing == answer_bytes && got >= 4) check_length(buffer);
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
  if (argc != 9) return 2;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1]))};
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  const int count = atoi(argv[2]);
  topic = argv[3];
  bytes = (uint32_t)atol(argv[4]);
  per_range = (uint64_t)atol(argv[5]);
  ranges = (uint64_t)atol(argv[6]);
  kafka = strcmp(argv[8], "kafka") == 0;
  answer_bytes = (kafka ? kKafkaHead + strlen(topic) : kMyKafkaHead) + bytes;
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
