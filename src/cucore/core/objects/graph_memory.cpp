// SPDX-License-Identifier: Apache-2.0
#include "core/objects/graph_memory.hpp"

#include <utility>

#include "core/objects/allocation.hpp"
#include "driver/stream_capture.hpp"

namespace cucore::core {

using driver::check;
using driver::cuda;

struct GraphMemory::Registry {
  std::mutex mutex;
  Addresses addresses;
};

GraphMemory::Registry& GraphMemory::registry() {
  static Registry& all = *new Registry;  // never destroyed
  return all;
}

GraphMemory::GraphMemory(Ref<Context> context, size_t size)
    : context_(std::move(context)), size_(size) {
  (void)registry();  // exists from now on, so later calls cannot fail
  Addresses one{{0, this}};
  slot_ = one.extract(one.begin());
}

// Memory of a graph that is gone may have had the address.
void GraphMemory::set_address(CUdeviceptr address) noexcept {
  address_ = address;
  const std::lock_guard lock(registry().mutex);
  slot_.key() = address;
  auto inserted = registry().addresses.insert(std::move(slot_));
  if (inserted.inserted) return;
  inserted.position->second = this;
  slot_ = std::move(inserted.node);
}

GraphMemory::~GraphMemory() {
  if (driver::is_gone()) return;  // as in release()
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().addresses.find(address_);
  if (found != registry().addresses.end() && found->second == this)
    registry().addresses.erase(found);
}

Ref<GraphMemory> GraphMemory::find(CUdeviceptr address) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().addresses.find(address);
  if (found == registry().addresses.end() || !found->second->try_add_reference()) return nullptr;
  return Ref<GraphMemory>::adopt(found->second);
}

void GraphMemory::begin_launch() noexcept {
  const std::lock_guard lock(mutex_);
  ++under_way_;
}

void GraphMemory::end_launch(Effect effect, const Stream& stream, bool is_done) noexcept {
  const Ref<const GraphMemory> self(this);
  Ref<const Stream> before;  // ends after the lock
  const std::lock_guard lock(mutex_);
  --under_way_;
  if (is_done) {
    const bool allocates = effect == Effect::ALLOCATES;
    launches_ += allocates;
    before = std::exchange(stream_, Ref<const Stream>(allocates ? &stream : nullptr));
  }
  free_unless_used();
}

// The caller has the lock, so that no launch begins meanwhile.
void GraphMemory::free_unless_used() noexcept {
  if (has_buffer_ || under_way_ != 0) return;
  const Ref<const Stream> order = std::exchange(stream_, nullptr);
  const auto* cu = driver::is_gone() ? nullptr : driver::cuda_if_available();
  if (waiting_ && order)
    Allocation::free_after(std::move(waiting_), order, launches_);
  else if (order && cu)
    free_again(*cu, *order);
  waiting_ = nullptr;
}

// For a launch after the end of the buffer, in the context of that launch.
void GraphMemory::free_again(const driver::CudaTable& cu, const Stream& order) noexcept {
  if (!order.needs_current_context()) return free_in_order(cu, *context_, address_, order.native());
  const driver::ContextGuard guard(order.context()->native(), std::nothrow);
  const driver::RelaxedCaptures relaxed;
  driver::check_release(cu.cuMemFreeAsync(address_, order.native()), "free memory of a graph");
}

bool GraphMemory::is_allocated() const noexcept {
  const std::lock_guard lock(mutex_);
  return static_cast<bool>(stream_);
}

void GraphMemory::release(std::unique_ptr<Allocation> allocation) noexcept {
  if (driver::is_gone()) return;            // another thread may have had the lock at a fork
  const Ref<const GraphMemory> self(this);  // the allocation has a reference
  const std::lock_guard lock(mutex_);
  has_buffer_ = false;
  waiting_ = std::move(allocation);
  free_unless_used();
}

namespace {

uint64_t attribute_of(const Device& device, CUgraphMem_attribute which) {
  cuuint64_t value = 0;
  check(cuda().cuDeviceGetGraphMemAttribute(device.native(), which, &value),
        [&] { return "query the memory of graphs on " + device.label(); });
  return value;
}

}  // namespace

GraphMemoryState query_graph_memory(const Device& device) {
  require_pools(device);
  const driver::RelaxedCaptures relaxed;
  GraphMemoryState state;
  state.used = attribute_of(device, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT);
  state.used_peak = attribute_of(device, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH);
  state.reserved = attribute_of(device, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT);
  state.reserved_peak = attribute_of(device, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH);
  return state;
}

void trim_graph_memory(const Device& device, bool resets_peaks) {
  require_pools(device);
  const driver::RelaxedCaptures relaxed;
  check(cuda().cuDeviceGraphMemTrim(device.native()),
        [&] { return "give memory of graphs back to " + device.label(); });
  if (!resets_peaks) return;
  for (const auto which : {CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH}) {
    cuuint64_t zero = 0;
    check(cuda().cuDeviceSetGraphMemAttribute(device.native(), which, &zero),
          [&] { return "reset the peaks of the memory of graphs on " + device.label(); });
  }
}

}  // namespace cucore::core
