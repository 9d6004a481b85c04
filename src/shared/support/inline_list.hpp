// SPDX-License-Identifier: Apache-2.0
// A list that grows, of values that are copied by their bytes. The first few need no memory of
// their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace cucore {

template <class T, uint32_t FEW>
class InlineList {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  InlineList() = default;
  InlineList(const InlineList& other) {
    reserve(other.size_);
    std::copy_n(other.data_, other.size_, data_);
    size_ = other.size_;
  }
  InlineList& operator=(const InlineList&) = delete;

  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T& back() const { return data_[size_ - 1]; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Makes room for so many values in all, so that push_back() cannot fail.
  void reserve(size_t count) {
    if (count > capacity_) grow(count);
  }
  void push_back(const T& value) {
    const T copy = value;  // it may be in the list
    reserve(size_ + size_t{1});
    data_[size_++] = copy;
  }
  void clear() { size_ = 0; }
  template <class Predicate>
  void erase_if(Predicate&& matches) {
    size_ = static_cast<uint32_t>(std::remove_if(begin(), end(), matches) - begin());
  }

 private:
  void grow(size_t count) {
    const size_t capacity = std::max<size_t>(count, size_t{2} * capacity_);
    std::unique_ptr<T[]> more(new T[capacity]);
    std::copy_n(data_, size_, more.get());
    many_ = std::move(more);
    data_ = many_.get();
    capacity_ = static_cast<uint32_t>(capacity);
  }

  T few_[FEW];  // not initialised beyond the size
  T* data_ = few_;
  uint32_t size_ = 0, capacity_ = FEW;
  std::unique_ptr<T[]> many_;
};

}  // namespace cucore
