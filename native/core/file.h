// All access to files goes through these two interfaces, so that a test can make the n-th write,
// sync or allocation fail, or cut a write short (native/test/faulty_file_system.h).
#ifndef MYKAFKA_CORE_FILE_H_
#define MYKAFKA_CORE_FILE_H_

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/status.h"

namespace mykafka {

// Whether an operation may wait for the disk. kNever answers kWouldBlock where the bytes are not in
// the page cache (preadv2 with RWF_NOWAIT; a system without it always reads).
enum class Wait : uint8_t { kNever, kAllowed };

class File {
 public:
  virtual ~File() = default;

  // Reads up to length bytes; fewer only at the end of the file.
  virtual Result<size_t> Read(void* into, size_t length, int64_t position, Wait wait) = 0;
  // One pwritev. May write less than asked: WriteFully() goes on until all is written.
  virtual Result<size_t> Write(const iovec* parts, int part_count, int64_t position) = 0;
  virtual Status Sync() = 0;  // fdatasync; ESTALE where the file was removed
  virtual Status Truncate(int64_t length) = 0;
  // Real blocks for [position, position + length), zeroed where new; the file grows to hold them.
  virtual Status Allocate(int64_t position, int64_t length) = 0;
  virtual Result<int64_t> Size() = 0;
  // Drops clean cached pages, so that what is read next comes from the disk.
  virtual void DropCache() = 0;
  // For mmap and sendfile; owned by this File.
  virtual int fd() const = 0;
};

enum class OpenMode : uint8_t { kReadOnly, kReadWrite, kCreateNew };  // kCreateNew fails with EEXIST

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual Result<std::shared_ptr<File>> Open(const std::string& path, OpenMode mode) = 0;
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  virtual Status Unlink(const std::string& path) = 0;
  virtual Status SyncDirectory(const std::string& path) = 0;

  // The system's own; never destroyed.
  static std::shared_ptr<FileSystem> Posix();
};

// Writes all of the parts, going on after short writes. The parts are consumed (their pointers move).
Status WriteFully(File& file, iovec* parts, size_t part_count, int64_t position);

// Reads exactly length bytes; a file that ends earlier is kCorrupt.
Status ReadFully(File& file, void* into, size_t length, int64_t position, Wait wait);

}  // namespace mykafka

#endif  // MYKAFKA_CORE_FILE_H_
