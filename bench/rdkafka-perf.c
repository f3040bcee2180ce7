// A producer and a consumer with librdkafka, as plain as its users write them. Prints the records behind the warm-up
// and their seconds; of produced ones also the latency, from the call to its delivery report, in milliseconds.
//   rdkafka-perf produce BOOTSTRAP TOPIC WARMUP_MS MEASURE_MS RECORD_BYTES RECORDS_PER_SECOND NAME=VALUE...
//   rdkafka-perf consume BOOTSTRAP TOPIC WARMUP_MS MEASURE_MS RECORDS NAME=VALUE...
#include <librdkafka/rdkafka.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kMaxLatencies = 1 << 22, kPayloads = 1 << 20, kBatch = 1000 };
static const int64_t kSecond = INT64_C(1000000000);

// Written by the thread that takes delivery reports, read when it has ended.
static int64_t counted_from, counted_to;
static int64_t counted, last_at;
static double* latencies;
static volatile int over;

static int64_t now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * kSecond + at.tv_nsec;
}

static void fail(const char* what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void delivered(rd_kafka_t* client, const rd_kafka_message_t* message, void* opaque) {
  (void)client;
  (void)opaque;
  if (over) return;
  if (message->err) fail(rd_kafka_err2str(message->err));
  const int64_t at = now();
  if (at < counted_from || at >= counted_to) return;
  // One in as many as there is room for would do as well; at a fixed rate all of them fit.
  if (counted < kMaxLatencies) latencies[counted] = (double)(at - (int64_t)(intptr_t)message->_private) / 1e6;
  ++counted;
  last_at = at;
}

static void* take_reports(void* client) {
  while (!over) rd_kafka_poll(client, 50);
  return NULL;
}

static rd_kafka_t* open_client(rd_kafka_type_t type, const char* bootstrap, char** properties, int count) {
  char error[512];
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "bootstrap.servers", bootstrap, error, sizeof error);
  for (int i = 0; i < count; ++i) {
    char* equals = strchr(properties[i], '=');
    if (equals == NULL) fail(properties[i]);
    *equals = 0;
    if (rd_kafka_conf_set(conf, properties[i], equals + 1, error, sizeof error) != RD_KAFKA_CONF_OK) fail(error);
  }
  if (type == RD_KAFKA_PRODUCER) rd_kafka_conf_set_dr_msg_cb(conf, delivered);
  rd_kafka_t* client = rd_kafka_new(type, conf, error, sizeof error);
  if (client == NULL) fail(error);
  return client;
}

static void produce(rd_kafka_t* client, const char* topic, size_t bytes, double rate) {
  rd_kafka_topic_t* to = rd_kafka_topic_new(client, topic, NULL);
  latencies = malloc(kMaxLatencies * sizeof *latencies);
  char* payloads = malloc(kPayloads + bytes);
  uint32_t random = 1;
  for (size_t i = 0; i < kPayloads + bytes; ++i) {
    random = random * 1664525 + 1013904223;
    payloads[i] = (char)('A' + (random >> 24) % 26);
  }
  pthread_t reports;
  pthread_create(&reports, NULL, take_reports, client);
  const int64_t begin = now();
  int64_t at = begin;
  for (int64_t sent = 0; at < counted_to;) {
    const int64_t due = begin + (int64_t)((double)sent / rate * 1e9);
    if (rate > 0 && due > at) {
      const struct timespec rest = {.tv_nsec = due - at < kSecond / 10 ? due - at : kSecond / 10};
      nanosleep(&rest, NULL);
      at = now();
      continue;
    }
    // Not copied: the payloads stay.
    char* payload = payloads + (size_t)sent * 61 % kPayloads;
    if (rd_kafka_produce(to, 0, 0, payload, bytes, NULL, 0, (void*)(intptr_t)at) == 0) {
      ++sent;
    } else if (rd_kafka_last_error() == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
      usleep(1000);
    } else {
      fail(rd_kafka_err2str(rd_kafka_last_error()));
    }
    at = now();
  }
  over = 1;
  pthread_join(reports, NULL);
  const int64_t kept = counted < kMaxLatencies ? counted : kMaxLatencies;
  if (kept == 0) fail("nothing was delivered");
  qsort(latencies, (size_t)kept, sizeof *latencies, by_value);
  printf("{\"counted\":%lld,\"seconds\":%f,\"p50\":%f,\"p99\":%f,\"p999\":%f}\n", (long long)counted,
         (double)(last_at - counted_from) / 1e9, latencies[kept / 2], latencies[kept * 99 / 100],
         latencies[kept * 999 / 1000]);
}

static void consume(rd_kafka_t* client, const char* topic, int64_t records) {
  rd_kafka_topic_t* from = rd_kafka_topic_new(client, topic, NULL);
  if (rd_kafka_consume_start(from, 0, RD_KAFKA_OFFSET_BEGINNING) != 0) {
    fail(rd_kafka_err2str(rd_kafka_last_error()));
  }
  static rd_kafka_message_t* batch[kBatch];
  int64_t total = 0, before = 0, at = now();
  int counting = 0;
  while (total < records && at < counted_to) {
    const ssize_t got = rd_kafka_consume_batch(from, 0, 100, batch, kBatch);
    for (ssize_t i = 0; i < got; ++i) {
      if (batch[i]->err && batch[i]->err != RD_KAFKA_RESP_ERR__PARTITION_EOF) fail(rd_kafka_message_errstr(batch[i]));
      if (!batch[i]->err) ++total;
      rd_kafka_message_destroy(batch[i]);
    }
    at = now();
    if (!counting && at >= counted_from) {
      counting = 1;
      counted_from = at;
      before = total;
    }
  }
  if (!counting) fail("all was read within the warm-up");
  printf("{\"total\":%lld,\"counted\":%lld,\"seconds\":%f}\n", (long long)total, (long long)(total - before),
         (double)(at - counted_from) / 1e9);
}

int main(int argc, char** argv) {
  if (argc < 7) return 2;
  const int producing = strcmp(argv[1], "produce") == 0;
  const int fixed = producing ? 8 : 7;
  if (argc < fixed) return 2;
  const rd_kafka_type_t type = producing ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER;
  rd_kafka_t* client = open_client(type, argv[2], argv + fixed, argc - fixed);
  counted_from = now() + atol(argv[4]) * (kSecond / 1000);
  counted_to = counted_from + atol(argv[5]) * (kSecond / 1000);
  if (producing) {
    produce(client, argv[3], (size_t)atol(argv[6]), atof(argv[7]));
  } else {
    consume(client, argv[3], atoll(argv[6]));
  }
  fflush(stdout);
  // What is still queued does not matter: nothing waits for it.
  _exit(0);
}
