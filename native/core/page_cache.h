// Whether bytes of a file are in memory, so that reading them does not wait for the disk.
#ifndef MYKAFKA_CORE_PAGE_CACHE_H_
#define MYKAFKA_CORE_PAGE_CACHE_H_

#include <cstddef>
#include <cstdint>

#include "core/file.h"
#include "core/status.h"

namespace mykafka {

// A guess that errs on the side of "no" where bytes lie behind the end of the file, and that may be
// outdated when it returns: memory pressure can take the pages at any time.
bool InPageCache(File& file, int64_t position, size_t length);

// Reads the bytes and forgets them, so that they are in memory. A file that ends earlier is kCorrupt.
Status WarmPageCache(File& file, int64_t position, size_t length);

}  // namespace mykafka

#endif  // MYKAFKA_CORE_PAGE_CACHE_H_
