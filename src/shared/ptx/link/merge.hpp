// SPDX-License-Identifier: Apache-2.0
// Writes the result of a link.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ptx/link/table.hpp"

namespace cucore::ptx::link {

// The inputs have no conflicts. A text that cannot be merged is reported in `log`.
std::string merge(const std::vector<std::unique_ptr<Input>>& inputs, const SymbolTable& table,
                  std::string& log);

}  // namespace cucore::ptx::link
