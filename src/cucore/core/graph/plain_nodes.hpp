// SPDX-License-Identifier: Apache-2.0
// The newest kernel nodes of a graph that a program builds by hand. A graph may have thousands, and
// each call of the driver replaces most of the cache. So a node is small, and the nodes follow each
// other in memory. The graph keeps the objects that they use once for all of them. Each becomes a
// GraphNode when somebody asks for a node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "core/graph/kernel_arguments.hpp"
#include "core/load/launch_handles.hpp"
#include "core/objects/launch_extents.hpp"
#include "support/keep_mark.hpp"
#include "support/object_set.hpp"
#include "support/pointer_list.hpp"
#include "support/spare_blocks.hpp"

namespace cucore::core {

using NodeNumber = uint64_t;

// The values of the arguments follow the node, then come the buffers among them.
struct alignas(ParameterRoom::GREATEST_ALIGNMENT) PlainNode {
  NodeNumber number;
  NodeNumber before;  // the node that it comes after; 0: none
  CUgraphNode native;
  const Kernel* kernel;
  uint32_t extents[6];  // of the grid and of a block, as in the options of a launch
  uint32_t dynamic_shared;
  uint32_t buffer_count;

  std::byte* values() const {
    return const_cast<std::byte*>(reinterpret_cast<const std::byte*>(this + 1));
  }
  // `value_bytes` are those of ParameterSizes.
  const Buffer** buffers(size_t value_bytes) const {
    return reinterpret_cast<const Buffer**>(values() + value_bytes);
  }
};

// The memory of plain nodes, and the objects that they use. Executables share it with their graph.
class PlainStore final : public Object {
 public:
  PlainStore() = default;

  struct alignas(alignof(PlainNode)) Block {
    Block* before;
    size_t size;  // in bytes, with this head
  };
  // Adds a block with room for so many bytes. Throws std::bad_alloc.
  Block& grow(size_t bytes);

  ObjectSet kept;
  bool may_print = false;

 private:
  ~PlainStore() override;

  static constexpr size_t FIRST_SIZE = 512;
  Block* last_ = nullptr;
};

// The caller has the lock of the graph.
class PlainNodes {
 public:
  PlainNodes() = default;
  PlainNodes(const PlainNodes&) = delete;
  PlainNodes& operator=(const PlainNodes&) = delete;

  // In the order of adding; their numbers ascend.
  const PointerList<PlainNode>& list() const { return list_; }
  // Returns the node of a number, or null.
  const PlainNode* find(NodeNumber number) const {
    if (list_.empty()) return nullptr;
    if (list_.back()->number == number) [[likely]]
      return list_.back();
    const auto found =
        std::ranges::lower_bound(list_, number, {}, [](const auto& node) { return node->number; });
    return found != list_.end() && (*found)->number == number ? *found : nullptr;
  }

  // Returns memory for the next node, for push_back(). Throws std::bad_alloc.
  PlainNode* reserve(size_t value_bytes, size_t arguments) {
    const size_t most = most_bytes(value_bytes, arguments);
    if (most > free_bytes()) grow(most);
    list_.reserve_one();
    return reinterpret_cast<PlainNode*>(next_);
  }
  // The same; returns null if that needs reserve().
  PlainNode* reserved(size_t value_bytes, size_t arguments) const noexcept {
    if (most_bytes(value_bytes, arguments) > free_bytes() || !list_.has_room()) [[unlikely]]
      return nullptr;
    return reinterpret_cast<PlainNode*>(next_);
  }
  void push_back(PlainNode* node, size_t value_bytes) noexcept {
    constexpr size_t ALIGNMENT = alignof(PlainNode);
    const auto end = reinterpret_cast<uintptr_t>(node->buffers(value_bytes) + node->buffer_count);
    next_ = reinterpret_cast<std::byte*>((end + ALIGNMENT - 1) & ~(ALIGNMENT - 1));
    list_.push_back_reserved(node);
  }
  void pop_back() noexcept {
    next_ = reinterpret_cast<std::byte*>(list_.back());
    list_.pop_back();
  }
  // The number of the next nodes that the driver gets kernels for, because the context of the graph
  // was not current.
  uint32_t& nodes_without_function() { return nodes_without_function_; }
  static constexpr uint32_t WITHOUT_FUNCTION = 63;

