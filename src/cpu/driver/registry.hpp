// SPDX-License-Identifier: Apache-2.0
// Handles: opaque values that are never dereferenced. A handle encodes a slot, its generation and
// the kind of object. Stale, foreign and invented handles are therefore detected and do not crash
// the process.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "cpu/driver/failure.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu {

enum class ObjectKind : uint8_t {
  NONE,
  CONTEXT,
  STREAM,
  EVENT,
  MODULE,
  FUNCTION,
  LIBRARY,
  KERNEL,
  POOL,
  LINK,
  ARRAY,
  MIPMAPPED_ARRAY,
  TEXTURE,
  SURFACE,
  PHYSICAL,
  GRAPH,
  GRAPH_NODE,
  GRAPH_EXECUTABLE,
  USER_OBJECT,
  EXTERNAL_SEMAPHORE
};
inline constexpr size_t OBJECT_KINDS = 20;

class Object {
 public:
  virtual ~Object() = default;
  uint64_t handle_bits() const { return handle_.load(std::memory_order_relaxed); }

 private:
  friend class Registry;
  std::atomic<uint64_t> handle_{0};
};

class Registry {
 public:
  static Registry& instance();

  uint64_t add(ObjectKind kind, std::shared_ptr<Object> object);
  std::shared_ptr<Object> find(ObjectKind kind, uint64_t handle) const;
  // Ends the handle and returns its object, or nullptr if the handle was not valid.
  std::shared_ptr<Object> remove(ObjectKind kind, uint64_t handle);
  std::array<uint64_t, OBJECT_KINDS> live() const;  // by kind

  struct Made {
    ObjectKind kind;
    uint64_t handle;
    Origin origin;
  };
  // Leaves a live object out of made_after(). Returns false for an invalid handle.
  bool keep(uint64_t handle);
  // Lets the running call count as the one that made a live object.
  void renew(uint64_t handle);
  // Returns the number of objects ever made, as a mark for made_after().
  uint64_t made() const;
  // Returns the live objects that were made after the mark, in no order.
  std::vector<Made> made_after(uint64_t mark) const;
  std::vector<std::shared_ptr<Object>> all(ObjectKind kind) const;

 private:
  struct Slot {
    uint64_t handle = 0;
    uint32_t generation = 0;
    std::shared_ptr<Object> object;
    uint64_t number = 0;  // of all objects
    Origin origin;
  };
  mutable std::shared_mutex mutex_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
  std::array<uint64_t, OBJECT_KINDS> live_{};
  uint64_t made_ = 0;
};

// Returns the object behind a handle of cuda.h's types. Throws INVALID_HANDLE (or `code`) for an
// invalid handle.
template <class T, class H>
std::shared_ptr<T> lookup(H handle, CUresult code = CUDA_ERROR_INVALID_HANDLE) {
  auto object = Registry::instance().find(T::KIND, reinterpret_cast<uint64_t>(handle));
  require(object != nullptr, code);
  return std::static_pointer_cast<T>(std::move(object));
}

template <class H, class T>
H new_handle(const std::shared_ptr<T>& object) {
  return reinterpret_cast<H>(Registry::instance().add(T::KIND, object));
}

template <class H, class T>
H handle_of(const T& object) {
  return reinterpret_cast<H>(object.handle_bits());
}

}  // namespace cucore::cpu
