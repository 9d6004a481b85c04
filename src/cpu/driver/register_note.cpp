// SPDX-License-Identifier: Apache-2.0
#include "cpu/driver/register_note.hpp"

#include <charconv>

namespace cucore::cpu {
namespace {

constexpr std::string_view BEGIN = "\n// cucore-cpu: registers per thread, at most ";

}  // namespace

std::string register_note(unsigned max_registers) {
  return std::string(BEGIN) + std::to_string(max_registers) + "\n";
}

unsigned noted_registers(std::string_view ptx) {
  while (ptx.ends_with('\0')) ptx.remove_suffix(1);  // a copy of a result has its zero
  const size_t at = ptx.rfind(BEGIN);
  if (at == std::string_view::npos) return 0;
  ptx.remove_prefix(at + BEGIN.size());
  unsigned bound = 0;
  const auto [end, error] = std::from_chars(ptx.data(), ptx.data() + ptx.size(), bound);
  const bool is_last = std::string_view(end, ptx.data() + ptx.size()) == "\n";
  return error == std::errc{} && is_last ? bound : 0;
}

}  // namespace cucore::cpu
