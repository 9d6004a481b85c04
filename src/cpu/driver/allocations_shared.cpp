// SPDX-License-Identifier: Apache-2.0
// Allocations whose bytes are in files: mappings of physical memory, and memory between processes.
#include "cpu/driver/allocations.hpp"
#include "cpu/driver/context.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/ipc.hpp"
#include "cpu/driver/physical.hpp"
#include "cpu/driver/pool.hpp"
#include "cpu/driver/process.hpp"

#include <mutex>

namespace cucore::cpu {

void wait_for_users(const Allocation& allocation) {
  auto context = current_context_unchecked();
  if (!context) {
    auto owner = Registry::instance().find(ObjectKind::CONTEXT, allocation.context_handle);
    context = std::static_pointer_cast<Context>(owner);
  }
  if (context && context->error() == CUDA_SUCCESS) context->synchronize();
}

uint64_t Allocations::allocate_shared(const Context& context, std::shared_ptr<SharedMemory> memory,
                                      Source source, std::shared_ptr<Pool> pool) {
  auto a = std::make_shared<Allocation>();
  a->size = memory->size();
  a->context = context.id();
  a->context_handle = context.handle_bits();
  a->device = &find_device(memory->header().device);
  a->pool = std::move(pool);
  a->source = source;
  a->shared = memory;
  a->opened = 1;
  a->base =
      AddressSpace::instance().allocate_shared(std::move(memory), a->device->ordinal(), a->context);
  require(a->base != 0, CUDA_ERROR_OUT_OF_MEMORY);
  // The flag of cuIpcOpenMemHandle requests the access.
  if (source == Source::IPC) context.device().add_pool_peer(a->device->ordinal());
  const uint64_t base = a->base;
  add(std::move(a));
  return base;
}

std::shared_ptr<Allocation> Allocations::opened(const Context& context,
                                                const IpcBytes& bytes) const {
  for (const auto& [base, a] : by_base_) {
    if (a->source == Source::IPC && a->context == context.id() &&
        a->shared->header().key == bytes.key)
      return a;
  }
  return nullptr;
}

uint64_t Allocations::open_ipc(Context& context, const IpcBytes& bytes) {
  {
    std::unique_lock lock(mutex_);
    if (auto a = opened(context, bytes)) {
      ++a->opened;
      return a->base;
    }
  }
  return allocate_shared(context, cpu::open_ipc(bytes), Source::IPC, nullptr);
}

bool Allocations::close_ipc(uint64_t base) {
  {
    std::unique_lock lock(mutex_);
    auto found = by_base_.find(base);
    if (found == by_base_.end() || found->second->source != Source::IPC) return false;
    if (--found->second->opened > 0) return true;
  }
  return release(base);
}

bool Allocations::map(std::shared_ptr<Physical> physical, uint64_t address, uint64_t size) {
  auto a = std::make_shared<Allocation>();
  a->base = address;
  a->size = size;
  a->kind = MemoryKind::MAPPED;
  a->device = &physical->device();
  const int device = a->device->ordinal();
  if (!AddressSpace::instance().map(address, size, physical->memory(), device)) return false;
  a->physical = std::move(physical);
  add(std::move(a));
  return true;
}

std::vector<std::shared_ptr<Allocation>> Allocations::mappings(uint64_t address,
                                                               uint64_t size) const {
  std::shared_lock lock(mutex_);
  std::vector<std::shared_ptr<Allocation>> found;
  if (size > UINT64_MAX - address) return found;
  uint64_t at = address;
  for (auto it = by_base_.find(address); at < address + size; ++it) {
    if (it == by_base_.end() || it->first != at || !it->second->physical) return {};
    found.push_back(it->second);
    at += it->second->size;
  }
  if (at != address + size) return {};
  return found;
}

uint64_t Allocations::mapping_count() const {
  std::shared_lock lock(mutex_);
  uint64_t count = 0;
  for (const auto& [base, a] : by_base_) count += a->physical != nullptr;
  return count;
}

}  // namespace cucore::cpu
