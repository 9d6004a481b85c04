// SPDX-License-Identifier: Apache-2.0
// A cache of sectors of global memory that replaces the one of the oldest use. Of a large cache, it
// models a part of the lines, which a hash of their addresses selects.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "cpu/counts/footprint.hpp"

namespace cucore::cpu {

class CacheModel {
 public:
  explicit CacheModel(uint64_t bytes);

  // Passes an access to the bytes [address, address + size). Any thread may call it.
  void access(uint64_t address, uint64_t size, bool reads, bool writes);

  // Of the modelled lines. Sectors that are written at the end of the launch are written back.
  struct Traffic {
    uint64_t loads = 0, write_backs = 0;  // sectors
  };
  Traffic modelled_traffic() const;
  // Estimates the traffic of all lines from the different sectors of the launch.
  Traffic traffic(const Footprint& sectors) const;

 private:
  static constexpr uint32_t NONE = ~uint32_t{0};
  struct Entry {
    uint64_t sector = 0;
    uint32_t older = NONE, newer = NONE;
    bool is_loaded = false, is_written = false;
  };
  bool is_modelled(uint64_t sector) const;
  void touch(uint64_t sector, bool reads, bool writes);
  Entry& entry_of(uint64_t sector);
  void unlink(uint32_t index);
  void make_newest(uint32_t index);

  unsigned shift_ = 0;  // one line of 2^shift is modelled
  size_t capacity_ = 0;
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, uint32_t> places_;
  std::vector<Entry> entries_;
  uint32_t newest_ = NONE, oldest_ = NONE;
  Traffic traffic_;
};

}  // namespace cucore::cpu
