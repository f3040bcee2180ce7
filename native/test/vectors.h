// Just enough reading of the JSON in test/vectors: values by name, in the order of the file.
#ifndef MYKAFKA_TEST_VECTORS_H_
#define MYKAFKA_TEST_VECTORS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "test/temporary_directory.h"

namespace mykafka::testing {

class VectorFile {
 public:
  explicit VectorFile(const std::string& name) {
    const Bytes bytes = ReadFile(std::string(MYKAFKA_VECTORS_DIR) + "/" + name);
    text_.assign(bytes.begin(), bytes.end());
  }

  // Moves behind the next value of this name; false where there is none.
  bool Next(const std::string& name) {
    const std::string quoted = "\"" + name + "\":";
    const size_t found = text_.find(quoted, at_);
    if (found == std::string::npos) return false;
    size_t begin = text_.find_first_not_of(" \n", found + quoted.size());
    if (text_[begin] == '"') {
      const size_t end = text_.find('"', begin + 1);
      value_ = text_.substr(begin + 1, end - begin - 1);
      at_ = end + 1;
    } else {
      const size_t end = text_.find_first_of(",\n}]", begin);
      value_ = text_.substr(begin, end - begin);
      if (value_ == "null") value_.reset();
      at_ = end;
    }
    return true;
  }
  const std::optional<std::string>& Value() const { return value_; }
  std::optional<std::string> Text(const std::string& name) {
    EXPECT_TRUE(Next(name)) << name;
    return value_;
  }
  int64_t Number(const std::string& name) { return std::stoll(*Text(name)); }
  std::optional<Bytes> Hex(const std::string& name) {
    const std::optional<std::string> digits = Text(name);
    if (!digits) return std::nullopt;
    Bytes bytes;
    for (size_t i = 0; i + 1 < digits->size(); i += 2) {
      bytes.push_back(static_cast<uint8_t>(std::stoi(digits->substr(i, 2), nullptr, 16)));
    }
    return bytes;
  }

 private:
  std::string text_;
  size_t at_ = 0;
  std::optional<std::string> value_;
};

inline std::optional<std::string> ToText(const std::optional<Bytes>& bytes) {
  if (!bytes) return std::nullopt;
  return std::string(bytes->begin(), bytes->end());
}

}  // namespace mykafka::testing

#endif  // MYKAFKA_TEST_VECTORS_H_
