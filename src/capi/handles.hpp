// Between a C caller's pointers and core's objects: each direction in one place, for all types.
#pragma once

#include <cucore.h>

#include "cache/cache.hpp"
#include "core/buffer.hpp"
#include "core/device.hpp"
#include "core/event.hpp"
#include "core/future.hpp"
#include "core/kernel.hpp"
#include "core/linker.hpp"
#include "core/objectcode.hpp"
#include "core/program.hpp"
#include "core/queue.hpp"
#include "core/stream.hpp"
#include "support/error.hpp"
#include "support/handle.hpp"

#define HANDLE(name, type, object) \
  struct cucore_##name : cucore::HandleHead {};
#include "capi/handles.inc"
#undef HANDLE

namespace cucore::capi {

template <class Handle>
struct HandleTraits;

#define HANDLE(handle, handle_type, object)                     \
  template <>                                                   \
  struct HandleTraits<cucore_##handle> {                        \
    using Object = object;                                      \
    static constexpr HandleType TYPE = HandleType::handle_type; \
    static constexpr const char* NAME = "cucore_" #handle;      \
    static HandlePool pool;                                     \
  };                                                            \
  template <>                                                   \
  struct HandleTraits<object> {                                 \
    using Handle = cucore_##handle;                             \
  };
#include "capi/handles.inc"
#undef HANDLE

template <class Handle>
using ObjectOf = typename HandleTraits<Handle>::Object;

[[noreturn]] void throw_null(const char* argument);
[[noreturn]] void throw_dead(const char* argument, const char* type);

// The object behind an argument; INVALID_ARGUMENT for NULL, INVALID_HANDLE for one that is dead or
// of another type.
template <class Handle>
ObjectOf<Handle>& use(const Handle* handle, const char* argument) {
  using Traits = HandleTraits<Handle>;
  if (!handle) [[unlikely]]
    throw_null(argument);
  if (!handle->is_live(Traits::TYPE)) [[unlikely]]
    throw_dead(argument, Traits::NAME);
  return *static_cast<ObjectOf<Handle>*>(handle->object);
}

// The same for functions that cannot fail: null for NULL, dead and foreign handles.
template <class Handle>
const ObjectOf<Handle>* peek(const Handle* handle) noexcept {
  if (!handle || !handle->is_live(HandleTraits<Handle>::TYPE)) return nullptr;
  return static_cast<const ObjectOf<Handle>*>(handle->object);
}

// A counted reference to the object behind an argument.
template <class Handle>
Ref<ObjectOf<Handle>> share(const Handle* handle, const char* argument) {
  return Ref<ObjectOf<Handle>>(&use(handle, argument));
}

// The handle of an object, for an output.
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

// False for a handle that is dead or of another type, also while another thread releases it.
template <class Handle>
bool try_retain(const Handle* handle) noexcept {
  return HandleTraits<Handle>::pool.retain(const_cast<Handle*>(handle));
}

template <class Handle>
void release(Handle* handle) noexcept {
  HandleTraits<Handle>::pool.release(handle);
}

}  // namespace cucore::capi
