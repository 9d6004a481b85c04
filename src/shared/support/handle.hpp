// SPDX-License-Identifier: Apache-2.0
// The memory behind a C caller's pointer: a head that outlives the object. The head identifies a
// released handle, or one of another type or library, so that such a handle does not crash the
// process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "support/keep_mark.hpp"
#include "support/ref.hpp"

namespace cucore {

// The tag of a type: a mark that all handles have, the number of the library, and the number of the
// type in that library. Libraries of different releases meet in one process, so the numbers are
// permanent.
inline constexpr uint32_t HANDLE_MARK = 0x4543;

enum class HandleLibrary : uint8_t {
  CUCORE = 0x00,
  ARRAY = 0x01,
  PERF = 0x02,
  TILE = 0x03,
  TEST = 0xff
};

// The types of libcucore. Other libraries make theirs with handle_type().
enum class HandleType : uint32_t {
  ERROR = HANDLE_MARK << 16 | 1,
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
  PREPARED_LAUNCH,
  POOL,
  CHECKS,
  EXECUTABLE,
  OBSERVER,
  EXTERNAL,
};

constexpr HandleType handle_type(HandleLibrary library, uint8_t number) {
  return static_cast<HandleType>(HANDLE_MARK << 16 | uint32_t{static_cast<uint8_t>(library)} << 8 |
                                 number);
}

struct HandleHead {
  // All libraries read the first three members of each other's heads.
  HandleType type{};
  std::atomic<uint32_t> references{0};   // held by the user; 0: released
  const char* name = "";                 // name of the type, "cucore_stream"
  std::atomic<Object*> object{nullptr};  // what it was, once released
  HandleHead* next_free = nullptr;
  KeepMark mark;  // of an owner that keeps the object

  bool is_live(HandleType expected) const noexcept {
    return type == expected && references.load(std::memory_order_acquire) != 0;
  }
};
static_assert(offsetof(HandleHead, type) == 0 && offsetof(HandleHead, references) == 4 &&
                  offsetof(HandleHead, name) == 8,
              "libraries that are built apart read these");

// Describes a dead handle for a message: "a released cucore_stream", "a cucore_event".
std::string describe_handle(const HandleHead* head);

// The heads of one type. Memory for heads is never freed, and a released head waits in a queue of
// at least QUARANTINE others before it is used again. A fork waits until no thread is inside a
// pool, so that the child can use the pools.
class HandlePool {
 public:
  static constexpr size_t QUARANTINE = 4096;

  // The name must stay valid until the process ends: a library with pools is never unloaded.
  constexpr explicit HandlePool(HandleType type, const char* name = "")
      : type_(type), name_(name) {}

  // Returns a handle of the object: its present one with one more reference, or a new one.
  HandleHead* wrap(const Object* object);

  // Releases one reference; does nothing for NULL, dead and foreign handles. Inline, as retain(),
  // because launches with buffers use both.
  void release(HandleHead* head) noexcept {
    if (!head || head->type != type_) return;
    uint32_t count = head->references.load(std::memory_order_relaxed);
    while (count > 1)
      if (head->references.compare_exchange_weak(count, count - 1, std::memory_order_acq_rel))
        return;
    if (count != 0) release_last(head);
  }

  // Adds a reference. Returns false for NULL, dead and foreign handles.
  bool retain(HandleHead* head) const noexcept {
    if (!head || head->type != type_) return false;
    uint32_t count = head->references.load(std::memory_order_relaxed);
    while (count != 0)
      if (head->references.compare_exchange_weak(count, count + 1, std::memory_order_acquire))
        return true;
    return false;
  }

  // Lets `drop` remove the reference of each handle to its object, for a library that does more.
  using Drop = void (*)(Object* object) noexcept;
  void set_drop(Drop drop) noexcept { drop_.store(drop, std::memory_order_release); }

  size_t live() const noexcept;

 private:
  HandleHead* take_slot();
  void release_last(HandleHead* head) noexcept;
  void grow();
  void watch_forks();
  static void lock_all();
  static void unlock_all();

  const HandleType type_;
  const char* const name_;
  std::atomic<Drop> drop_{nullptr};
  mutable std::mutex mutex_;
  HandleHead* first_free_ = nullptr;
  HandleHead* last_free_ = nullptr;
  size_t free_ = 0;
  size_t live_ = 0;
  size_t slab_size_ = 64;
  HandlePool* next_pool_ = nullptr;  // list of the pools in use
};

}  // namespace cucore
