// A reference for the length of a call: another thread may close the object meanwhile.
#pragma once

#include <cucore.h>

namespace cucore::bind {

#define CUCORE_COUNTED(type)                                                          \
  inline void retain(const cucore_##type* handle) { cucore_##type##_retain(handle); } \
  inline void release(const cucore_##type* handle) {                                  \
    cucore_##type##_release(const_cast<cucore_##type*>(handle));                      \
  }
CUCORE_COUNTED(device)
CUCORE_COUNTED(stream)
CUCORE_COUNTED(event)
CUCORE_COUNTED(buffer)
CUCORE_COUNTED(program)
CUCORE_COUNTED(linker)
CUCORE_COUNTED(objectcode)
CUCORE_COUNTED(kernel)
CUCORE_COUNTED(queue)
CUCORE_COUNTED(future)
CUCORE_COUNTED(cache)
#undef CUCORE_COUNTED

// A handle that was closed already is passed on as it is: the C API answers INVALID_HANDLE.
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
