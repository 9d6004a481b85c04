// SPDX-License-Identifier: Apache-2.0
// Queries of textures and surfaces that drivers for GPUs do not run. PTX has them, and assemblers
// accept them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ptx/ast.hpp"

namespace cucore::cpu {

struct DecodedFunction;

// KERNEL: the module loads, and the kernel is not found in it. MODULE: the module does not load.
enum class QueryRefusal : uint8_t { NONE, KERNEL, MODULE };

QueryRefusal refusal_of(const ptx::Form& form);

// The first instruction of a function with the largest refusal of its queries.
struct RefusedQuery {
  QueryRefusal refusal = QueryRefusal::NONE;
  const DecodedFunction* function = nullptr;
  size_t index = 0;

  static RefusedQuery of(const DecodedFunction& function);
  // Returns the reason for a kernel that reaches the query.
  std::string text(const std::string& kernel) const;
};

}  // namespace cucore::cpu
