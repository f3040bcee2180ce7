// What a status says, for the account of a round.
#ifndef MYKAFKA_SIM_SAID_H_
#define MYKAFKA_SIM_SAID_H_

#include <string>

#include "core/status.h"

namespace mykafka::sim {

inline std::string Said(const Status& status) {
  return std::string(CodeName(status.code())) + " " + status.message();
}

}  // namespace mykafka::sim

#endif  // MYKAFKA_SIM_SAID_H_
