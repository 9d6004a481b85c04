// SPDX-License-Identifier: Apache-2.0
// The lines of a kernel that cause findings, by the counts of its instructions on the CPU device.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "cpu/driver/kernel_trace.hpp"
#include "perf/analyze/kernel.hpp"

namespace cucore::perf {

class CountedPlaces {
 public:
  using Sources = std::map<uint32_t, Place>;  // by the line of the PTX

  // Adds a launch. One without rows adds nothing. `row_size` is that of the trace. `sources` has
  // the places of instructions without `.loc`.
  void add(const cucore_cpu_trace_launch& launch, size_t row_size, const Sources& sources = {});

  // Returns the source line with the largest count for each finding, by the number of the finding:
  // 203, 207, 208 and 218. Its place in the PTX is the worst instruction of the line. Without
  // source lines, each instruction counts by itself.
  std::map<uint16_t, Place> of(const std::string& kernel) const;

 private:
  struct Line {
    double count = 0;
    double worst = 0;  // of one instruction
    Place place;
  };
  // Of each finding, by file and line, or by the line of the PTX.
  using Lines = std::map<std::tuple<std::string, uint32_t, uint32_t>, Line>;
  std::map<std::string, std::map<uint16_t, Lines>> kernels_;
};

}  // namespace cucore::perf
