// SPDX-License-Identifier: Apache-2.0
// One CPU device: its profile, its memory budget, its primary context and its pools.
#pragma once

#include <cuda.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cpu/driver/profile.hpp"

namespace cucore::cpu {

class Context;
class Pool;

class Device {
 public:
  Device(int ordinal, const Profile& profile, uint64_t memory);
  ~Device();

  int ordinal() const { return ordinal_; }
  const Profile& profile() const { return profile_; }
  std::string name() const { return "cucore CPU reference device"; }
  CUuuid uuid() const;
  std::string pci_bus_id() const;

  uint64_t memory() const { return memory_; }
  uint64_t memory_limit() const { return limit_; }
  void set_memory_limit(uint64_t limit) { limit_ = limit; }
  uint64_t memory_used() const { return used_; }
  bool charge(uint64_t bytes);  // false: the device's budget is exhausted
  void refund(uint64_t bytes);

  std::shared_ptr<Context> retain_primary();
  void release_primary();  // INVALID_CONTEXT: no reference is held
  void reset_primary();
  void set_primary_flags(unsigned flags);
  void primary_state(unsigned& flags, int& active);

  const std::shared_ptr<Pool>& default_pool() const { return default_pool_; }
  std::shared_ptr<Pool> current_pool() const;
  void set_current_pool(std::shared_ptr<Pool> pool);  // nullptr: the default pool
  // Pools of managed memory, one for each kind of preferred location.
  std::shared_ptr<Pool> default_managed_pool(CUmemLocationType preferred);
  std::shared_ptr<Pool> current_managed_pool(CUmemLocationType preferred);
  void set_current_managed_pool(CUmemLocationType preferred, std::shared_ptr<Pool> pool);
  void forget_current_pool(const Pool& pool);
  void add_pool(const std::shared_ptr<Pool>& pool);
  void on_synchronize();  // pools free memory above their threshold

  // Devices that have opened a pool's memory to this one: one bit each.
  uint64_t pool_peers() const { return pool_peers_; }
  void add_pool_peer(int ordinal) { pool_peers_ |= uint64_t{1} << ordinal; }

 private:
  static unsigned context_flags(unsigned flags);
  const int ordinal_;
  const Profile& profile_;
  const uint64_t memory_;
  std::atomic<uint64_t> limit_;
  std::atomic<uint64_t> used_{0};
  std::atomic<uint64_t> pool_peers_{0};

  mutable std::mutex mutex_;
  std::shared_ptr<Context> primary_;
  unsigned primary_count_ = 0;
  unsigned primary_flags_ = 0;
  std::shared_ptr<Pool> default_pool_;
  std::shared_ptr<Pool> current_pool_;
  std::map<CUmemLocationType, std::shared_ptr<Pool>> default_managed_, current_managed_;
  std::vector<std::weak_ptr<Pool>> pools_;  // all but the default one
};

}  // namespace cucore::cpu
