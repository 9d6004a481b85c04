// SPDX-License-Identifier: Apache-2.0
// The driver's record of each allocation beyond its addresses: owner, origin and the budget that it
// is charged to.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "cpu/driver/memory_advice.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu {

class Context;
class Device;
class GraphMemory;
class Physical;
class Pool;
class SharedMemory;
struct IpcBytes;

// The process that allocated the memory: this one, or another one that exported it by
// cuIpcGetMemHandle or cuMemPoolExportPointer.
enum class Source : uint8_t { OWN, IPC, POOL };

struct Allocation {
  uint64_t base = 0;
  uint64_t size = 0;
  MemoryKind kind = MemoryKind::DEVICE;
  uint64_t context = 0;  // context id; 0: the program may not free it
  uint64_t context_handle = 0;
  Device* device = nullptr;
  uint64_t charged = 0;  // bytes charged to the device's budget
  uint64_t id = 0;       // unique in the process
  unsigned flags = 0;    // flags of cuMemHostAlloc, cuMemHostRegister, cuMemAllocManaged
  std::shared_ptr<Pool> pool;
  std::shared_ptr<Physical> physical;  // of cuMemMap
  Source source = Source::OWN;
  std::shared_ptr<SharedMemory> shared;  // of memory of another process
  AdviceMap advice;                      // about managed memory
  unsigned opened = 0;                   // calls of cuIpcOpenMemHandle without a close
  Origin origin;
  std::weak_ptr<GraphMemory> graph_memory;  // of a node of a graph
  std::atomic<bool> free_pending{false};    // cuMemFreeAsync is in progress
  std::atomic<bool> sync_memops{false};

  bool legacy_ipc() const {  // cuIpcGetMemHandle accepts it
    return kind == MemoryKind::DEVICE && context != 0 && !pool && source == Source::OWN;
  }
};

// Waits for the work of the current context, or without one of the context of the memory. The real
// driver does the same before it frees memory.
void wait_for_users(const Allocation& allocation);

class Allocations {
 public:
  static Allocations& instance();

  // Returns OUT_OF_MEMORY if the device's budget or the machine is exhausted. A pool charges its
  // own memory.
  uint64_t allocate(const Context& context, MemoryKind kind, uint64_t size, unsigned flags = 0,
                    std::shared_ptr<Pool> pool = nullptr);
  void register_host(const Context& context, void* memory, uint64_t size, unsigned flags);
  // Adds variables of a module, so that pointer queries find them. The executor frees them.
  void adopt_variable(const Context& context, uint64_t base, uint64_t size, bool managed);
  void forget_variable(uint64_t base);
  // Returns an address at which memory of a graph will exist.
  uint64_t adopt_graph_memory(const Context& context, Device& device, uint64_t size,
                              std::weak_ptr<GraphMemory> memory);
  // Maps memory of a file; the result is freed as other memory.
  uint64_t allocate_shared(const Context& context, std::shared_ptr<SharedMemory> memory,
                           Source source, std::shared_ptr<Pool> pool);
  // Opens memory of another process, or counts another open of it in this context.
  uint64_t open_ipc(Context& context, const IpcBytes& bytes);
  bool close_ipc(uint64_t base);  // frees the memory at the last close
  // Returns false unless a reservation has the addresses free.
  bool map(std::shared_ptr<Physical> physical, uint64_t address, uint64_t size);
  // Returns the mappings that together are the whole range; empty if others are there.
  std::vector<std::shared_ptr<Allocation>> mappings(uint64_t address, uint64_t size) const;
  uint64_t mapping_count() const;
  void note_device_addresses(uint64_t base, uint64_t size);

  // the one that contains the address
  std::shared_ptr<Allocation> find(uint64_t address) const;
  std::shared_ptr<Allocation> find_start(uint64_t address) const;  // the one that starts there
  // Returns true for memory of a graph, which has its address before it exists.
  bool is_graph_memory(uint64_t address, uint64_t size) const;
  bool release(uint64_t base);
  // Returns true once per allocation until the free has run; a second free is INVALID_VALUE.
  bool begin_async_free(uint64_t base);

  // Returns true for addresses that only a device may have had: the host must not access them.
  bool device_address(uint64_t address) const;

  struct Leak {
    uint64_t count = 0;
    uint64_t bytes = 0;
  };
  Leak release_all(uint64_t context);
  Leak live() const;

  // Returns the number of allocations ever made, as a mark for made_after().
  uint64_t made() const;
  // Returns what the program could free of the allocations that were made after the mark; an
  // asynchronous free counts when it is enqueued.
  std::vector<std::shared_ptr<Allocation>> made_after(uint64_t mark) const;

 private:
  void add(std::shared_ptr<Allocation> allocation);
  std::shared_ptr<Allocation> opened(const Context& context, const IpcBytes& bytes) const;
  void widen(uint64_t base, uint64_t size);  // the range of device addresses; locked
  std::shared_ptr<Allocation> take(uint64_t base);
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, std::shared_ptr<Allocation>> by_base_;
  uint64_t lowest_ = UINT64_MAX;  // range of all device addresses ever returned
  uint64_t highest_ = 0;
  uint64_t next_id_ = 1;
};

}  // namespace cucore::cpu
