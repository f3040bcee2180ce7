// What the bare producers share. Include it behind _GNU_SOURCE.
#ifndef MYKAFKA_BENCH_WRITER_H_
#define MYKAFKA_BENCH_WRITER_H_

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static uint8_t* read_file(const char* path, size_t* length) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) fail(path);
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  uint8_t* bytes = malloc(*length);
  if (fread(bytes, 1, *length, file) != *length) fail(path);
  fclose(file);
  return bytes;
}

#endif  // MYKAFKA_BENCH_WRITER_H_
