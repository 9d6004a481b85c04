// SPDX-License-Identifier: Apache-2.0
// PTX for rows of the table, one kernel each.
#pragma once

#include <span>
#include <string>

#include "case.hpp"

namespace cucore::cpu::ops {

// Bytes of scratch memory per thread, as $m (global) and $s (shared).
inline constexpr unsigned SCRATCH_BYTES = 32;

// Returns the module of these rows for sm_`target`; the kernel of rows[i] is called c<first + i>.
// It takes three addresses: operands, results and scratch memory. It runs in blocks of one warp.
std::string module_text(std::span<const Case> rows, size_t first, unsigned target);

}  // namespace cucore::cpu::ops
