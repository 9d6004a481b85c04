// SPDX-License-Identifier: Apache-2.0
// Experiments that reveal how a device accumulates: kept bits, block length, and rounding.
#pragma once

#include "../ops/driver.hpp"

namespace cucore::cpu::matrix {

// Prints a table with one line per unit. Returns the exit status of the program.
int print_probes(ops::Driver& driver);

}  // namespace cucore::cpu::matrix
