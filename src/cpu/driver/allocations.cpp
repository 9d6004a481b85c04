// SPDX-License-Identifier: Apache-2.0
// Tracks allocations and charges them to the devices' budgets.
#include "cpu/driver/allocations.hpp"

#include <algorithm>
#include <mutex>

#include "cpu/driver/context.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/failure.hpp"
#include "cpu/driver/pool.hpp"

namespace cucore::cpu {
namespace {

constexpr uint64_t GRANULARITY = 512;

bool host_address(MemoryKind kind) {
  return kind == MemoryKind::PINNED || kind == MemoryKind::MANAGED ||
         kind == MemoryKind::REGISTERED;
}

uint64_t charge_for(const Allocation& a) {
  if (a.kind != MemoryKind::DEVICE || a.pool) return 0;
  return (a.size + GRANULARITY - 1) / GRANULARITY * GRANULARITY;
}

void give_back(const Allocation& a) {
  if (a.charged) a.device->refund(a.charged);
  if (a.pool) a.pool->returned(a.size);
}

}  // namespace

Allocations& Allocations::instance() {
  static Allocations& allocations = *new Allocations;  // never destroyed
  return allocations;
}

void Allocations::widen(uint64_t base, uint64_t size) {
  lowest_ = std::min(lowest_, base);
  highest_ = std::max(highest_, base + size);
}

void Allocations::note_device_addresses(uint64_t base, uint64_t size) {
  std::unique_lock lock(mutex_);
  widen(base, size);
}

void Allocations::add(std::shared_ptr<Allocation> allocation) {
  std::unique_lock lock(mutex_);
  allocation->id = next_id_++;
  allocation->origin = origin_of_thread();
  if (!host_address(allocation->kind)) widen(allocation->base, allocation->size);
  by_base_[allocation->base] = std::move(allocation);
}

uint64_t Allocations::allocate(const Context& context, MemoryKind kind, uint64_t size,
                               unsigned flags, std::shared_ptr<Pool> pool) {
  auto a = std::make_shared<Allocation>();
  a->size = size;
  a->kind = kind;
  a->context = context.id();
  a->context_handle = context.handle_bits();
  a->device = &context.device();
  a->flags = flags;
  a->pool = std::move(pool);
  require(size <= UINT64_MAX / 2, CUDA_ERROR_OUT_OF_MEMORY);
  uint64_t charge = charge_for(*a);
  require(a->device->charge(charge), CUDA_ERROR_OUT_OF_MEMORY);
  a->charged = charge;
  int device = a->pool ? a->pool->device().ordinal() : a->device->ordinal();
  a->base = AddressSpace::instance().allocate(size, GRANULARITY, kind, device, a->context);
  if (a->base == 0) {
    a->device->refund(charge);
    fail(CUDA_ERROR_OUT_OF_MEMORY);
  }
  uint64_t base = a->base;
  add(std::move(a));
  return base;
}

void Allocations::register_host(const Context& context, void* memory, uint64_t size,
                                unsigned flags) {
  const auto other = find(reinterpret_cast<uint64_t>(memory));
  require(!other || other->kind == MemoryKind::REGISTERED);  // memory of the driver itself
  bool fresh = AddressSpace::instance().register_host(memory, size, context.device().ordinal(),
                                                      context.id());
  require(fresh, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  auto a = std::make_shared<Allocation>();
  a->base = reinterpret_cast<uint64_t>(memory);
  a->size = size;
  a->kind = MemoryKind::REGISTERED;
  a->context = context.id();
  a->context_handle = context.handle_bits();
  a->device = &context.device();
  a->flags = (flags & CU_MEMHOSTREGISTER_PORTABLE) | CU_MEMHOSTREGISTER_DEVICEMAP;
  if (flags & CU_MEMHOSTREGISTER_READ_ONLY) AddressSpace::instance().set_read_only(a->base, true);
  add(std::move(a));
}

void Allocations::adopt_variable(const Context& context, uint64_t base, uint64_t size,
                                 bool managed) {
  auto a = std::make_shared<Allocation>();
  a->base = base;
  a->size = size;
  a->kind = managed ? MemoryKind::MANAGED : MemoryKind::CODE;
  a->context = 0;  // cuMemFree and the end of a context must not free it
  a->context_handle = context.handle_bits();
  a->device = &context.device();
  add(std::move(a));
}

uint64_t Allocations::adopt_graph_memory(const Context& context, Device& device, uint64_t size,
                                         std::weak_ptr<GraphMemory> memory) {
  auto a = std::make_shared<Allocation>();
  a->size = size;
  a->context = 0;  // only its graph ends it
  a->context_handle = context.handle_bits();
  a->device = &device;
  a->graph_memory = std::move(memory);
  a->base = AddressSpace::instance().allocate(size, GRANULARITY, MemoryKind::DEVICE,
                                              device.ordinal(), context.id());
  require(a->base != 0, CUDA_ERROR_OUT_OF_MEMORY);
  AddressSpace::instance().set_dormant(a->base, true);
  const uint64_t base = a->base;
  add(std::move(a));
  return base;
}

void Allocations::forget_variable(uint64_t base) { take(base); }

std::shared_ptr<Allocation> Allocations::find(uint64_t address) const {
  std::shared_lock lock(mutex_);
  auto next = by_base_.upper_bound(address);
  if (next == by_base_.begin()) return nullptr;
  const auto& a = std::prev(next)->second;
  return address - a->base < a->size ? a : nullptr;
}

std::shared_ptr<Allocation> Allocations::find_start(uint64_t address) const {
  std::shared_lock lock(mutex_);
  auto found = by_base_.find(address);
  return found == by_base_.end() ? nullptr : found->second;
}

bool Allocations::is_graph_memory(uint64_t address, uint64_t size) const {
  auto a = find(address);
  return a && !a->graph_memory.expired() && address + size <= a->base + a->size;
}

std::shared_ptr<Allocation> Allocations::take(uint64_t base) {
  std::unique_lock lock(mutex_);
  auto found = by_base_.find(base);
  if (found == by_base_.end()) return nullptr;
  auto a = std::move(found->second);
  by_base_.erase(found);
  return a;
}

bool Allocations::release(uint64_t base) {
  auto a = take(base);
  if (!a) return false;
  AddressSpace::instance().release(base);
  give_back(*a);
  return true;
}

bool Allocations::begin_async_free(uint64_t base) {
  std::unique_lock lock(mutex_);
  auto found = by_base_.find(base);
  if (found == by_base_.end() || found->second->free_pending) return false;
  if (!found->second->pool && !found->second->legacy_ipc()) return false;
  found->second->free_pending = true;
  return true;
}

bool Allocations::device_address(uint64_t address) const {
  std::shared_lock lock(mutex_);
  return address >= lowest_ && address < highest_;
}

Allocations::Leak Allocations::release_all(uint64_t context) {
  std::vector<uint64_t> bases;
  {
    std::shared_lock lock(mutex_);
    for (const auto& [base, a] : by_base_)
      if (a->context == context) bases.push_back(base);
  }
  Leak leak;
  for (uint64_t base : bases) {
    auto a = find_start(base);
    if (!a) continue;
    ++leak.count;
    leak.bytes += a->size;
    release(base);
  }
  return leak;
}

Allocations::Leak Allocations::live() const {
  std::shared_lock lock(mutex_);
  Leak leak;
  for (const auto& [base, a] : by_base_) {
    if (a->context == 0) continue;
    ++leak.count;
    leak.bytes += a->size;
  }
  return leak;
}

uint64_t Allocations::made() const {
  std::shared_lock lock(mutex_);
  return next_id_ - 1;
}

std::vector<std::shared_ptr<Allocation>> Allocations::made_after(uint64_t mark) const {
  std::shared_lock lock(mutex_);
  std::vector<std::shared_ptr<Allocation>> found;
  for (const auto& [base, a] : by_base_)
    if (a->context != 0 && a->id > mark && !a->free_pending) found.push_back(a);
  return found;
}

}  // namespace cucore::cpu
