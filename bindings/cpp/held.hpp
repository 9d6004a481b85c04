// SPDX-License-Identifier: Apache-2.0
// A reference during a call: another thread may close the object meanwhile.
#pragma once

#include "handle_types.hpp"  // generated

namespace cucore::bind {

#define CUCORE_COUNTED(Class, type, name)                           \
  inline void retain(const type* handle) { type##_retain(handle); } \
  inline void release(const type* handle) { type##_release(const_cast<type*>(handle)); }
CUCORE_HANDLES(CUCORE_COUNTED)
#undef CUCORE_COUNTED

// A closed handle is passed on unchanged: the C API returns INVALID_HANDLE.
template <class Handle>
class Held {
 public:
  explicit Held(Handle* handle) : handle_(handle) { retain(handle); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { release(handle_); }
  operator Handle*() const { return handle_; }

 private:
  Handle* handle_;
};

template <class Handle>
inline Held<Handle> held(Handle* handle) {
  return Held<Handle>(handle);
}

}  // namespace cucore::bind
