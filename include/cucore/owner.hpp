/// @file cucore/owner.hpp
/// The base of the classes that own a handle.
///
/// SPDX-License-Identifier: Apache-2.0
#ifndef CUCORE_OWNER_HPP_INCLUDED
#define CUCORE_OWNER_HPP_INCLUDED

#include <utility>

#include "base.hpp"

namespace cucore {
inline namespace CUCORE_HPP_MODE {

namespace detail {

// The two functions that count the references of a type.
template <class Handle>
struct Counted;

#define CUCORE_HPP_COUNTED(type)                                                                 \
  template <>                                                                                    \
  struct Counted<cucore_##type> {                                                                \
    static void retain(const cucore_##type* handle) noexcept { cucore_##type##_retain(handle); } \
    static void release(cucore_##type* handle) noexcept { cucore_##type##_release(handle); }     \
  };
CUCORE_HPP_COUNTED(error)
CUCORE_HPP_COUNTED(device)
CUCORE_HPP_COUNTED(stream)
CUCORE_HPP_COUNTED(event)
CUCORE_HPP_COUNTED(pool)
CUCORE_HPP_COUNTED(buffer)
CUCORE_HPP_COUNTED(program)
CUCORE_HPP_COUNTED(linker)
CUCORE_HPP_COUNTED(objectcode)
CUCORE_HPP_COUNTED(kernel)
CUCORE_HPP_COUNTED(prepared_launch)
CUCORE_HPP_COUNTED(graph)
CUCORE_HPP_COUNTED(executable)
CUCORE_HPP_COUNTED(external)
CUCORE_HPP_COUNTED(cache)
CUCORE_HPP_COUNTED(queue)
CUCORE_HPP_COUNTED(future)
CUCORE_HPP_COUNTED(checks)
CUCORE_HPP_COUNTED(observer)
#undef CUCORE_HPP_COUNTED

}  // namespace detail

/// One reference to an object of the library; the base of every class of a handle.
template <class Self, class Handle>
class Owner {
 public:
  using handle_type = Handle;

  /// Takes over a reference that the caller owns.
  static Self adopt(Handle* handle) noexcept {
    Self self;
    static_cast<Owner&>(self).handle_ = handle;
    return self;
  }

  /// Adds a reference to an object that somebody else owns.
  static Self share(const Handle* handle) noexcept {
    if (handle) detail::Counted<Handle>::retain(handle);
    return adopt(const_cast<Handle*>(handle));
  }

  /// The handle, borrowed; null if the owner is empty.
  Handle* get() const noexcept { return handle_; }

  /// Hands the reference over to the caller, who releases it.
  [[nodiscard]] Handle* release() noexcept { return std::exchange(handle_, nullptr); }

  /// Releases the reference and takes over another one.
  void reset(Handle* handle = nullptr) noexcept {
    Handle* const old = std::exchange(handle_, handle);
    if (old) detail::Counted<Handle>::release(old);
  }

  /// Releases the reference, and returns the place into which a function of C writes another one.
  Handle** out() noexcept {
    static_cast<Self&>(*this).reset();
    return &handle_;
  }

  void swap(Self& other) noexcept { std::swap(handle_, static_cast<Owner&>(other).handle_); }

  explicit operator bool() const noexcept { return handle_ != nullptr; }

  /// Whether both own references to one object.
  friend bool operator==(const Self& a, const Self& b) noexcept { return a.get() == b.get(); }
  friend bool operator!=(const Self& a, const Self& b) noexcept { return a.get() != b.get(); }

 protected:
  constexpr Owner() noexcept = default;
  Owner(const Owner& other) noexcept : handle_(other.handle_) {
    if (handle_) detail::Counted<Handle>::retain(handle_);
  }
  Owner(Owner&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owner& operator=(const Owner& other) noexcept {
    if (other.handle_) detail::Counted<Handle>::retain(other.handle_);
    reset(other.handle_);
    return *this;
  }
  Owner& operator=(Owner&& other) noexcept {
    if (this != &other) reset(std::exchange(other.handle_, nullptr));
    return *this;
  }
  ~Owner() { reset(); }

 private:
  Handle* handle_ = nullptr;
};

}  // namespace CUCORE_HPP_MODE
}  // namespace cucore

#endif  // CUCORE_OWNER_HPP_INCLUDED
