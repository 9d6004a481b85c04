// SPDX-License-Identifier: Apache-2.0
// The advice that a program has given about parts of managed memory. The device does not need it,
// because all devices always reach that memory; it only answers queries.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "cpu/driver/cuda_api.hpp"

namespace cucore::cpu {

struct Advice {
  bool read_mostly = false;
  CUmemLocation preferred{};   // type INVALID: none
  CUmemLocation prefetched{};  // of the last prefetch
  uint64_t accessed_by = 0;    // one bit per device
  bool accessed_by_host = false;
};

// The advice of one allocation, by offsets.
class AdviceMap {
 public:
  template <class F>
  void change(uint64_t first, uint64_t end, F change) {
    std::lock_guard lock(mutex_);
    split(first);
    split(end);
    for (auto it = parts_.find(first); it != parts_.end() && it->first < end; ++it)
      change(it->second);
  }
  // Calls `visit` for the advice of each part of the range.
  template <class F>
  void visit(uint64_t first, uint64_t end, F visit) const {
    std::lock_guard lock(mutex_);
    for (auto it = std::prev(parts_.upper_bound(first)); it != parts_.end() && it->first < end;
         ++it)
      visit(it->second);
  }

 private:
  void split(uint64_t at);
  mutable std::mutex mutex_;
  std::map<uint64_t, Advice> parts_{{0, {}}};  // key: the offset where the part begins
};

// Throws INVALID_VALUE for locations that do not exist, INVALID_DEVICE for unknown devices.
void check_location(const CUmemLocation& location);
// The location that a device number of the functions before CUDA 12.2 means.
CUmemLocation location_of(CUdevice device);

void apply_advice(Advice& advice, CUmem_advise which, const CUmemLocation& location);
// Writes a value as cuMemRangeGetAttribute documents it. Throws INVALID_VALUE for a wrong size.
void read_advice(const AdviceMap& map, uint64_t first, uint64_t end, CUmem_range_attribute which,
                 void* data, size_t size);

}  // namespace cucore::cpu
