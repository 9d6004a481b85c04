// SPDX-License-Identifier: Apache-2.0
// Converts between a C caller's handles and a library's objects, in one place for all types.
#pragma once

#include <type_traits>

#include "support/handle.hpp"
#include "support/require.hpp"

namespace cucore {

// Maps each handle type to its Object, TYPE, NAME and pool, and each object to its Handle.
template <class Handle>
struct HandleTraits;

template <class Handle>
using ObjectOf = typename HandleTraits<Handle>::Object;

// Returns the object behind an argument. @throws Error INVALID_ARGUMENT for NULL, INVALID_HANDLE
// for a handle that is dead or of another type
template <class Handle>
[[gnu::always_inline]] inline ObjectOf<Handle>& use(const Handle* handle, const char* argument) {
  using Traits = HandleTraits<Handle>;
  if (!handle) [[unlikely]]
    throw_null(argument);
  if (!handle->is_live(Traits::TYPE)) [[unlikely]]
    throw_dead(argument, Traits::NAME, handle);
  return *static_cast<ObjectOf<Handle>*>(handle->object.load(std::memory_order_relaxed));
}

// Does the same for functions that cannot fail; returns null for NULL, dead and foreign handles.
template <class Handle>
const ObjectOf<Handle>* peek(const Handle* handle) noexcept {
  if (!handle || !handle->is_live(HandleTraits<Handle>::TYPE)) return nullptr;
  return static_cast<const ObjectOf<Handle>*>(handle->object.load(std::memory_order_relaxed));
}

// Returns a counted reference to the object behind an argument.
template <class Handle>
Ref<ObjectOf<Handle>> share(const Handle* handle, const char* argument) {
  return Ref<ObjectOf<Handle>>(&use(handle, argument));
}

// Returns the handle of an object, for an output.
template <class Object>
auto wrap(const Object& object) {
  using Handle = typename HandleTraits<std::remove_const_t<Object>>::Handle;
  return static_cast<Handle*>(HandleTraits<Handle>::pool.wrap(&object));
}
template <class Object>
auto wrap(const Ref<Object>& object) {
  return wrap(*object);
}

template <class Handle>
Handle* retain(const Handle* handle) noexcept {
  auto* head = const_cast<Handle*>(handle);
  HandleTraits<Handle>::pool.retain(head);
  return head;
}

// Returns false for a handle that is dead or of another type, also while another thread releases
// it.
template <class Handle>
bool try_retain(const Handle* handle) noexcept {
  return HandleTraits<Handle>::pool.retain(const_cast<Handle*>(handle));
}

template <class Handle>
void release(Handle* handle) noexcept {
  HandleTraits<Handle>::pool.release(handle);
}

}  // namespace cucore
