// SPDX-License-Identifier: Apache-2.0
#include "ptx/link/messages.hpp"

#include <initializer_list>

namespace cucore::ptx::link {
namespace {

std::string error_of(std::initializer_list<std::string_view> parts) {
  std::string text = "error   : ";
  for (std::string_view part : parts) text += part;
  return text += '\n';
}

}  // namespace

std::string undefined_reference(std::string_view symbol, std::string_view input) {
  return error_of({"Undefined reference to '", symbol, "' in '", input, "'"});
}

std::string unresolved_function(std::string_view symbol) {
  std::string text = "ptxas fatal   : Unresolved extern function '";
  return text.append(symbol).append("'\n");
}

std::string multiple_definition(const Clash& clash) {
  return error_of({"Multiple definition of '", clash.symbol, "' in '", clash.input,
                   "', first defined in '", clash.first_input, "'"});
}

std::string other_prototype(const Clash& clash) {
  return error_of({"Prototype doesn't match for '", clash.symbol, "' in '", clash.input,
                   "', first defined in '", clash.first_input, "'"});
}

std::string other_property(std::string_view property, const Clash& clash) {
  return error_of({property, " doesn't match for '", clash.symbol, "' in '", clash.input,
                   "', first specified in '", clash.first_input, "'"});
}

std::string common_is_larger(std::string_view symbol, std::string_view input) {
  return error_of(
      {"Common symbol '", symbol, "' in file '", input, "' has larger size than initialization"});
}

std::string other_parameter_bank(std::string_view symbol) {
  return error_of({"Duplicate weak parameter bank for '", symbol, "' is not the same size"});
}

std::string not_a_kernel_everywhere(std::string_view symbol) {
  return error_of({"Function '", symbol, "' not declared __global__ in all source files"});
}

std::string not_changeable(std::string_view symbol, std::string_view input) {
  return error_of({"local name '", symbol, "' in '", input,
                   "' is also a register and a name of another input; rename it"});
}

}  // namespace cucore::ptx::link