  // Returns what the driver gets for the next node.
  RepeatedLaunch<CUDA_KERNEL_NODE_PARAMS>& next() { return next_launch_; }
  // Copies the arguments of the next node, and sets the pointers to them. Returns false if an
  // argument is an error, or a buffer that only all checks can decide about. Throws as keep().
  bool copy_arguments(PlainNode& node, const Context& context, const ParameterSizes& sizes,
                      std::span<const cucore_argument> given, const BufferHandles& handles,
                      void** pointers);
  // The same for narrow ones whose buffers are kept already. Calls nothing. Returns false if that
  // does not suffice.
  [[gnu::always_inline]] bool copy_kept_arguments(PlainNode& node, const Context& context,
                                                  const ParameterSizes& sizes,
                                                  std::span<const cucore_argument> given,
                                                  void** pointers) const {
    const uint64_t owner = owner_;
    return copy<true>(
        node, context, sizes, given, pointers,
        [](void* to, const void* from, size_t size) {
          return KernelArguments::try_copy_value(to, from, size);
        },
        [owner](const void* handle) { return BufferHandles::peek_kept(handle, owner); });
  }
  // Forgets the first nodes, which are GraphNodes now. Without nodes it keeps no object.
  void erase_first(size_t count) noexcept;

  // Null unless there are nodes, or were some before a failure.
  const Ref<PlainStore>& store() const { return store_; }
  // The number of this owner, which the marks of the objects that it keeps have.
  uint64_t owner() const { return owner_; }
  // Keeps an object without its mark, for the next node. Throws std::bad_alloc.
  [[gnu::noinline]] void keep(const Kernel& kernel, const KernelImage& image);
  // The same. Returns the buffer, or null for a dead handle.
  [[gnu::noinline]] const Buffer* keep_buffer(const void* handle, const BufferHandles& handles);
  // The next node will not be added. Returns an object that keeps what only it would use. The
  // caller drops it after the lock, because that may run functions of the program. Null: nothing,
  // or memory lacks; then the graph keeps the objects.
  Ref<const Object> drop_kept() noexcept { return Ref<const Object>::adopt(take_kept()); }

 private:
  static size_t most_bytes(size_t value_bytes, size_t arguments) {
    return sizeof(PlainNode) + value_bytes + arguments * sizeof(const Buffer*);
  }
  size_t free_bytes() const { return static_cast<size_t>(end_ - next_); }
  // `copy_value` returns whether it could, `find` the buffer of a handle or null.
  template <bool ARE_NARROW, class CopyValue, class Find>
  [[gnu::always_inline]] static bool copy(PlainNode& node, const Context& context,
                                          const ParameterSizes& sizes,
                                          std::span<const cucore_argument> given, void** pointers,
                                          CopyValue copy_value, Find find);
  void keep(const Object& object);
  // The result is in a register, so that the caller's variable need not be in memory.
  [[gnu::cold, gnu::noinline]] const Object* take_kept() noexcept;
  [[gnu::noinline]] void grow(size_t bytes);

  std::byte *next_ = nullptr, *end_ = nullptr;  // of the last block
  PointerList<PlainNode> list_;
  uint64_t owner_ = new_owner_number();
  RepeatedLaunch<CUDA_KERNEL_NODE_PARAMS> next_launch_;
  Ref<PlainStore> store_;
  // The number of nodes at the last keep(), and the state of the store before it.
  size_t nodes_of_keep_ = SIZE_MAX, kept_before_ = 0;
  bool might_print_before_ = false;
  uint32_t nodes_without_function_ = 0;
};

template <bool ARE_NARROW, class CopyValue, class Find>
[[gnu::always_inline]] inline bool PlainNodes::copy(PlainNode& node, const Context& context,
                                                    const ParameterSizes& sizes,
                                                    std::span<const cucore_argument> given,
                                                    void** pointers, CopyValue copy_value,
                                                    Find find) {
  std::byte* const values = node.values();
  std::byte* place = values;
  const Buffer** const buffers = node.buffers(sizes.bytes);
  const Buffer** end = buffers;
  const size_t count = given.size();
  for (size_t i = 0; i < count; ++i) {
    const cucore_argument& argument = given[i];
    const size_t size = sizes.sizes[i];
    if (!ARE_NARROW)
      place = values + ParameterRoom::place_of(static_cast<size_t>(place - values), size);
    pointers[i] = place;
    if (argument.size == size && argument.data) [[likely]] {
      if (!copy_value(place, argument.data, size)) [[unlikely]]
        return false;
    } else {
      if (!is_buffer(argument) || !sizes.takes_address(i)) [[unlikely]]
        return false;
      const Buffer* const buffer = find(argument.data);
      if (!buffer || buffer->context().get() != &context) [[unlikely]]
        return false;
      const CUdeviceptr address = buffer->address();
      std::memcpy(place, &address, sizeof address);
      *end++ = buffer;
    }
    place += ARE_NARROW ? sizeof(uint64_t) : size;
  }
  node.buffer_count = static_cast<uint32_t>(end - buffers);
  return true;
}

}  // namespace cucore::core
