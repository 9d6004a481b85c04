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
 public:
  ObjectBlocks() = default;
  ~ObjectBlocks() { leave(); }
  ObjectBlocks(const ObjectBlocks&) = delete;
  ObjectBlocks& operator=(const ObjectBlocks&) = delete;

  // Returns memory for an object. One thread at a time may call it; the object may outlive this.
  // Throws std::bad_alloc.
  void* take(size_t size) {
    if (next_ == end_ || size != size_) [[unlikely]]
      grow(size);
    return begin(std::exchange(next_, next_ + stride_of(size)), block_);
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

 private:
  // The parts of a block have the alignment of operator new.
  static constexpr size_t ALIGNMENT = __STDCPP_DEFAULT_NEW_ALIGNMENT__;
  struct alignas(ALIGNMENT) Block {
    std::atomic<uint32_t> count;  // objects that live or are still to be made
    bool is_spare;                // whether it has the size of spare blocks
  };
  struct alignas(ALIGNMENT) Head {
    Block* block;  // null: the object is alone
  };
  static constexpr size_t FEWEST = 2;  // objects in a block

  static size_t stride_of(size_t size) {
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
  // The block ends without the objects that were still to be made. If all were made, the last of
  // them may have ended it.
  void leave() noexcept {
    if (next_ != end_)
      drop(block_, static_cast<uint32_t>(static_cast<size_t>(end_ - next_) / stride_of(size_)));
  }
  void grow(size_t size) {
    const size_t stride = stride_of(size);
    const size_t most = std::max<size_t>((SpareBlocks::SIZE - sizeof(Block)) / stride, 1);
    const size_t count = std::min(std::max(FEWEST, 2 * count_), most);
    const bool is_spare = count == most && sizeof(Block) + stride <= SpareBlocks::SIZE;
    void* const memory =
        is_spare ? SpareBlocks::take() : ::operator new(sizeof(Block) + count * stride);
    leave();
    block_ = new (memory) Block{static_cast<uint32_t>(count), is_spare};
    next_ = reinterpret_cast<std::byte*>(block_ + 1);
    end_ = next_ + count * stride;
    size_ = size;
    count_ = count;
  }

  Block* block_ = nullptr;  // the one from which objects are taken
  std::byte *next_ = nullptr, *end_ = nullptr;
  size_t size_ = 0, count_ = 0;
};

}  // namespace cucore
