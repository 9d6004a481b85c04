// SPDX-License-Identifier: Apache-2.0
// Checks a module against what ast.hpp promises the executor, independently of the verifier.
#pragma once

#include <string>

#include "ptx/ast.hpp"

namespace cucore::ptx::test {

// What does not hold; empty when all does.
std::string broken_promise(const Module& module);

}  // namespace cucore::ptx::test
