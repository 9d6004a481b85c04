// SPDX-License-Identifier: Apache-2.0
// Counted objects: the C++ objects behind handles, and objects that the library uses internally.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace cucore {

struct HandleHead;

// The base of all counted objects. A new object has one reference, which make() returns.
class Object {
 public:
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  void add_reference() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }

  void drop_reference() const noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  // The same for several references at once.
  void add_references(uint32_t count) const noexcept {
    references_.fetch_add(count, std::memory_order_relaxed);
  }
  void drop_references(uint32_t count) const noexcept {
    if (references_.fetch_sub(count, std::memory_order_acq_rel) == count) delete this;
  }

  // Whether the caller's reference is the only one. Others may be added only by a registry.
  bool has_one_reference() const noexcept {
    return references_.load(std::memory_order_acquire) == 1;
  }

  // Adds a reference unless the object is being destroyed; for registries that do not keep objects
  // alive.
  bool try_add_reference() const noexcept {
    uint32_t count = references_.load(std::memory_order_relaxed);
    while (count != 0)
      if (references_.compare_exchange_weak(count, count + 1, std::memory_order_relaxed))
        return true;
    return false;
  }

 protected:
  virtual ~Object() = default;

 private:
  friend class HandlePool;
  mutable std::atomic<uint32_t> references_{1};
  // The live handle of this object, so that every output of an object is the same handle. Guarded
  // by the pool's mutex.
  mutable HandleHead* handle_ = nullptr;
};

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}
  explicit Ref(T* object) : object_(object) {
    if (object_) object_->add_reference();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
  requires std::is_convertible_v<U*, T*> Ref(Ref<U> other) : object_(other.detach()) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_) object_->drop_reference();
  }

  // Takes over the caller's reference.
  static Ref adopt(T* object) {
    Ref ref;
    ref.object_ = object;
    return ref;
  }
  T* detach() { return std::exchange(object_, nullptr); }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Ref&, const Ref&) = default;

 private:
  T* object_ = nullptr;
};

template <class T, class... Arguments>
Ref<T> make(Arguments&&... arguments) {
  return Ref<T>::adopt(new T(std::forward<Arguments>(arguments)...));
}

}  // namespace cucore
