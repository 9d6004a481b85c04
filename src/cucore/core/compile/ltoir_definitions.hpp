// SPDX-License-Identifier: Apache-2.0
// What LTO-IR defines for other inputs: it is opaque, so a linker is asked by references to it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "image/definitions.hpp"

namespace cucore::core {

// Those of the names that the LTO-IR defines, other than weakly. Costs a link without optimisation.
// Empty where nvJitLink cannot answer.
std::vector<std::string> defined_in_ltoir(std::span<const image::Definitions::Ltoir* const> ltoir,
                                          const std::vector<std::string>& names,
                                          const image::Arch& arch);

}  // namespace cucore::core
