// Bounds how many segments keep their files open while nobody uses them, process-wide. The least
// recently used one that is idle and clean is closed first; where none is, the limit gives way.
#ifndef MYKAFKA_CORE_OPEN_FILES_H_
#define MYKAFKA_CORE_OPEN_FILES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace mykafka {

class OpenFiles {
 public:
  class Owner {
   public:
    // Lets go of the open files if nobody uses them and nothing in them waits for a sync; returns them,
    // to be closed outside of every lock, or null where they stay. Must not wait for a lock.
    virtual std::shared_ptr<const void> ReleaseIfIdle() = 0;

   protected:
    ~Owner() = default;

   private:
    friend class OpenFiles;
    static constexpr size_t kNotListed = SIZE_MAX;
    std::atomic<uint64_t> last_used_{0};
    size_t place_ = kNotListed;
  };

  // The process's own; never destroyed.
  static OpenFiles& Instance();

  // The owner has opened its files. Closes others where that is too many.
  void Add(Owner* owner);
  // The owner has closed its files, or is about to go. No call into it follows.
  void Remove(Owner* owner);
  // Cheap: called on every use.
  void Touch(Owner* owner) {
    owner->last_used_.store(clock_.fetch_add(1, std::memory_order_relaxed), std::memory_order_relaxed);
  }
  // Something became clean: closes what is too many, if anything is.
  void Trim() {
    if (count() > limit()) Evict(nullptr);
  }

  void SetLimit(size_t limit);
  size_t limit() const { return limit_.load(std::memory_order_relaxed); }
  size_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  OpenFiles();
  void Evict(const Owner* newest);
  void Unlist(Owner* owner);

  std::atomic<uint64_t> clock_{1};
  std::atomic<size_t> limit_;
  std::atomic<size_t> count_{0};
  std::mutex mutex_;
  std::vector<Owner*> owners_;
};

}  // namespace mykafka

#endif  // MYKAFKA_CORE_OPEN_FILES_H_
