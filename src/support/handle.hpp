// What a C caller's pointer points at: a head that outlives the object, so that a released handle
// or one of another type is told apart from a good one instead of crashing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "support/ref.hpp"

namespace cucore {

enum class HandleType : uint32_t {
  ERROR = 0x45430001,
  DEVICE,
  STREAM,
  EVENT,
  BUFFER,
  PROGRAM,
  LINKER,
  OBJECTCODE,
  KERNEL,
  CACHE,
  QUEUE,
  FUTURE,
  GRAPH,
};

struct HandleHead {
  HandleType type{};
  std::atomic<uint32_t> references{0};  // of the user; 0: released
  Object* object = nullptr;
  HandleHead* next_free = nullptr;

  bool is_live(HandleType expected) const noexcept {
    return type == expected && references.load(std::memory_order_acquire) != 0;
  }
};

// The heads of one type. Memory for heads is never given back, and a released head is the last in
// a queue of at least QUARANTINE others before it is used again. A fork waits until no thread is
// inside a pool, so that the child can use them.
class HandlePool {
 public:
  static constexpr size_t QUARANTINE = 4096;

  constexpr explicit HandlePool(HandleType type) : type_(type) {}

  // A handle of the object: the one it has, with one reference more, or a new one.
  HandleHead* wrap(const Object* object);

  // Gives one reference back; nothing for NULL, dead and foreign handles.
  void release(HandleHead* head) noexcept;

  // One more reference. False, and nothing, for NULL, dead and foreign handles.
  bool retain(HandleHead* head) const noexcept;

  size_t live() const noexcept;

 private:
  HandleHead* take_slot();
  void grow();
  void watch_forks();
  static void lock_all();
  static void unlock_all();

  const HandleType type_;
  mutable std::mutex mutex_;
  HandleHead* first_free_ = nullptr;
  HandleHead* last_free_ = nullptr;
  size_t free_ = 0;
  size_t live_ = 0;
  size_t slab_size_ = 64;
  HandlePool* next_pool_ = nullptr;  // of those in use
};

}  // namespace cucore
