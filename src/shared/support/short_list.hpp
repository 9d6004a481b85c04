// SPDX-License-Identifier: Apache-2.0
// A list whose greatest length is known at the beginning. It needs no memory of its own if that is
// small.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

namespace cucore {

template <class T, size_t FEW = 4>
class ShortList {
 public:
  explicit ShortList(size_t most) {
    if (most > FEW) many_ = std::make_unique<T[]>(most);
  }

  void push_back(const T& value) { (many_ ? many_.get() : few_.data())[size_++] = value; }
  std::span<const T> all() const { return {many_ ? many_.get() : few_.data(), size_}; }

 private:
  std::array<T, FEW> few_;  // not initialised beyond the size
  std::unique_ptr<T[]> many_;
  size_t size_ = 0;
};

}  // namespace cucore
