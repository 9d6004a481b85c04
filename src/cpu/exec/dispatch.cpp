// SPDX-License-Identifier: Apache-2.0
// The handler families of one instruction set.
#include "cpu/exec/families.hpp"
#include "cpu/exec/lanes.hpp"

namespace cucore::cpu::CUCPU_SIMD {

const HandlerSet& handlers() {
  static constexpr HandlerSet set = {
      select_move,  select_integer, select_bits,        select_compare, select_comparison,
      select_real,  select_minmax3, select_approximate, select_convert, select_load,
      select_store, matrix_kernels, lane_checks,
  };
  return set;
}

}  // namespace cucore::cpu::CUCPU_SIMD
