// SPDX-License-Identifier: Apache-2.0
// Blocks of pools that buffers of a stream have released, for the next buffers of the same size on
// the same stream. The order of the stream is enough for that: no call of the driver is necessary.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "driver/cuda.hpp"

namespace cucore::core {

class Context;
class Pool;
class StreamBlocks;

// Frees memory in the order of a stream of the library. Needs a ContextAccess, and makes the
// context current if the driver requires it.
void free_in_order(const driver::CudaTable& cu, const Context& context, CUdeviceptr address,
                   CUstream stream) noexcept;

// The streams of a context that have blocks. A stream leaves before it is destroyed.
class BlockRegistry {
 public:
  // Does nothing if the stream is there.
  void add(StreamBlocks& blocks);
  void remove(StreamBlocks& blocks) noexcept;

  // Frees the blocks of the pool, or of all pools if it is null, in the order of their streams. The
  // context must be alive.
  void free_blocks(const driver::CudaTable& cu, const Pool* pool) noexcept;

 private:
  std::mutex mutex_;
  std::vector<StreamBlocks*> streams_;
};

// The pools of a context that the library has created. They keep memory that others may need.
class PoolRegistry {
 public:
  void add(CUmemoryPool pool);
  void remove(CUmemoryPool pool) noexcept;
  void trim(const driver::CudaTable& cu) noexcept;

 private:
  std::mutex mutex_;
  std::vector<CUmemoryPool> pools_;
};

class StreamBlocks {
 public:
  explicit StreamBlocks(CUstream stream) : stream_(stream) {}

  // Returns 0 if the stream has no block of the pool of exactly this size.
  CUdeviceptr take(const Pool& pool, size_t size) noexcept;

  // Frees the oldest blocks if the block needs their room. Returns false if the caller must free
  // the block: it is too large for the stream or the pool, or close() was called.
  bool put(const driver::CudaTable& cu, const Pool& pool, CUdeviceptr address, size_t size,
           BlockRegistry& registry) noexcept;

  // Frees the blocks of the pool, or all if it is null.
  void free_blocks(const driver::CudaTable& cu, const Pool* pool) noexcept;

  // From now on keeps no blocks: the stream may be captured, or is about to be destroyed. Returns
  // whether the caller must free blocks.
  bool close() noexcept;
  bool is_registered() noexcept;

 private:
  friend class BlockRegistry;
  struct Block {
    const Pool* pool = nullptr;  // null: an empty place
    CUdeviceptr address = 0;
    size_t size = 0;
    uint64_t number = 0;  // in the order of their releases
  };
  static constexpr size_t MOST_BLOCKS = 8;
  static constexpr size_t MOST_BYTES = size_t{64} << 20;

  Block& make_room(const driver::CudaTable& cu, size_t size) noexcept;
  void free_block(const driver::CudaTable& cu, Block& block) noexcept;

  const CUstream stream_;
  std::mutex mutex_;
  std::array<Block, MOST_BLOCKS> blocks_{};
  size_t bytes_ = 0;
  uint64_t released_ = 0;
  bool is_registered_ = false, is_closed_ = false;
};

}  // namespace cucore::core
