// Files in memory (memfd_create), so that a run leaves nothing behind, waits for no disk and can map its indexes. One
// operation may be made to fail.
#ifndef MYKAFKA_FUZZ_MEMORY_FILE_SYSTEM_H_
#define MYKAFKA_FUZZ_MEMORY_FILE_SYSTEM_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "core/file.h"
#include "fuzz/input.h"

namespace mykafka::fuzz {

class MemoryFileSystem final : public FileSystem {
 public:
  Result<std::shared_ptr<File>> Open(const std::string& path, OpenMode mode) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status Unlink(const std::string& path) override;
  Status SyncDirectory(const std::string& path) override;

  void Put(const std::string& path, const Bytes& bytes);
  bool Exists(const std::string& path) const { return files_.count(path) > 0; }
  Bytes Get(const std::string& path) const;

  // The n-th operation from now on fails with EIO; 0: none does.
  void FailAt(int64_t n) { fault_->left = n; }
  bool failed() const { return fault_->failed; }
  // The file ends there from now on, also for those who have it open.
  void Cut(const std::string& path, size_t length);

 private:
  struct Fault {
    int64_t left = 0;
    bool failed = false;
    bool Strikes();
  };
  class MemoryFile;
  struct Node;

  std::map<std::string, std::shared_ptr<Node>> files_;
  std::shared_ptr<Fault> fault_ = std::make_shared<Fault>();
};

}  // namespace mykafka::fuzz

#endif  // MYKAFKA_FUZZ_MEMORY_FILE_SYSTEM_H_
