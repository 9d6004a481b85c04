// SPDX-License-Identifier: Apache-2.0
// The names that LTO-IR defines for other inputs. It is opaque, so a linker resolves references to
// them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "image/definitions.hpp"

namespace cucore::core {

// Returns the names that the LTO-IR defines, other than weakly. Costs a link without optimisation.
// Returns none if nvJitLink cannot link it.
std::vector<std::string> defined_in_ltoir(std::span<const image::Definitions::Ltoir* const> ltoir,
                                          const std::vector<std::string>& names,
                                          const image::Arch& arch);

}  // namespace cucore::core
