// SPDX-License-Identifier: Apache-2.0
#include "core/objects/stream_blocks.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "core/objects/pool.hpp"
#include "driver/stream_capture.hpp"

namespace cucore::core {

void free_in_order(const driver::CudaTable& cu, const Context& context, CUdeviceptr address,
                   CUstream stream) noexcept {
  const driver::RelaxedCaptures relaxed;
  CUresult result = cu.cuMemFreeAsync(address, stream);
  if (result == CUDA_ERROR_INVALID_CONTEXT) [[unlikely]] {
    const driver::ContextGuard guard(context.native(), std::nothrow);
    result = cu.cuMemFreeAsync(address, stream);
  }
  driver::check_release(result, "free device memory");
}

void BlockRegistry::add(StreamBlocks& blocks) {
  std::lock_guard lock(mutex_);
  std::lock_guard own(blocks.mutex_);
  if (blocks.is_registered_) return;
  streams_.push_back(&blocks);
  blocks.is_registered_ = true;
}

void BlockRegistry::remove(StreamBlocks& blocks) noexcept {
  std::lock_guard lock(mutex_);
  std::erase(streams_, &blocks);
}

void BlockRegistry::free_blocks(const driver::CudaTable& cu, const Pool* pool) noexcept {
  std::lock_guard lock(mutex_);
  for (StreamBlocks* const blocks : streams_) blocks->free_blocks(cu, pool);
}

void PoolRegistry::add(CUmemoryPool pool) {
  std::lock_guard lock(mutex_);
  pools_.push_back(pool);
}

void PoolRegistry::remove(CUmemoryPool pool) noexcept {
  std::lock_guard lock(mutex_);
  std::erase(pools_, pool);
}

void PoolRegistry::trim(const driver::CudaTable& cu) noexcept {
  std::lock_guard lock(mutex_);
  if (!cu.cuMemPoolTrimTo) return;
  for (const CUmemoryPool pool : pools_) (void)cu.cuMemPoolTrimTo(pool, 0);
}

CUdeviceptr StreamBlocks::take(const Pool& pool, size_t size) noexcept {
  std::lock_guard lock(mutex_);
  if (bytes_ == 0) return 0;
  for (Block& block : blocks_) {
    if (block.pool != &pool || block.size != size) continue;
    block.pool = nullptr;
    bytes_ -= size;
    pool.remove_cached(size);
    return block.address;
  }
  return 0;
}

bool StreamBlocks::is_registered() noexcept {
  std::lock_guard lock(mutex_);
  return is_registered_;
}

// The registry's lock comes before that of the blocks.
bool StreamBlocks::put(const driver::CudaTable& cu, const Pool& pool, CUdeviceptr address,
                       size_t size, BlockRegistry& registry) noexcept {
  if (size > MOST_BYTES || !pool.can_cache(size)) return false;
  try {
    if (!is_registered()) registry.add(*this);
  } catch (const std::bad_alloc&) {
    return false;
  }
  std::lock_guard lock(mutex_);
  if (is_closed_) return false;
  make_room(cu, size) = {&pool, address, size, ++released_};
  bytes_ += size;
  pool.add_cached(size);
  return true;
}

StreamBlocks::Block& StreamBlocks::make_room(const driver::CudaTable& cu, size_t size) noexcept {
  constexpr auto age = [](const Block& block) { return block.pool ? block.number : UINT64_MAX; };
  while (bytes_ + size > MOST_BYTES) free_block(cu, *std::ranges::min_element(blocks_, {}, age));
  const auto room = std::ranges::find(blocks_, nullptr, &Block::pool);
  if (room != blocks_.end()) return *room;
  Block& oldest = *std::ranges::min_element(blocks_, {}, age);
  free_block(cu, oldest);
  return oldest;
}

void StreamBlocks::free_block(const driver::CudaTable& cu, Block& block) noexcept {
  const Pool& pool = *std::exchange(block.pool, nullptr);
  pool.remove_cached(block.size);
  bytes_ -= block.size;
  free_in_order(cu, *pool.context(), block.address, stream_);
}

void StreamBlocks::free_blocks(const driver::CudaTable& cu, const Pool* pool) noexcept {
  std::lock_guard lock(mutex_);
  for (Block& block : blocks_)
    if (block.pool && (!pool || block.pool == pool)) free_block(cu, block);
}

bool StreamBlocks::close() noexcept {
  std::lock_guard lock(mutex_);
  is_closed_ = true;
  return bytes_ != 0;
}

}  // namespace cucore::core
