#ifndef MYKAFKA_TEST_BYTE_VECTOR_H_
#define MYKAFKA_TEST_BYTE_VECTOR_H_

#include <cstdint>
#include <vector>

namespace mykafka::testing {

using Bytes = std::vector<uint8_t>;

}  // namespace mykafka::testing

#endif  // MYKAFKA_TEST_BYTE_VECTOR_H_
