// Checks a module against what ast.hpp promises the executor, independently of the verifier.
#pragma once

#include <string>

#include "cpu/ptx/ast.hpp"

namespace cucpu::ptx::test {

/// What does not hold; empty when all does.
std::string broken_promise(const Module& module);

}  // namespace cucpu::ptx::test
