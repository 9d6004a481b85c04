// SPDX-License-Identifier: Apache-2.0
// Memory for objects that are made together and end one by one, on any thread. Several share a
// block, which ends with the last object in it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "support/spare_blocks.hpp"

namespace cucore {

class ObjectBlocks {
 private:
  // The parts of a block have the alignment of operator new.
  static constexpr size_t ALIGNMENT = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  struct alignas(ALIGNMENT) Block {
    std::atomic<uint32_t> count;  // objects that live, and the share of the ObjectBlocks
    bool is_spare;                // whether it has the size of spare blocks
  };
  struct alignas(ALIGNMENT) Head {
    Block* block;  // null: the object is alone
  };

 public:
  ObjectBlocks() = default;
  ~ObjectBlocks() { leave(); }
  ObjectBlocks(const ObjectBlocks&) = delete;
  ObjectBlocks& operator=(const ObjectBlocks&) = delete;

  // Returns memory for an object. One thread at a time may call it; the object may outlive this.
  // Throws std::bad_alloc.
  [[gnu::always_inline]] void* take(size_t size) {
    const size_t stride = stride_of(size);
    if (stride > static_cast<size_t>(end_ - next_)) [[unlikely]]
      grow(stride);
    ++made_;
    return begin(std::exchange(next_, next_ + stride), block_);
  }
  // Returns memory for an object without others. Throws std::bad_alloc.
  static void* take_alone(size_t size) {
    return begin(static_cast<std::byte*>(::operator new(sizeof(Head) + size)), nullptr);
  }
  // Gives back the memory of an object that has ended. Any thread may call it.
  static void give_back(void* object) noexcept {
    Head* const head = static_cast<Head*>(object) - 1;
    if (head->block)
      drop(head->block, 1);
    else
      ::operator delete(head);
  }

  // Gives back the memory of several objects with fewer atomic operations, at the end of the scope
  // at the latest.
  class Returns {
   public:
    Returns() = default;
    ~Returns() { flush(); }
    Returns(const Returns&) = delete;
    Returns& operator=(const Returns&) = delete;

    void add(void* object) noexcept {
      Head* const head = static_cast<Head*>(object) - 1;
      if (!head->block) return give_back(object);
      if (head->block != block_) flush();
      block_ = head->block;
      ++count_;
    }

   private:
    void flush() noexcept {
      if (count_ != 0) drop(block_, std::exchange(count_, 0));
    }

    Block* block_ = nullptr;
    uint32_t count_ = 0;
  };

 private:
  static constexpr size_t FEWEST = 2;                   // objects in the first block
  static constexpr uint32_t SHARE = uint32_t{1} << 31;  // more than objects fit into a block

  static constexpr size_t stride_of(size_t size) {
    return sizeof(Head) + (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }
  static void* begin(std::byte* place, Block* block) { return new (place) Head{block} + 1; }
  static void drop(Block* block, uint32_t count) noexcept {
    if (block->count.fetch_sub(count, std::memory_order_acq_rel) != count) return;
    if (block->is_spare)
      SpareBlocks::put(block);
    else
      ::operator delete(block);
  }
  // The block ends with the objects in it.
  void leave() noexcept {
    if (block_) drop(block_, SHARE - std::exchange(made_, 0));
  }
  [[gnu::noinline]] void grow(size_t stride) {
    const size_t wanted = block_ ? 2 * size_ : sizeof(Block) + FEWEST * stride;
    const size_t size = std::max(std::min(wanted, SpareBlocks::SIZE), sizeof(Block) + stride);
    const bool is_spare = size == SpareBlocks::SIZE;
    void* const memory = is_spare ? SpareBlocks::take() : ::operator new(size);
    leave();
    block_ = new (memory) Block{SHARE, is_spare};
    next_ = reinterpret_cast<std::byte*>(block_ + 1);
    end_ = static_cast<std::byte*>(memory) + size;
    size_ = size;
  }

  Block* block_ = nullptr;  // the one from which objects are taken
  std::byte *next_ = nullptr, *end_ = nullptr;
  size_t size_ = 0;    // of the block
  uint32_t made_ = 0;  // objects taken from the block
};

}  // namespace cucore
