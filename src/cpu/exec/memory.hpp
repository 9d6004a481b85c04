// SPDX-License-Identifier: Apache-2.0
// The memory of all CPU devices of the process. Each address belongs to at most one allocation
// during the life of the process, so that every stray access is detected.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cucore::cpu {

class Shadow;
class SharedMemory;

enum class MemoryKind : uint8_t {
  DEVICE,      // cuMemAlloc: its address is never mapped, so a host access faults as with a GPU
  PINNED,      // cuMemHostAlloc: the address is the host's
  MANAGED,     // cuMemAllocManaged and __managed__: the address is the host's
  REGISTERED,  // cuMemHostRegister: the caller's own memory
  CODE,        // global and constant variables of a loaded module
  HEAP,        // a kernel's malloc
  MAPPED,      // cuMemMap: its access is set per device
};

enum class Access : uint8_t { READ, WRITE };

struct Range {
  uint64_t base = 0;  // result of cuMemGetAddressRange
  uint64_t size = 0;
  MemoryKind kind = MemoryKind::DEVICE;
  int device = 0;
  uint64_t tag = 0;           // the caller's value (a context or pool id)
  std::byte* host = nullptr;  // address of the bytes on the host
  bool read_only = false;
  bool constant = false;              // a variable in constant memory
  uint64_t readers = 0, writers = 0;  // of MAPPED memory: one bit per device
  bool dormant = false;               // memory of a graph outside of its lifetime

  // Returns true if only the program or a kernel of a device with access may use the memory.
  bool on_device() const {
    return kind == MemoryKind::DEVICE || kind == MemoryKind::CODE || kind == MemoryKind::MAPPED;
  }
  // `peers`: the devices whose memory the kernels of `by` may access, one bit each.
  bool reachable(int by, uint64_t peers, Access access) const {
    if (kind == MemoryKind::MAPPED)
      return (access == Access::READ ? readers : writers) >> (by & 63) & 1;
    return device == by || !on_device() || (peers >> (device & 63) & 1);
  }
};

// The driver's call on whose behalf a thread allocates or frees: the third call of cuMemAlloc_v2.
struct Origin {
  const char* call = nullptr;  // nullptr: none, as in a kernel
  uint64_t number = 0;
  std::string text() const;  // "call 3 of cuMemAlloc_v2"
};
Origin& origin_of_thread();

// The history of the memory at an address.
struct MemoryHistory {
  uint64_t base = 0, size = 0;
  bool freed = false;
  Origin made, ended;
};

struct MemoryUse {
  uint64_t bytes = 0;
  uint64_t allocations = 0;
};

class AddressSpace {
 public:
  static AddressSpace& instance();

  // Returns 0 if memory is exhausted. `align` is a power of two; DEVICE and CODE memory is aligned
  // to at least 512, as on a GPU. New memory is zeroed. `size` must not be 0.
  uint64_t allocate(uint64_t size, uint64_t align, MemoryKind kind, int device, uint64_t tag = 0);
  // Returns false if the memory overlaps a known allocation.
  bool register_host(void* memory, uint64_t size, int device, uint64_t tag = 0);
  // `address` must be the start of an allocation. Running kernels can still read the bytes, which
  // are freed after they end. The address range is not reused for a long time.
  bool release(uint64_t address);
  void set_read_only(uint64_t address, bool read_only);
  // Accesses to dormant memory fail as if it did not exist; its address stays taken.
  void set_dormant(uint64_t address, bool dormant);
  void set_constant(uint64_t address);  // read-only from then on

  // Reserves addresses for mappings, at `wanted` if it is not 0 and free. Returns 0 if none are
  // left. `size` and `align` are multiples of a page.
  uint64_t reserve(uint64_t size, uint64_t align, uint64_t wanted);
  // Returns false unless `base` and `size` are those of a reservation without mappings.
  bool unreserve(uint64_t base, uint64_t size);
  // Maps the start of shared memory as MAPPED memory without access. Returns false unless a
  // reservation contains the addresses and nothing is mapped there. release() unmaps.
  bool map(uint64_t address, uint64_t size, std::shared_ptr<SharedMemory> memory, int device);
  void set_access(uint64_t address, int device, bool reads, bool writes);
  // Maps shared memory as DEVICE memory; returns 0 if memory is exhausted.
  uint64_t allocate_shared(std::shared_ptr<SharedMemory> memory, int device, uint64_t tag);
  // Returns the shared memory behind the DEVICE memory that starts at `address`. The first call
  // moves its bytes; it waits until no kernel runs. Returns nullptr if memory is exhausted, or the
  // memory has ended.
  std::shared_ptr<SharedMemory> share(uint64_t address);
  struct Reserved {
    uint64_t count = 0, bytes = 0;
  };
  Reserved reserved() const;

  // Returns the live allocation that contains `address`.
  std::optional<Range> find(uint64_t address) const;
  // Returns the host's pointer for [address, address + size). Returns nullptr unless that is inside
  // one allocation, or inside adjacent mappings to which a device has the access.
  void* host(uint64_t address, uint64_t size, Access access = Access::WRITE) const;
  // Returns "8 bytes past the end of the 4096-byte allocation at 0x...", or the position before the
  // free.
  std::string describe(uint64_t address, uint64_t size) const;

  MemoryUse use(int device, MemoryKind kind) const;
  // Returns the live or freed allocation that contains the address, or else the nearest live one.
  std::optional<MemoryHistory> history(uint64_t address) const;
  // Returns the freed allocation that began at the address.
  std::optional<MemoryHistory> freed_at(uint64_t address) const;
  // Returns the shadow of the allocation that contains the address, which lives as long as the
  // allocation's bytes; nullptr: the kernel's heap, or no allocation.
  Shadow* shadow(uint64_t address, Range& range);
  void clear_race_shadows();
  // Does the same, and regards all memory as initialised: what happened while no check ran is
  // unknown.
  void forget_accesses();

  // Visits all live allocations in the order of their addresses; the callback must not use this
  // object.
  void for_each(const std::function<void(const Range&)>& visit) const;

  // Changes with every release: a cache of a Range, or of its shadow, must compare it first.
  const std::atomic<uint64_t>& generation() const { return generation_; }
  void renew_generation() { generation_.fetch_add(1, std::memory_order_release); }

  // While a Pin lives, memory released after its creation is not freed.
  class Pin {
   public:
    Pin();
    ~Pin();
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;

   private:
    uint64_t ticket_;
  };

  // Generic addresses of shared, local and parameter memory; allocations never lie there.
  uint64_t shared_window() const { return window_; }
  uint64_t local_window() const { return window_ + WINDOW; }
  uint64_t param_window() const { return window_ + 2 * WINDOW; }
  static constexpr uint64_t WINDOW = uint64_t{1} << 32;

  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

 private:
  AddressSpace();
  ~AddressSpace();  // never runs: the memory is never destroyed
  struct State;
  std::unique_ptr<State> state_;
  std::atomic<uint64_t> generation_{1};
  uint64_t window_ = 0;
};

}  // namespace cucore::cpu
