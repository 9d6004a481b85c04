// SPDX-License-Identifier: Apache-2.0
// Memory for many values of one type that one owner uses. It ends with the slab. The places of
// values that have ended are used again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "support/spare_blocks.hpp"

namespace cucore {

// The caller ends all values before the slab ends. One thread at a time may use a slab.
template <class T>
class Slab {
 public:
  struct End {
    void operator()(T* value) const noexcept { slab->end(value); }
    Slab* slab;
  };
  using Owner = std::unique_ptr<T, End>;

  template <class... Arguments>
  Owner make(Arguments&&... arguments) {
    Place* const place = take();
    try {
      return Owner(new (place->bytes) T(std::forward<Arguments>(arguments)...), End{this});
    } catch (...) {
      put(place);
      throw;
    }
  }

  void end(T* value) noexcept {
    value->~T();
    put(reinterpret_cast<Place*>(value));
  }

  Slab() = default;
  ~Slab() {
    while (last_) free_block(std::exchange(last_, last_->before));
  }
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;

  friend void swap(Slab& a, Slab& b) noexcept {
    std::swap(a.last_, b.last_);
    std::swap(a.next_, b.next_);
    std::swap(a.end_, b.end_);
    std::swap(a.free_, b.free_);
  }

 private:
  union Place {
    Place* next;  // of a free place
    alignas(T) std::byte bytes[sizeof(T)];
  };
  struct alignas(__STDCPP_DEFAULT_NEW_ALIGNMENT__) Block {
    Block* before;
    size_t size;  // in bytes, with this head
    Place* places() { return reinterpret_cast<Place*>(this + 1); }
  };
  static_assert(alignof(Place) <= alignof(Block));
  static constexpr size_t FIRST_SIZE = sizeof(Block) + 2 * sizeof(Place);
  static_assert(FIRST_SIZE <= SpareBlocks::SIZE);

  Place* take() {
    if (free_) return std::exchange(free_, free_->next);
    if (next_ == end_) grow();
    return next_++;
  }
  void put(Place* place) noexcept {
    place->next = free_;
    free_ = place;
  }
  [[gnu::noinline]] void grow() {
    const size_t size = last_ ? std::min(2 * last_->size, SpareBlocks::SIZE) : FIRST_SIZE;
    void* const memory = size == SpareBlocks::SIZE ? SpareBlocks::take() : ::operator new(size);
    last_ = new (memory) Block{last_, size};
    next_ = last_->places();
    end_ = next_ + (size - sizeof(Block)) / sizeof(Place);
  }
  static void free_block(Block* block) noexcept {
    if (block->size == SpareBlocks::SIZE)
      SpareBlocks::put(block);
    else
      ::operator delete(block);
  }

  Block* last_ = nullptr;
  Place *next_ = nullptr, *end_ = nullptr;  // of the last block
  Place* free_ = nullptr;
};

}  // namespace cucore
