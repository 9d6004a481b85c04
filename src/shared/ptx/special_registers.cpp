// SPDX-License-Identifier: Apache-2.0
// Look-up of special registers by name.
#include "ptx/special_registers.hpp"

#include <charconv>

#include "ptx/ast.hpp"

namespace cucore::ptx {
namespace {

constexpr std::string_view NAMES[] = {
#define SREG(id) "%" #id,
    PTX_SPECIAL_REGISTERS(SREG)
#undef SREG
};

std::optional<uint32_t> numbered(std::string_view name, std::string_view stem, uint32_t first,
                                 uint32_t count) {
  if (!name.starts_with(stem)) return std::nullopt;
  uint32_t number = 0;
  auto [end, error] = std::from_chars(name.data() + stem.size(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size() || number >= count)
    return std::nullopt;
  return first + number;
}

}  // namespace

std::optional<uint32_t> find_special_register(std::string_view name) {
  for (uint32_t i = 0; i < std::size(NAMES); ++i)
    if (NAMES[i] == name) return i;
  if (auto found = numbered(name, "%envreg", uint32_t(SpecialRegister::envreg0), 32)) return found;
  // %pm0_64 is %pm0 with 64 bits.
  if (name.ends_with("_64")) name.remove_suffix(3);
  return numbered(name, "%pm", uint32_t(SpecialRegister::pm0), 8);
}

bool is_wide_special_register(uint32_t index) {
  switch (static_cast<SpecialRegister>(index)) {
    case SpecialRegister::gridid:
    case SpecialRegister::clock64:
    case SpecialRegister::globaltimer:
    case SpecialRegister::current_graph_exec:
      return true;
    default:
      return false;
  }
}

}  // namespace cucore::ptx
