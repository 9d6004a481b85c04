// SPDX-License-Identifier: Apache-2.0
// Checks of options that are numbers. The parser would take 0 as the default, and has messages of
// its own.
#pragma once

#include <CLI/CLI.hpp>

namespace cucore::cli {

// Accepts whole numbers of 32 bits, from 1 on.
CLI::Validator from_one();

// Accepts whole numbers of 32 bits.
CLI::Validator from_zero();

// Accepts whole numbers of 64 bits without a sign, which the parser would take modulo 2^64.
CLI::Validator of_64_bits();

// Accepts numbers above 0.
CLI::Validator above_zero();

}  // namespace cucore::cli
