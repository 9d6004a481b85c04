// SPDX-License-Identifier: Apache-2.0
// The messages of the linker have the words of NVIDIA's nvlink, for which programs search.
#pragma once

#include <string>
#include <string_view>

namespace cucore::ptx::link {

// The place of a symbol: the name of its input.
struct Clash {
  std::string_view symbol;
  std::string_view input;
  std::string_view first_input;
};

std::string undefined_reference(std::string_view symbol, std::string_view input);
std::string unresolved_function(std::string_view symbol);
std::string multiple_definition(const Clash& clash);
std::string other_prototype(const Clash& clash);
// `property` is "Size", "Memory space", "Managed attribute" or "Element size", which is not of
// nvlink.
std::string other_property(std::string_view property, const Clash& clash);
std::string common_is_larger(std::string_view symbol, std::string_view input);
std::string other_parameter_bank(std::string_view symbol);
std::string not_a_kernel_everywhere(std::string_view symbol);
std::string not_changeable(std::string_view symbol, std::string_view input);

}  // namespace cucore::ptx::link
