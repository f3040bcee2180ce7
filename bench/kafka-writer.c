// The barest producer of Kafka's wire: sends the frame of a file again and again, with so many of them under way, and
// reads the answers no further than their error code. Ends when so many are answered or the time is over, and prints
// all answered requests, those behind the warm-up, and the seconds that these took.
//   kafka-writer PORT FRAME_FILE IN_FLIGHT REQUESTS WARMUP_MS MEASURE_MS
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "writer.h"

enum { kTopicLengthAt = 12, kErrorBehindTopic = 22, kAnswerBytes = 64 << 10 };

static void send_all(int fd, const uint8_t* from, size_t length) {
  while (length > 0) {
    const ssize_t sent = send(fd, from, length, MSG_NOSIGNAL);
    if (sent <= 0) fail("send");
    from += sent;
    length -= (size_t)sent;
  }
}

static int read_int16(const uint8_t* at) {
  return (int16_t)(at[0] << 8 | at[1]);
}

static uint32_t read_uint32(const uint8_t* at) {
  uint32_t value;
  memcpy(&value, at, sizeof value);
  return ntohl(value);
}

// Takes whole answers out of what came. Returns how many.
static size_t take(uint8_t* buffer, size_t* filled) {
  size_t at = 0, answers = 0;
  while (*filled - at >= 4) {
    const size_t length = 4 + read_uint32(buffer + at);
    if (*filled - at < length) break;
    const int topic = read_int16(buffer + at + kTopicLengthAt);
    const int error = read_int16(buffer + at + kErrorBehindTopic + topic);
    if (error != 0) {
      fprintf(stderr, "error %d\n", error);
      exit(1);
    }
    at += length;
    ++answers;
  }
  memmove(buffer, buffer + at, *filled - at);
  *filled -= at;
  return answers;
}

int main(int argc, char** argv) {
  if (argc != 7) return 2;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1]))};
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  size_t length;
  const uint8_t* frame = read_file(argv[2], &length);
  const size_t in_flight = (size_t)atol(argv[3]);
  const size_t requests = (size_t)atol(argv[4]);
  const double warmup = atof(argv[5]) / 1e3, measure = atof(argv[6]) / 1e3;

  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(fd, (struct sockaddr*)&address, sizeof address) != 0) fail("connect");
  const int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);

  static uint8_t buffer[kAnswerBytes];
  size_t filled = 0, sent = 0, answered = 0, before = 0;
  const double begin = now();
  double counted_from = begin, at = begin;
  int counting = warmup == 0;
  while (answered < sent || sent == 0 || (sent < requests && at < begin + warmup + measure)) {
    while (sent < requests && sent - answered < in_flight && at < begin + warmup + measure) {
      send_all(fd, frame, length);
      ++sent;
    }
    const ssize_t got = recv(fd, buffer + filled, sizeof buffer - filled, 0);
    if (got <= 0) fail("recv");
    filled += (size_t)got;
    answered += take(buffer, &filled);
    at = now();
    if (!counting && at >= begin + warmup) {
      counting = 1;
      counted_from = at;
      before = answered;
    }
  }
  printf("{\"total\":%zu,\"counted\":%zu,\"seconds\":%f}\n", answered, answered - before, at - counted_from);
  return 0;
}
