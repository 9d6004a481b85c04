// SPDX-License-Identifier: Apache-2.0
// Finds the first address or branch of a kernel that depends on values that the arguments of its
// launch do not determine. Without one, a launch without memory makes the same accesses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "ptx/ast.hpp"

namespace cucore::perf {

enum class DependentUse : uint8_t { ADDRESS, BRANCH };
// A device rounds the sums of fused instructions in its own way.
enum class DependenceSource : uint8_t { LOADED_VALUE, ROUNDED_VALUE };

struct Dependence {
  const ptx::Function* function = nullptr;  // the kernel, or a function that it calls
  size_t instruction = 0;
  DependentUse use = DependentUse::ADDRESS;
  DependenceSource source = DependenceSource::LOADED_VALUE;

  const char* text() const;  // "an address depends on a loaded value"
};

// Loaded values are those of memory, textures, atomic operations, clocks and the place of a block.
// Shared and local memory have as a whole the dependence of what is stored there.
std::optional<Dependence> first_dependence(const ptx::Module& module, const ptx::Function& kernel);

}  // namespace cucore::perf
