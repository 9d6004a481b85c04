// SPDX-License-Identifier: Apache-2.0
// Finds how a kernel's instructions use its parameters, if the declarations leave it open. NVVM 7
// declares both pointers and 64-bit integers as ".u64".
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace cucore::image {

enum class ParameterUse : uint8_t {
  NONE,     // not decided
  ADDRESS,  // its value is an address: of a memory access, or converted to the global space
  FLOAT     // it is loaded as a floating-point number
};

// Returns the uses of the named parameters in the body of a kernel, the text between its braces.
// Follows copies of a register, and drops a register that is assigned again.
std::vector<ParameterUse> find_uses(std::string_view body,
                                    std::span<const std::string_view> parameters);

}  // namespace cucore::image
