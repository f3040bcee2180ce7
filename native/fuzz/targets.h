// Every fuzz target there is. `--target=NAME` tells the binary which one to run.
#ifndef MYKAFKA_FUZZ_TARGETS_H_
#define MYKAFKA_FUZZ_TARGETS_H_

#include "fuzz/input.h"

namespace mykafka::fuzz {

struct Target {
  const char* name;
  void (*run)(Input input);
};

void FuzzRecord(Input input);
void FuzzBatch(Input input);
void FuzzBatchFilter(Input input);
void FuzzOffsetIndex(Input input);
void FuzzTimeIndex(Input input);
void FuzzScan(Input input);
void FuzzResync(Input input);
void FuzzRecovery(Input input);
void FuzzVerify(Input input);
void FuzzLookup(Input input);
void FuzzTimes(Input input);
void FuzzClean(Input input);
void FuzzAppend(Input input);

constexpr Target kTargets[] = {
    {"record", FuzzRecord},             // record.h: packed, stored
    {"batch", FuzzBatch},               // record_batch.h, record_reader.h
    {"batch-filter", FuzzBatchFilter},  // batch_filter.h
    {"offset-index", FuzzOffsetIndex},  // offset_index.h, mapped_index.h, index_slots.h
    {"time-index", FuzzTimeIndex},      // time_index.h
    {"scan", FuzzScan},                 // entry_scanner.h, header_walk.h, range_crc.h
    {"resync", FuzzResync},             // resync.h
    {"recovery", FuzzRecovery},         // segment_recovery.h
    {"verify", FuzzVerify},             // log_check.h, segment_walk.h
    {"lookup", FuzzLookup},             // segment_lookup.cc, segment_verify.cc, segment_search.cc
    {"times", FuzzTimes},               // segment_times.cc
    {"clean", FuzzClean},               // clean_reader.h, clean_run.h, cleaner.h, clean_writer.h
    {"append", FuzzAppend},             // append_layout.h
};

}  // namespace mykafka::fuzz

#endif  // MYKAFKA_FUZZ_TARGETS_H_
