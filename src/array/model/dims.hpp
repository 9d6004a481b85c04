// SPDX-License-Identifier: Apache-2.0
// A shape, or one number per dimension of a shape.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

namespace cucore::array {

// Most arrays have few dimensions, and each operation makes several of these: up to INLINE numbers
// need no allocation.
class Dims {
 public:
  static constexpr size_t MAX = 32;
  static constexpr size_t INLINE = 5;

  Dims() noexcept = default;
  explicit Dims(size_t count, int64_t value = 0) {
    grow(count);
    std::fill_n(data(), count, value);
  }
  Dims(std::initializer_list<int64_t> values) : Dims(std::span(values.begin(), values.size())) {}
  explicit Dims(std::span<const int64_t> values) {
    grow(values.size());
    std::copy(values.begin(), values.end(), data());
  }
  Dims(const Dims& other) : size_(other.size_) {
    std::copy_n(other.inline_, INLINE, inline_);  // of a constant size: a few moves
    if (other.heap_) copy_heap(other);
  }
  Dims(Dims&&) noexcept = default;
  Dims& operator=(const Dims& other) { return *this = Dims(other); }
  Dims& operator=(Dims&&) noexcept = default;

  size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  int64_t* data() noexcept { return heap_ ? heap_.get() : inline_; }
  const int64_t* data() const noexcept { return heap_ ? heap_.get() : inline_; }
  int64_t* begin() noexcept { return data(); }
  int64_t* end() noexcept { return data() + size_; }
  const int64_t* begin() const noexcept { return data(); }
  const int64_t* end() const noexcept { return data() + size_; }
  int64_t& operator[](size_t at) noexcept { return data()[at]; }
  int64_t operator[](size_t at) const noexcept { return data()[at]; }

  void push_back(int64_t value) { insert(size_, value); }
  void insert(size_t at, int64_t value) {
    grow(size_ + 1);
    std::copy_backward(begin() + at, end() - 1, end());
    data()[at] = value;
  }
  void erase(size_t at) noexcept {
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }

  friend bool operator==(const Dims& a, const Dims& b) noexcept {
    if (a.size_ != b.size_) return false;
    const int64_t *one = a.data(), *other = b.data();
    for (size_t at = 0; at < a.size_; ++at)
      if (one[at] != other[at]) return false;
    return true;
  }

 private:
  void copy_heap(const Dims& other) {
    heap_ = std::make_unique<int64_t[]>(MAX);
    std::copy_n(other.heap_.get(), size_, heap_.get());
  }
  void grow(size_t count) {
    if (count > INLINE) grow_heap(count);
    size_ = static_cast<uint32_t>(count);
  }
  void grow_heap(size_t count);  // throws SHAPE for more than MAX numbers

  uint32_t size_ = 0;
  int64_t inline_[INLINE] = {};
  std::unique_ptr<int64_t[]> heap_;
};

}  // namespace cucore::array
