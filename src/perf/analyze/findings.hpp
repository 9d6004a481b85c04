// SPDX-License-Identifier: Apache-2.0
// Finds in the code of a kernel whatever costs time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "perf/analyze/kernel.hpp"
#include "perf/analyze/ptx_kernel.hpp"
#include "perf/analyze/rules.hpp"

namespace cucore::perf {

// Adds findings of one kernel, those of one place once, and no more than a person reads.
class Findings {
 public:
  static constexpr size_t MOST = 1000;
  Findings(const Kernel& kernel, size_t index, std::vector<Finding>& all)
      : kernel_(kernel), index_(index), all_(all), first_(all.size()) {}
  void add(RuleId rule, Severity severity, Place place, std::string message);

 private:
  const Kernel& kernel_;
  const size_t index_;
  std::vector<Finding>& all_;
  const size_t first_;
};

// Of the PTX: A102 to A106, A108, A109, A112 to A114, A117.
void find_in_ptx(const PtxKernel& ptx, Findings& findings);
void find_in_accesses(const PtxKernel& ptx, Findings& findings);

// The launch that the caller has in mind; 0: unknown.
struct Launch {
  std::string kernel;   // that is launched; "": each one
  uint32_t block = 0;   // threads
  uint32_t shared = 0;  // bytes, dynamic
  uint32_t grid = 0;    // blocks
  uint32_t multiprocessors = 0;

  // Returns what is known of the launch of one kernel.
  Launch of(std::string_view name) const {
    if (kernel.empty() || kernel == name) return *this;
    Launch other;
    other.multiprocessors = multiprocessors;
    return other;
  }
};

// Returns the bytes of shared memory of a block.
uint32_t shared_of(const Kernel& kernel, uint32_t dynamic);

// Of the resources: A101, A102, A107, A110, A111.
void find_in_resources(const Kernel& kernel, const Launch& launch, bool has_ptx,
                       Findings& findings);

}  // namespace cucore::perf
