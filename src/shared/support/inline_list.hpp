// SPDX-License-Identifier: Apache-2.0
// A list that grows, of values that are copied by their bytes. The first few need no memory of
// their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace cucore {

template <class T, uint32_t FEW>
class InlineList {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  InlineList() noexcept {}
  explicit InlineList(const T& first) noexcept : size_(1) { few[0] = first; }
  InlineList(const InlineList& other) : InlineList() {
    reserve(other.size_);
    std::copy_n(other.begin(), other.size_, begin());
    size_ = other.size_;
  }
  InlineList& operator=(const InlineList&) = delete;
  ~InlineList() {
    if (capacity_ > FEW) [[unlikely]]
      delete[] many;
  }

  const T* begin() const { return capacity_ > FEW ? many : few; }
  const T* end() const { return begin() + size_; }
  T* begin() { return capacity_ > FEW ? many : few; }
  T* end() { return begin() + size_; }
  const T& back() const { return begin()[size_ - 1]; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Makes room for so many values in all, so that push_back() cannot fail.
  void reserve(size_t count) {
    if (count > capacity_) grow(count);
  }
  void push_back(const T& value) {
    const T copy = value;  // it may be in the list
    reserve(size_ + size_t{1});
    begin()[size_++] = copy;
  }
  // The same after reserve(). The value is not in the list.
  void push_back_reserved(const T& value) noexcept { begin()[size_++] = value; }
  void pop_back() noexcept { --size_; }
  void clear() { size_ = 0; }
  template <class Predicate>
  void erase_if(Predicate&& matches) {
    size_ = static_cast<uint32_t>(std::remove_if(begin(), end(), matches) - begin());
  }

 private:
  [[gnu::noinline]] void grow(size_t count) {
    const size_t capacity = std::max<size_t>(count, size_t{2} * capacity_);
    T* const more = new T[capacity];
    std::copy_n(begin(), size_, more);
    if (capacity_ > FEW) delete[] many;
    many = more;
    capacity_ = static_cast<uint32_t>(capacity);
  }

  uint32_t size_ = 0, capacity_ = FEW;
  union {
    T few[FEW];  // not initialised beyond the size
    T* many;     // of a larger capacity
  };
};

}  // namespace cucore
