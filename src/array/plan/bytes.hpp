// SPDX-License-Identifier: Apache-2.0
// Bytes that are appended number by number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace cucore::array {

class Bytes {
 public:
  explicit Bytes(size_t capacity)
      : memory_(new char[capacity]), next_(memory_.get()), end_(next_ + capacity) {}

  template <class T>
  void put(T value) {
    put(&value, sizeof value);
  }
  void put(const void* data, size_t size) {
    if (size > static_cast<size_t>(end_ - next_)) grow(size);
    std::memcpy(next_, data, size);
    next_ += size;
  }
  std::string_view view() const noexcept {
    return {memory_.get(), static_cast<size_t>(next_ - memory_.get())};
  }

 private:
  void grow(size_t more) {
    const std::string_view present = view();
    const size_t capacity = 2 * (present.size() + more);
    std::unique_ptr<char[]> memory(new char[capacity]);
    next_ = std::copy(present.begin(), present.end(), memory.get());
    end_ = memory.get() + capacity;
    memory_ = std::move(memory);
  }

  std::unique_ptr<char[]> memory_;
  char* next_;
  char* end_;
};

}  // namespace cucore::array
