// What the simulation finds out.
#ifndef MYKAFKA_SIM_PROMISE_H_
#define MYKAFKA_SIM_PROMISE_H_

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace mykafka::sim {

// A promise was broken.
class Broken : public std::runtime_error {
 public:
  explicit Broken(const std::string& what, int64_t lost = 0) : std::runtime_error(what), lost_(lost) {}
  // So many acknowledged records were gone; 0: something else is wrong.
  int64_t lost() const { return lost_; }

 private:
  int64_t lost_;
};

template <typename... Parts>
void Require(bool holds, const Parts&... parts) {
  if (holds) return;
  std::string what;
  const auto add = [&](const auto& part) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(part)>>) {
      what += std::to_string(part);
    } else {
      what += part;
    }
  };
  (add(parts), ...);
  throw Broken(what);
}

// In records.
struct Tally {
  int64_t rounds = 0;
  int64_t synced = 0;   // a sync that was asked for them came back
  int64_t written = 0;  // an append came back
  int64_t synced_lost = 0;
  int64_t written_lost = 0;  // to power losses
  int64_t killed_lost = 0;   // written ones, to deaths of the process alone
  int64_t wrong = 0;
  int64_t crashes = 0;
  int64_t failures = 0;  // operations that were made to fail
};

}  // namespace mykafka::sim

#endif  // MYKAFKA_SIM_PROMISE_H_
