// SPDX-License-Identifier: Apache-2.0
// Lifetime of the memory of graphs and its accounts per device.
#include "cpu/driver/graph/graph_memory.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "cpu/driver/allocations.hpp"
#include "cpu/driver/context.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/driver/stream.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu {
namespace {

constexpr uint64_t GRAPH_MEMORY_UNIT = 512;
uint64_t charged_bytes(uint64_t size) {
  return (size + GRAPH_MEMORY_UNIT - 1) / GRAPH_MEMORY_UNIT * GRAPH_MEMORY_UNIT;
}

struct Account {
  uint64_t used = 0, used_high = 0;
  uint64_t claimed = 0;  // by submitted work
  uint64_t reserved = 0, reserved_high = 0;
};
struct Accounts {
  std::mutex mutex;
  std::map<int, Account> by_device;
  std::set<std::shared_ptr<GraphMemory>> unfreed;
};
Accounts& accounts() {
  static Accounts& a = *new Accounts;  // never destroyed
  return a;
}
Account& account(const Device& device) { return accounts().by_device[device.ordinal()]; }

}  // namespace

std::shared_ptr<GraphMemory> GraphMemory::make(const Context& context, Device& device,
                                               uint64_t size) {
  require(size > 0);
  require(size <= device.memory_limit(), CUDA_ERROR_OUT_OF_MEMORY);
  std::shared_ptr<GraphMemory> made(new GraphMemory(device, context.id(), size));
  made->address_ = Allocations::instance().adopt_graph_memory(context, device, size, made);
  return made;
}

GraphMemory::~GraphMemory() {
  if (address_ == 0) return;
  Allocations::instance().release(address_);
  std::lock_guard lock(accounts().mutex);
  Account& a = account(device_);
  if (exists_) a.used -= charged_bytes(size_);
  if (claims_ != 0) a.claimed -= charged_bytes(size_);
}

// The address is fixed, so all launches that claim it use the same memory.
bool GraphMemory::claim() {
  std::lock_guard lock(accounts().mutex);
  if (claims_ != 0) {
    ++claims_;
    return true;
  }
  Account& a = account(device_);
  const uint64_t needed = a.claimed + charged_bytes(size_);
  if (needed > a.reserved) {
    if (!device_.charge(needed - a.reserved)) return false;
    a.reserved = needed;
    a.reserved_high = std::max(a.reserved_high, needed);
  }
  a.claimed = needed;
  claims_ = 1;
  return true;
}

void GraphMemory::give_up() {
  std::lock_guard lock(accounts().mutex);
  if (claims_ == 0 || --claims_ != 0) return;
  account(device_).claimed -= charged_bytes(size_);
}

bool GraphMemory::unfreed() const {
  std::lock_guard lock(accounts().mutex);
  return unfreed_;
}

void GraphMemory::set_unfreed(bool unfreed) {
  auto self = shared_from_this();  // lives longer than the lock
  std::lock_guard lock(accounts().mutex);
  unfreed_ = unfreed;
  if (unfreed)
    accounts().unfreed.insert(self);
  else
    accounts().unfreed.erase(self);
}

void GraphMemory::free_in(Stream& stream) {
  auto self = shared_from_this();
  {
    std::lock_guard lock(accounts().mutex);
    require(unfreed_);
    unfreed_ = false;
    accounts().unfreed.erase(self);
  }
  stream.submit([self] { self->end(); }, Stream::Run::ALWAYS);
}

GraphMemoryLeak end_graph_memory(uint64_t context) {
  std::vector<std::shared_ptr<GraphMemory>> ended;
  {
    std::lock_guard lock(accounts().mutex);
    for (const auto& memory : accounts().unfreed)
      if (memory->context_ == context) ended.push_back(memory);
  }
  GraphMemoryLeak leak;
  for (const auto& memory : ended) {
    ++leak.count;
    leak.bytes += memory->size();
    memory->set_unfreed(false);
    memory->end();
  }
  return leak;
}

void GraphMemory::begin() {
  AddressSpace::instance().set_dormant(address_, false);
  std::lock_guard lock(accounts().mutex);
  Account& a = account(device_);
  if (!exists_) a.used += charged_bytes(size_);
  exists_ = true;
  a.used_high = std::max(a.used_high, a.used);
}

void GraphMemory::end() {
  AddressSpace::instance().set_dormant(address_, true);
  {
    std::lock_guard lock(accounts().mutex);
    if (exists_) account(device_).used -= charged_bytes(size_);
    exists_ = false;
  }
  give_up();
}

std::shared_ptr<GraphMemory> graph_memory_of(const std::shared_ptr<Allocation>& a) {
  return a ? a->graph_memory.lock() : nullptr;
}

uint64_t graph_memory_attribute(const Device& device, CUgraphMem_attribute which) {
  std::lock_guard lock(accounts().mutex);
  const Account& a = account(device);
  switch (which) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
      return a.used;
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
      return a.used_high;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
      return a.reserved;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
      return a.reserved_high;
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
  }
}

void reset_graph_memory_attribute(const Device& device, CUgraphMem_attribute which) {
  std::lock_guard lock(accounts().mutex);
  Account& a = account(device);
  switch (which) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
      a.used_high = a.used;
      return;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
      a.reserved_high = a.reserved;
      return;
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
  }
}

void trim_graph_memory(Device& device) {
  std::lock_guard lock(accounts().mutex);
  Account& a = account(device);
  device.refund(a.reserved - a.claimed);
  a.reserved = a.claimed;
}

}  // namespace cucore::cpu
