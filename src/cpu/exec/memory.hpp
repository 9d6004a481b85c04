// SPDX-License-Identifier: Apache-2.0
// The memory of all CPU devices of the process: one address space in which an address belongs to at
// most one allocation, ever, so that every stray access is recognised.
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

enum class MemoryKind : uint8_t {
  DEVICE,   // cuMemAlloc: its address is never mapped, so that the host faults on it as with a GPU
  PINNED,   // cuMemHostAlloc: the address is the host's
  MANAGED,  // cuMemAllocManaged and __managed__: the address is the host's
  REGISTERED,  // cuMemHostRegister: the caller's own memory
  CODE,        // global and constant variables of a loaded module
  HEAP,        // a kernel's malloc
};

enum class Access : uint8_t { READ, WRITE };

struct Range {
  uint64_t base = 0;  // what cuMemGetAddressRange answers
  uint64_t size = 0;
  MemoryKind kind = MemoryKind::DEVICE;
  int device = 0;
  uint64_t tag = 0;           // the caller's (a context or pool id)
  std::byte* host = nullptr;  // where the bytes really are
  bool read_only = false;
};

struct MemoryUse {
  uint64_t bytes = 0;
  uint64_t allocations = 0;
};

class AddressSpace {
 public:
  static AddressSpace& instance();

  // Answers 0 when there is no memory. `align` is a power of two; Device and Code memory is aligned
  // to 512 at least, as a GPU's is. New memory is zeroed. Size 0 is not allowed.
  uint64_t allocate(uint64_t size, uint64_t align, MemoryKind kind, int device, uint64_t tag = 0);
  // False when the memory overlaps an allocation that is known already.
  bool register_host(void* memory, uint64_t size, int device, uint64_t tag = 0);
  // `address` must be the start of an allocation. The bytes stay readable for kernels that run now
  // and are given back when these have ended; the address range is not used again for long.
  bool release(uint64_t address);
  void set_read_only(uint64_t address, bool read_only);

  // The live allocation that holds `address`.
  std::optional<Range> find(uint64_t address) const;
  // The host's pointer for [address, address + size), nullptr if it is not inside one allocation.
  void* host(uint64_t address, uint64_t size, Access access = Access::WRITE) const;
  // "8 bytes past the end of the 4096-byte allocation at 0x..." or where it lay before it was
  // freed.
  std::string describe(uint64_t address, uint64_t size) const;

  MemoryUse use(int device, MemoryKind kind) const;
  // All live allocations, ordered by address; the callback must not call back into this object.
  void for_each(const std::function<void(const Range&)>& visit) const;

  // Changes with every release: whoever caches a Range compares it first.
  const std::atomic<uint64_t>& generation() const { return generation_; }

  // While a Pin lives, the bytes of memory released after its creation are not given back.
  class Pin {
   public:
    Pin();
    ~Pin();
    Pin(const Pin&) = delete;
    Pin& operator=(const Pin&) = delete;

   private:
    uint64_t ticket_;
  };

  // Generic addresses of shared, local and parameter memory: no allocation ever lies there.
  uint64_t shared_window() const { return window_; }
  uint64_t local_window() const { return window_ + WINDOW; }
  uint64_t param_window() const { return window_ + 2 * WINDOW; }
  static constexpr uint64_t WINDOW = uint64_t{1} << 32;

  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

 private:
  AddressSpace();
  ~AddressSpace();  // never runs: the process's memory lives as long as the process
  struct State;
  std::unique_ptr<State> state_;
  std::atomic<uint64_t> generation_{1};
  uint64_t window_ = 0;
};

}  // namespace cucore::cpu
