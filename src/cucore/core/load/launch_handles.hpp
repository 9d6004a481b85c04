// SPDX-License-Identifier: Apache-2.0
// Converts handles in the arguments and options of a launch to objects, because handles belong to
// the C API.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "core/objects/buffer.hpp"
#include "core/objects/event.hpp"
#include "support/handle.hpp"

namespace cucore::core {

template <class T>
struct Handles {
  static constexpr HandleType TYPE =
      std::is_same_v<T, Event> ? HandleType::EVENT : HandleType::BUFFER;
  // Adds a reference to the handle; returns null for a released one or one of another type.
  T* (*acquire)(const void* handle) noexcept;
  void (*release)(const void* handle) noexcept;
  // Returns the object, or null for a released handle or one of another type. Adds no reference, so
  // the object may end at any time. Inline, because the cost of each launch matters.
  T* peek(const void* handle) const noexcept {
    const auto* const head = static_cast<const HandleHead*>(handle);
    if (!head || !head->is_live(TYPE)) return nullptr;
    return static_cast<T*>(head->object.load(std::memory_order_relaxed));
  }
  // Returns the object if the owner has marked the handle, so that the owner keeps the object; else
  // null. The object is read first: a handle that gets another object loses its mark before.
  static T* peek_kept(const void* handle, uint64_t owner) noexcept {
    const auto* const head = static_cast<const HandleHead*>(handle);
    if (!head || !head->is_live(TYPE)) return nullptr;
    Object* const object = head->object.load(std::memory_order_acquire);
    return head->mark.is_of(owner) ? static_cast<T*>(object) : nullptr;
  }
  // Marks a handle to which the caller has a reference.
  static void mark(const void* handle, uint64_t owner) noexcept {
    static_cast<HandleHead*>(const_cast<void*>(handle))->mark.set(owner);
  }
};

using BufferHandles = Handles<const Buffer>;
using EventHandles = Handles<Event>;

struct LaunchHandles {
  BufferHandles buffers;
  EventHandles events;
};

// A reference of the library's user to a handle, until the end of the scope.
template <class T>
class HandleReference {
 public:
  HandleReference(const void* handle, const Handles<T>& handles)
      : handle_(handle), handles_(handles), object_(handles.acquire(handle)) {}
  ~HandleReference() {
    if (object_) handles_.release(handle_);
  }
  HandleReference(const HandleReference&) = delete;
  HandleReference& operator=(const HandleReference&) = delete;

  T* object() const { return object_; }

 private:
  const void* const handle_;
  const Handles<T>& handles_;
  T* const object_;
};

}  // namespace cucore::core
