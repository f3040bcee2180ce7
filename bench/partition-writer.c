// The barest producer of MyKafka's wire over many partitions: sends the packed records of a file, the same again and
// again, to each partition of each topic in turn, and reads the answers no further than their error code. At most so many
// requests are under way; where PER_SECOND is not 0 each is sent when its time has come, and waits from then on. The first
// requests do not count. Prints the seconds that the others took, and the milliseconds that they waited for their answers.
//   partition-writer PORT RECORDS_FILE RECORD_COUNT TOPIC_PREFIX TOPICS PARTITIONS IN_FLIGHT PER_SECOND UNCOUNTED COUNTED
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include "writer.h"

// [length:4][apiKey:1][errCode:1][partition:4][baseOffset:8][count:4]
enum { kAnswerBytes = 22, kErrorAt = 5, kHeadBytes = 280, kMostInFlight = 256 };

static uint8_t* put32(uint8_t* at, uint32_t value) {
  const uint32_t big = htonl(value);
  memcpy(at, &big, sizeof big);
  return at + sizeof big;
}

// [length:4][apiKey:1][topicLen:2][topic][partition:4][recordCount:4], in front of the records. Returns its length.
static size_t make_head(uint8_t* head, const char* topic, uint32_t partition, uint32_t count, size_t record_bytes) {
  const size_t name = strlen(topic);
  uint8_t* at = put32(head, (uint32_t)(11 + name + record_bytes));
  *at++ = 0;
  *at++ = (uint8_t)(name >> 8);
  *at++ = (uint8_t)name;
  memcpy(at, topic, name);
  at = put32(put32(at + name, partition), count);
  return (size_t)(at - head);
}

static void send_all(int fd, struct iovec* parts, int count) {
  while (count > 0) {
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = (size_t)count};
    const ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    if (sent <= 0) fail("send");
    size_t left = (size_t)sent;
    while (count > 0 && left >= parts->iov_len) {
      left -= parts->iov_len;
      ++parts;
      --count;
    }
    if (count == 0) break;
    parts->iov_base = (uint8_t*)parts->iov_base + left;
    parts->iov_len -= left;
  }
}

static int by_size(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

static double quantile(const double* sorted, size_t count, double part) {
  size_t at = (size_t)(part * (double)count);
  return sorted[at < count ? at : count - 1] * 1e3;
}

int main(int argc, char** argv) {
  if (argc != 11) return 2;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1]))};
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  size_t record_bytes;
  uint8_t* records = read_file(argv[2], &record_bytes);
  const uint32_t record_count = (uint32_t)atol(argv[3]);
  const char* prefix = argv[4];
  const size_t topics = (size_t)atol(argv[5]), partitions = (size_t)atol(argv[6]);
  const size_t in_flight = (size_t)atol(argv[7]);
  const double pause = atof(argv[8]) > 0 ? 1 / atof(argv[8]) : 0;
  const size_t uncounted = (size_t)atol(argv[9]), requests = uncounted + (size_t)atol(argv[10]);
  if (in_flight > kMostInFlight || strlen(prefix) > 200 || requests == uncounted) return 2;

  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(fd, (struct sockaddr*)&address, sizeof address) != 0) fail("connect");
  const int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);

  static uint8_t heads[kMostInFlight][kHeadBytes];
  static struct iovec parts[2 * kMostInFlight];
  static uint8_t answers[kMostInFlight * kAnswerBytes];
  double* took = malloc(requests * sizeof *took);
  const double begin = now();
  double counted_from = begin;
  size_t sent = 0, answered = 0, filled = 0;
  while (answered < requests) {
    int count = 0;
    const double at_send = now();
    while (sent < requests && sent - answered < in_flight && begin + (double)sent * pause <= at_send) {
      const size_t place = sent % (topics * partitions);
      char topic[224];
      snprintf(topic, sizeof topic, "%s-%zu", prefix, place % topics);
      uint8_t* head = heads[sent % in_flight];
      const size_t length = make_head(head, topic, (uint32_t)(place / topics), record_count, record_bytes);
      parts[count++] = (struct iovec){head, length};
      parts[count++] = (struct iovec){records, record_bytes};
      took[sent] = pause > 0 ? begin + (double)sent * pause : at_send;
      ++sent;
    }
    send_all(fd, parts, count);
    const double wait = sent < requests && sent - answered < in_flight ? begin + (double)sent * pause - now() : 1;
    const struct timespec left = {(time_t)(wait > 0 ? wait : 0), (long)((wait > 0 ? wait : 0) * 1e9) % 1000000000};
    struct pollfd readable = {.fd = fd, .events = POLLIN};
    if (pause > 0 && ppoll(&readable, 1, &left, NULL) == 0) continue;
    const ssize_t got = recv(fd, answers + filled, sizeof answers - filled, 0);
    if (got <= 0) fail("recv");
    filled += (size_t)got;
    const double at = now();
    size_t taken = 0;
    for (; filled - taken >= kAnswerBytes; taken += kAnswerBytes, ++answered) {
      if (answers[taken + kErrorAt] != 0) {
        fprintf(stderr, "error %d\n", answers[taken + kErrorAt]);
        return 1;
      }
      took[answered] = at - took[answered];
      if (answered + 1 == uncounted) counted_from = at;
    }
    memmove(answers, answers + taken, filled - taken);
    filled -= taken;
  }
  const double seconds = now() - counted_from;
  const size_t counted = requests - uncounted;
  double* waited = took + uncounted;
  qsort(waited, counted, sizeof *waited, by_size);
  printf("{\"requests\":%zu,\"seconds\":%f,\"p50\":%f,\"p99\":%f,\"p999\":%f,\"max\":%f}\n", counted, seconds,
         quantile(waited, counted, 0.5), quantile(waited, counted, 0.99), quantile(waited, counted, 0.999),
         quantile(waited, counted, 1));
  return 0;
}
