// A Java object's hold on a native one: a number that is never mistaken for another object's.
//
// Any thread may close an object while others are inside a call with it. The number names a slot
// and a generation: a call enters only while the generation is the slot's own, the native object
// goes when the last call has left, and a number that was closed is recognised for 2^32 further
// uses of its slot, however long a thread slept between reading and using it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "held.hpp"

namespace cucore::java {

using Release = void (*)(void*);

class Lease {
 public:
  // 0 for null.
  static int64_t open(void* object, Release release);
  // Once an object: calls that are inside may end, no further one enters. False if it was closed.
  static bool close(int64_t lease);
};

// One call's use of an object.
class Use {
 public:
  Use() = default;
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use();

  bool enter(int64_t lease);  // false: the object is closed
  void* object() const;

 private:
  struct Slot* slot_ = nullptr;
};

template <class Type>
void let_go(void* object) {
  if constexpr (requires(Type * handle) { cucore::bind::release(handle); })
    cucore::bind::release(static_cast<Type*>(object));
  else
    delete static_cast<Type*>(object);
}

template <class Type>
int64_t lease(Type* object) {
  return Lease::open(object, let_go<Type>);
}

}  // namespace cucore::java
