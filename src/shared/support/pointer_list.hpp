// SPDX-License-Identifier: Apache-2.0
// A list of pointers that grows. The addition of one has two parts: the first makes room and may
// fail, the second cannot.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace cucore {

template <class T>
class PointerList {
 public:
  PointerList() = default;
  PointerList(const PointerList&) = delete;
  PointerList& operator=(const PointerList&) = delete;

  T* const* begin() const { return places_.get(); }
  T* const* end() const { return end_; }
  size_t size() const { return static_cast<size_t>(end_ - places_.get()); }
  bool empty() const { return end_ == places_.get(); }
  T* back() const { return end_[-1]; }
  T* operator[](size_t index) const { return places_[index]; }

  // Makes room for so many pointers in all.
  void reserve(size_t count) {
    if (count > static_cast<size_t>(limit_ - places_.get())) grow(count);
  }
  // Whether there is room for one more.
  bool has_room() const { return end_ != limit_; }
  // Makes room for one more.
  void reserve_one() {
    if (!has_room()) [[unlikely]]
      grow(size() + 1);
  }
  void push_back_reserved(T* pointer) noexcept { *end_++ = pointer; }
  void push_back(T* pointer) {
    reserve_one();
    push_back_reserved(pointer);
  }
  void pop_back() noexcept { --end_; }
  // Removes a pointer of the list, and keeps the order.
  void erase(T* pointer) noexcept {
    T** const place = std::find(places_.get(), end_, pointer);
    end_ = std::copy(place + 1, end_, place);
  }

  // Removes the first pointers.
  void erase_first(size_t count) noexcept {
    end_ = std::copy(places_.get() + count, end_, places_.get());
  }

  friend void swap(PointerList& a, PointerList& b) noexcept {
    std::swap(a.places_, b.places_);
    std::swap(a.end_, b.end_);
    std::swap(a.limit_, b.limit_);
  }

 private:
  static constexpr size_t FEWEST = 4;

  [[gnu::noinline]] void grow(size_t count) {
    const size_t before = size(), capacity = std::max({count, FEWEST, 2 * before});
    auto more = std::make_unique_for_overwrite<T*[]>(capacity);
    std::copy(places_.get(), end_, more.get());
    places_ = std::move(more);
    end_ = places_.get() + before;
    limit_ = places_.get() + capacity;
  }

  std::unique_ptr<T*[]> places_;
  T **end_ = nullptr, **limit_ = nullptr;
};

}  // namespace cucore
