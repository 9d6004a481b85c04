// SPDX-License-Identifier: Apache-2.0
#include "core/graph/plain_nodes.hpp"

#include "core/graph/held_objects.hpp"

namespace cucore::core {

PlainStore::Block& PlainStore::grow(size_t bytes) {
  const size_t wanted = last_ ? 2 * last_->size : FIRST_SIZE;
  // The places after the last node are aligned too, so the end of the block must be.
  constexpr size_t ALIGNMENT = alignof(PlainNode);
  const size_t needed = (sizeof(Block) + bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
  const size_t size = std::max(std::min(wanted, SpareBlocks::SIZE), needed);
  void* const memory = size == SpareBlocks::SIZE ? SpareBlocks::take() : ::operator new(size);
  return *(last_ = new (memory) Block{last_, size});
}

PlainStore::~PlainStore() {
  while (Block* const block = last_) {
    last_ = block->before;
    if (block->size == SpareBlocks::SIZE)
      SpareBlocks::put(block);
    else
      ::operator delete(block);
  }
}

void PlainNodes::erase_first(size_t count) noexcept {
  list_.erase_first(count);
  nodes_of_keep_ = SIZE_MAX;
  if (!list_.empty()) return;
  next_ = end_ = nullptr;
  store_ = nullptr;
  owner_ = new_owner_number();
}

bool PlainNodes::copy_arguments(PlainNode& node, const Context& context,
                                const ParameterSizes& sizes, std::span<const cucore_argument> given,
                                const BufferHandles& handles, void** pointers) {
  const auto copy_value = [](void* to, const void* from, size_t size) {
    KernelArguments::copy_value(to, from, size);
    return true;
  };
  const auto find = [&](const void* handle) {
    const Buffer* const kept = BufferHandles::peek_kept(handle, owner_);
    return kept ? kept : keep_buffer(handle, handles);
  };
  return sizes.are_narrow ? copy<true>(node, context, sizes, given, pointers, copy_value, find)
                          : copy<false>(node, context, sizes, given, pointers, copy_value, find);
}

const Object* PlainNodes::take_kept() noexcept try {
  if (nodes_of_keep_ != list_.size()) return nullptr;
  auto dropped = make<HeldObjects>(store_->kept.newest(kept_before_));
  store_->kept.shrink(kept_before_);
  store_->may_print = might_print_before_;
  owner_ = new_owner_number();
  return dropped.detach();
} catch (const std::bad_alloc&) {
  return nullptr;
}

void PlainNodes::keep(const Object& object) {
  ObjectSet& kept = store_->kept;  // made by reserve()
  if (kept.contains(object)) return;
  if (nodes_of_keep_ != list_.size()) {
    nodes_of_keep_ = list_.size();
    kept_before_ = kept.size();
    might_print_before_ = store_->may_print;
  }
  kept.add(object);
}

void PlainNodes::keep(const Kernel& kernel, const KernelImage& image) {
  keep(kernel);
  store_->may_print |= image.can_print;
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
  if (!store_) store_ = make<PlainStore>();
  PlainStore::Block& block = store_->grow(bytes);
  next_ = reinterpret_cast<std::byte*>(&block + 1);
  end_ = reinterpret_cast<std::byte*>(&block) + block.size;
}

}  // namespace cucore::core
