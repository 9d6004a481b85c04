// SPDX-License-Identifier: Apache-2.0
// The checks of the CPU device for tests, through its control table.
#pragma once

#include <string>
#include <vector>

#include "cpu/driver/control.hpp"
#include "device.hpp"

namespace cucore::cpu::kernels {

const cucore_cpu_control* control();

struct FoundReport {
  std::string kind, text;
  unsigned line = 0, other_line = 0;
};
// Returns the reports and removes them.
std::vector<FoundReport> take_reports();

// Enables checks for the life of the object.
class Checking {
 public:
  explicit Checking(const char* checks);
  ~Checking();
  Checking(const Checking&) = delete;
  Checking& operator=(const Checking&) = delete;
};

}  // namespace cucore::cpu::kernels
