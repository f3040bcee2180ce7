// The batches of test/vectors/kafka-batches.json: made by the Java client and kafka-python, none of ours.
#ifndef MYKAFKA_TEST_BATCH_VECTORS_H_
#define MYKAFKA_TEST_BATCH_VECTORS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "test/log_model.h"
#include "test/vectors.h"

namespace mykafka::testing {

struct BatchVector {
  std::string name;
  int64_t count;
  int64_t last_offset_delta;
  int64_t attributes;
  int64_t base_timestamp;
  int64_t max_timestamp;
  int64_t producer_id;
  int64_t producer_epoch;
  int64_t base_sequence;
  Bytes sent;
  int64_t offset;
  int64_t append_time;  // -1: the client's times stay
  Bytes stored;         // what a broker makes of `sent` at this offset
};

inline std::vector<BatchVector> BatchVectors() {
  VectorFile file("kafka-batches.json");
  std::vector<BatchVector> vectors;
  while (file.Next("name")) {
    BatchVector vector;
    vector.name = *file.Value();
    vector.count = file.Number("count");
    vector.last_offset_delta = file.Number("lastOffsetDelta");
    vector.attributes = file.Number("attributes");
    vector.base_timestamp = file.Number("baseTimestamp");
    vector.max_timestamp = file.Number("maxTimestamp");
    vector.producer_id = file.Number("producerId");
    vector.producer_epoch = file.Number("producerEpoch");
    vector.base_sequence = file.Number("baseSequence");
    vector.sent = *file.Hex("sent");
    vector.offset = file.Number("offset");
    vector.append_time = file.Number("appendTime");
    vector.stored = *file.Hex("stored");
    vectors.push_back(vector);
  }
  return vectors;
}

inline BatchVector BatchVectorNamed(const std::string& name) {
  for (BatchVector& vector : BatchVectors()) {
    if (vector.name == name) return vector;
  }
  ADD_FAILURE() << "no vector " << name;
  return {};
}

inline void SetBig(Bytes* bytes, size_t at, uint64_t value, int width) {
  for (int i = 0; i < width; ++i)
    (*bytes)[at + static_cast<size_t>(i)] = static_cast<uint8_t>(value >> (8 * (width - 1 - i)));
}

// Makes the CRC of a batch right again behind a change.
inline void SetBatchCrc(Bytes* batch) {
  SetBig(batch, 17, ModelCrc(batch->data() + 21, batch->size() - 21, 0x82F63B78u), 4);
}

}  // namespace mykafka::testing

#endif  // MYKAFKA_TEST_BATCH_VECTORS_H_
