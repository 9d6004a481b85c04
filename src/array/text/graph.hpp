// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "array/ir/value.hpp"

namespace cucore::array {

// The pending operations behind the values, and their inputs, in the language DOT.
std::string graph_text(std::span<Value* const> results);

}  // namespace cucore::array
