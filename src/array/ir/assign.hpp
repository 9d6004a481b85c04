// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "array/ir/build.hpp"

namespace cucore::array {

// The operand of a write: with the shape and the type of the target. Throws DTYPE if the rule
// forbids the conversion. UNSAFE forbids complex numbers for real ones alone.
Operand source_of(const Array& target, const Input& value, std::string_view what, Casting rule);

}  // namespace cucore::array
