// SPDX-License-Identifier: Apache-2.0
// A Java object's reference to a native one: a number that is never mistaken for another object's.
//
// Any thread may close an object while others are inside a call with it. The number consists of a
// slot and a generation. A call enters only while the generation is the slot's own, and the native
// object is released when the last call has left. A closed number is detected for 2^32 further uses
// of its slot, however long a thread slept between reading and using it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <mutex>
#include <vector>

#include "held.hpp"

namespace cucore::java {

using Release = void (*)(void*);

class Lease {
 public:
  // Returns 0 for null.
  static int64_t open(void* object, Release release);
  // Call once per object: calls inside may end, and no further one enters. Returns false if it was
  // closed.
  static bool close(int64_t lease);
};

// One call's use of an object.
class Use {
 public:
  Use() = default;
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use() {
    if (slot_) leave();
  }

  bool enter(int64_t lease);  // false: the object is closed
  void* object() const;

 private:
  void leave();

  struct Slot* slot_ = nullptr;
};

// The objects that one thread uses in one call at a time. A close searches all records for its
// object, so that a call costs two atomic operations, however many objects it uses.
struct UseRecord;

// Returns null if too many threads have one: their calls then enter each object separately.
UseRecord* open_record();
void close_record(UseRecord* record);

// One call's use of several objects: all are added, then it begins.
class Uses {
 public:
  static constexpr size_t NONE = static_cast<size_t>(-1);

  // The record must not be in another call.
  explicit Uses(UseRecord* record) : record_(record) {}
  Uses(const Uses&) = delete;
  Uses& operator=(const Uses&) = delete;
  ~Uses();

  // Returns the object of a lease, which must not be used before begin() has returned NONE.
  void* add(int64_t lease);
  // Returns NONE, or the index of a closed object.
  size_t begin();

 private:
  int64_t lease(size_t index) const { return index < FEW ? few_[index] : more_[index - FEW]; }
  size_t enter_each();

  static constexpr size_t FEW = 16;

  UseRecord* const record_;
  bool begun_ = false;
  size_t count_ = 0;
  int64_t few_[FEW];
  std::vector<int64_t> more_;
  std::forward_list<Use> each_;  // without a record, or of more than FEW
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
