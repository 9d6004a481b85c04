// SPDX-License-Identifier: Apache-2.0
// The kernel of a row, and its run.
#pragma once

#include "../ops/driver.hpp"
#include "case.hpp"

namespace cucore::cpu::matrix {

// Returns the module of a row for sm_`target`. Its kernel "k" takes the addresses of the operands
// and of the results, and computes one set per block.
std::string module_text(const Case& row, unsigned target);

// Runs `sets` sets of operands and returns the results.
Words results_of(ops::Driver& driver, const Case& row, const Words& in, unsigned sets);

}  // namespace cucore::cpu::matrix
