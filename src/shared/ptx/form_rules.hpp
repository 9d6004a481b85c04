// SPDX-License-Identifier: Apache-2.0
// The rules that the parts of a decoded name obey together.
#pragma once

#include "ptx/forms.hpp"

namespace cucore::ptx {

// Returns whether the types and modifiers of `form` fit each other and its opcode, and none is
// missing. The forms of matrix.cpp have rules of their own.
bool is_consistent(const Form& form, const OpcodeSpec& spec);

}  // namespace cucore::ptx
