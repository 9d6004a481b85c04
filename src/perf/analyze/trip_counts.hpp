// SPDX-License-Identifier: Apache-2.0
// How often a loop of PTX runs, if constants determine it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "perf/analyze/ptx_kernel.hpp"

namespace cucore::perf {

class TripCounts {
 public:
  explicit TripCounts(const PtxKernel& ptx);

  // Returns the number of iterations of a loop with one exit, the comparison of a counter at its
  // end. The counter begins with a constant and changes by one. nullopt: another loop.
  std::optional<uint64_t> of(const CodeLoop& loop);

  // The instructions that write a register; of more than two, the last ones.
  struct Definitions {
    size_t count = 0;
    size_t at[2] = {};
  };
  const Definitions& definitions_of(uint32_t reg) const { return definitions_[reg]; }

 private:
  const PtxKernel& ptx_;
  std::vector<Definitions> definitions_;
  size_t budget_;  // of instructions to look at, against code made to take long
};

}  // namespace cucore::perf
