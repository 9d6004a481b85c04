// SPDX-License-Identifier: Apache-2.0
// The bound of registers of linked PTX, as a comment at its end. The result of a link is text, and
// programs copy it before they load it.
#pragma once

#include <string>
#include <string_view>

namespace cucore::cpu {

std::string register_note(unsigned max_registers);
// Returns the bound in the last line of the text; 0: none.
unsigned noted_registers(std::string_view ptx);

}  // namespace cucore::cpu
