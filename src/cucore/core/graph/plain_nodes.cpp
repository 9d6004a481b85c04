// SPDX-License-Identifier: Apache-2.0
#include "core/graph/plain_nodes.hpp"

namespace cucore::core {

void PlainNodes::erase_first(size_t count) noexcept {
  list_.erase_first(count);
  nodes_of_keep_ = SIZE_MAX;
  if (!list_.empty()) return;
  free_blocks();
  kept_.clear();
  owner_ = new_owner_number();
}

void PlainNodes::keep(const Object& object) try {
  if (kept_.contains(object)) return;
  if (nodes_of_keep_ != list_.size()) nodes_of_keep_ = list_.size(), kept_before_ = kept_.size();
  kept_.add(object);
} catch (...) {
  drop_kept();
  throw;
}

bool PlainNodes::copy_wide_arguments(PlainNode& node, const Context& context,
                                     const ParameterSizes& sizes,
                                     std::span<const cucore_argument> given,
                                     const BufferHandles& handles, void** pointers) {
  return copy<false>(node, context, sizes, given, handles, pointers);
}

void PlainNodes::drop_kept() noexcept {
  if (nodes_of_keep_ != list_.size()) return;
  kept_.shrink(kept_before_);
  owner_ = new_owner_number();
}

void PlainNodes::keep(const Kernel& kernel, const KernelImage& image) {
  keep(kernel);
  image.mark.set(owner_);
}

const Buffer* PlainNodes::keep_buffer(const void* handle, const BufferHandles& handles) {
  const HandleReference<const Buffer> reference(handle, handles);
  if (!reference.object()) return nullptr;
  keep(*reference.object());
  BufferHandles::mark(handle, owner_);
  return reference.object();
}

void PlainNodes::grow(size_t bytes) {
  const size_t wanted = last_ ? 2 * last_->size : FIRST_SIZE;
  const size_t size = std::max(std::min(wanted, SpareBlocks::SIZE), sizeof(Block) + bytes);
  void* const memory = size == SpareBlocks::SIZE ? SpareBlocks::take() : ::operator new(size);
  last_ = new (memory) Block{last_, size};
  next_ = reinterpret_cast<std::byte*>(last_ + 1);
  end_ = static_cast<std::byte*>(memory) + size;
}

void PlainNodes::free_blocks() noexcept {
  next_ = end_ = nullptr;
  while (Block* const block = last_) {
    last_ = block->before;
    if (block->size == SpareBlocks::SIZE)
      SpareBlocks::put(block);
    else
      ::operator delete(block);
  }
}

}  // namespace cucore::core
