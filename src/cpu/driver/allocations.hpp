// SPDX-License-Identifier: Apache-2.0
// What the driver knows of each allocation beyond its addresses: whose it is, how it was made, what
// it is charged to.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "cpu/exec/memory.hpp"

namespace cucore::cpu {

class Context;
class Device;
class Pool;

struct Allocation {
  uint64_t base = 0;
  uint64_t size = 0;
  MemoryKind kind = MemoryKind::DEVICE;
  uint64_t context = 0;  // id, 0: not for the program to free
  uint64_t context_handle = 0;
  Device* device = nullptr;
  uint64_t charged = 0;  // bytes of the device's budget
  uint64_t id = 0;       // unique in the process
  unsigned flags = 0;    // of cuMemHostAlloc, cuMemHostRegister, cuMemAllocManaged
  std::shared_ptr<Pool> pool;
  std::atomic<bool> free_pending{false};  // cuMemFreeAsync is under way
  std::atomic<bool> sync_memops{false};
};

class Allocations {
 public:
  static Allocations& instance();

  // OUT_OF_MEMORY if the device's budget or the machine has no room. Memory of a pool is charged by
  // the pool.
  uint64_t allocate(const Context& context, MemoryKind kind, uint64_t size, unsigned flags = 0,
                    std::shared_ptr<Pool> pool = nullptr);
  void register_host(const Context& context, void* memory, uint64_t size, unsigned flags);
  // Variables of a module: known to pointer queries, freed by the executor.
  void adopt_variable(const Context& context, uint64_t base, uint64_t size, bool managed);
  void forget_variable(uint64_t base);

  std::shared_ptr<Allocation> find(uint64_t address) const;        // that holds the address
  std::shared_ptr<Allocation> find_start(uint64_t address) const;  // that starts there
  bool release(uint64_t base);
  // True once for each allocation, until the free has run: INVALID_VALUE is a second free.
  bool begin_async_free(uint64_t base);

  // True for addresses that only a device may have had: the host must not touch them.
  bool device_address(uint64_t address) const;

  struct Leak {
    uint64_t count = 0;
    uint64_t bytes = 0;
  };
  Leak release_all(uint64_t context);
  Leak live() const;

 private:
  void add(std::shared_ptr<Allocation> allocation);
  std::shared_ptr<Allocation> take(uint64_t base);
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, std::shared_ptr<Allocation>> by_base_;
  uint64_t lowest_ = UINT64_MAX;  // device addresses that were ever given out
  uint64_t highest_ = 0;
  uint64_t next_id_ = 1;
};

}  // namespace cucore::cpu
