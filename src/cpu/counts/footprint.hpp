// SPDX-License-Identifier: Apache-2.0
// The different sectors of global memory that a launch reads and writes.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "cpu/driver/kernel_trace.hpp"

namespace cucore::cpu {

class Footprint {
 public:
  // Adds the sectors of the bytes [address, address + size).
  void add(uint64_t address, uint64_t size, bool reads, bool writes);
  void merge(const Footprint& other);

  // Returns the parts that gaps of GAP bytes separate, by their addresses.
  static constexpr uint64_t GAP = uint64_t{1} << 35;
  std::vector<cucore_cpu_trace_region> regions() const;

  struct Sectors {
    uint64_t read = 0, written = 0;
  };
  // Counts the sectors for which the function returns true.
  Sectors count_if(const std::function<bool(uint64_t sector)>& counts) const;

 private:
  struct Page {
    uint64_t read[2] = {}, written[2] = {};  // one bit per sector
  };
  Page& page(uint64_t number);

  std::unordered_map<uint64_t, Page> pages_;  // of 4096 bytes, by number
  uint64_t last_number_ = ~uint64_t{0};
  Page* last_ = nullptr;
};

}  // namespace cucore::cpu
