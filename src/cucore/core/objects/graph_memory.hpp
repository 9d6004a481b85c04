// SPDX-License-Identifier: Apache-2.0
// Memory that a node of a graph allocates at each launch, always at one address. It is freed by a
// node, or in the order of the last launch when its buffer is gone.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "core/objects/stream.hpp"

namespace cucore::core {

class Allocation;

class GraphMemory final : public Object {
 public:
  // The address is not known before the driver has added the node.
  GraphMemory(Ref<Context> context, size_t size);
  void set_address(CUdeviceptr address) noexcept;

  // Returns the memory of a node that allocates at the address, or null if the library has none.
  static Ref<GraphMemory> find(CUdeviceptr address);

  const Ref<Context>& context() const { return context_; }
  CUdeviceptr address() const { return address_; }
  size_t size() const { return size_; }

  // The state after a launch.
  enum class Effect : uint8_t { ALLOCATES, FREES };
  // A launch is between these calls. `is_done` is false if the driver has refused it. The end frees
  // memory whose buffer is gone, and needs an access to the context.
  void begin_launch() noexcept;
  void end_launch(Effect effect, const Stream& stream, bool is_done) noexcept;
  // Whether the last launch has left the memory allocated.
  bool is_allocated() const noexcept;

  // The buffer is gone: frees the memory after the last launch and the recorded uses.
  void release(std::unique_ptr<Allocation> allocation) noexcept;
  // The number of the launches that have allocated the memory. A free that comes later than
  // another launch must not free the memory of that.
  uint64_t launches() const noexcept { return launches_.load(); }

 private:
  using Addresses = std::map<CUdeviceptr, GraphMemory*>;
  struct Registry;
  static Registry& registry();

  ~GraphMemory() override;
  void free_unless_used() noexcept;
  void free_again(const driver::CudaTable& cu, const Stream& order) noexcept;

  const Ref<Context> context_;
  const size_t size_;
  CUdeviceptr address_ = 0;
  Addresses::node_type slot_;  // for the registry, so that set_address() cannot fail
  mutable std::mutex mutex_;
  Ref<const Stream> stream_;  // of the last launch, while the memory is allocated
  std::atomic<uint64_t> launches_{0};
  unsigned under_way_ = 0;
  bool has_buffer_ = true;
  std::unique_ptr<Allocation> waiting_;  // released during a launch
};

struct GraphMemoryState {
  uint64_t used = 0, used_peak = 0, reserved = 0, reserved_peak = 0;
};

// The memory that the graphs of a device have. Throw UNSUPPORTED if the device has no pools.
GraphMemoryState query_graph_memory(const Device& device);
void trim_graph_memory(const Device& device, bool resets_peaks);

}  // namespace cucore::core
