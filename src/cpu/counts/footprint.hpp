// SPDX-License-Identifier: Apache-2.0
// The different sectors of global memory that a launch reads and writes.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace cucore::cpu {

class Footprint {
 public:
  // Adds the sectors of the bytes [address, address + size).
  void add(uint64_t address, uint64_t size, bool reads, bool writes);
  void merge(const Footprint& other);

  struct Sectors {
    uint64_t read = 0, written = 0, any = 0;
  };
  Sectors count() const;

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
