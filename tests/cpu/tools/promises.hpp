// SPDX-License-Identifier: Apache-2.0
// Checks a module against the guarantees in ast.hpp for the executor, independently of the
// verifier.
#pragma once

#include <string>

#include "ptx/ast.hpp"

namespace cucore::ptx::test {

// Returns the guarantee that is broken; empty if all hold.
std::string broken_promise(const Module& module);

}  // namespace cucore::ptx::test
