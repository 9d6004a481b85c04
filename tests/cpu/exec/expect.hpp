// SPDX-License-Identifier: Apache-2.0
// Expected ends of launches, and the shape of a launch with clusters.
#pragma once

#include <gtest/gtest.h>

#include "text.hpp"

namespace cucore::cpu::test {

inline void expect_fault(const std::optional<Fault>& fault, CUresult code,
                         std::initializer_list<const char*> parts) {
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->code, code) << fault->text;
  for (const char* part : parts)
    EXPECT_NE(fault->text.find(part), std::string::npos) << part << "\n" << fault->text;
}

inline void expect_success(const std::optional<Fault>& fault) {
  EXPECT_FALSE(fault) << fault->text;
}

inline Shape clusters(unsigned grid, unsigned block, unsigned cluster) {
  Shape s = shape(grid, block);
  s.cluster[0] = cluster;
  return s;
}

// Bounds the memory of launches while it lives.
class LaunchMemory {
 public:
  explicit LaunchMemory(uint64_t bytes) : before_(settings()) {
    Settings changed = before_;
    changed.launch_memory = bytes;
    configure(changed);
  }
  ~LaunchMemory() { configure(before_); }
  LaunchMemory(const LaunchMemory&) = delete;
  LaunchMemory& operator=(const LaunchMemory&) = delete;

 private:
  Settings before_;
};

}  // namespace cucore::cpu::test
