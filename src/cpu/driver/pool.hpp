// SPDX-License-Identifier: Apache-2.0
// A memory pool: stream-ordered allocations and the accounting of its memory. Addresses are never
// reused, so that a use after the free is detected; "reserved" is only an account.
#pragma once

#include <cuda.h>

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "cpu/driver/queue.hpp"
#include "cpu/driver/registry.hpp"
#include "cpu/exec/memory.hpp"
#include "cpu/exec/shared_memory.hpp"

namespace cucore::cpu {

class Context;
class Device;
class Stream;

class Pool : public Object, public std::enable_shared_from_this<Pool> {
 public:
  static constexpr ObjectKind KIND = ObjectKind::POOL;
  Pool(Device& device, uint64_t max_size, std::shared_ptr<SharedMemory> identity = nullptr,
       MemoryKind memory_kind = MemoryKind::DEVICE)
      : device_(device),
        max_size_(max_size),
        identity_(std::move(identity)),
        memory_kind_(memory_kind) {}
  // A pool of another process: it has only the memory that is imported into it.
  static std::shared_ptr<Pool> import(Device& device, std::shared_ptr<SharedMemory> identity);
  ~Pool();

  Device& device() const { return device_; }
  MemoryKind memory_kind() const { return memory_kind_; }  // DEVICE or MANAGED
  bool is_default() const { return is_default_; }
  void make_default() { is_default_ = true; }
  // Of a pool whose memory other processes can open; nullptr: they cannot.
  const std::shared_ptr<SharedMemory>& identity() const { return identity_; }
  bool imported() const { return imported_; }

  uint64_t allocate(Stream& stream, uint64_t size);
  void release(Stream& stream, uint64_t address);  // in stream order
  void returned(uint64_t size);                    // an allocation was freed

  void trim(uint64_t keep);
  void close();           // destroyed: keeps no memory without use
  void on_synchronize();  // frees memory above the release threshold

  void get(CUmemPool_attribute which, void* value) const;
  void set(CUmemPool_attribute which, const void* value);
  void set_access(int device, CUmemAccess_flags flags);
  CUmemAccess_flags access(int device) const;

 private:
  bool reserve(uint64_t size);
  void refund(uint64_t size);  // to the device's budget
  uint64_t allocate_reserved(const Context& context, uint64_t size);
  void wait_for_frees();

  Device& device_;
  const uint64_t max_size_;
  const std::shared_ptr<SharedMemory> identity_;
  const MemoryKind memory_kind_;
  bool is_default_ = false;
  bool imported_ = false;
  mutable std::mutex mutex_;
  uint64_t threshold_ = 0;
  uint64_t used_ = 0, used_high_ = 0;
  uint64_t reserved_ = 0, reserved_high_ = 0;
  int reuse_[3] = {1, 1, 1};
  std::map<int, CUmemAccess_flags> access_;
  std::vector<Ticket> pending_frees_;
};

}  // namespace cucore::cpu
