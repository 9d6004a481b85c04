// SPDX-License-Identifier: Apache-2.0
// Writes the kernels: load the operands, run the row's text, store the results.
#include "kernel_text.hpp"

namespace cucore::cpu::ops {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// Replaces longer names first, $d0 before $0. Rows may use %p, %t, %x and %h.
std::string substituted(std::string text, size_t number) {
  text = replaced(text, "$d", "%d");
  text = replaced(text, "$m", "%j5");
  text = replaced(text, "$s", "%i5");
  text = replaced(text, "$n", std::to_string(number));
  return replaced(text, "$", "%a");
}

std::string registers(const char* stem, const std::vector<Kind>& kinds) {
  std::string text;
  for (size_t i = 0; i < kinds.size(); ++i)
    text +=
        std::string(" .reg .") + register_type(kinds[i]) + " %" + stem + std::to_string(i) + ";";
  return text + "\n";
}

std::string moves(const char* instruction, const char* stem, const char* base,
                  const std::vector<Kind>& kinds) {
  std::string text;
  bool loads = instruction[0] == 'l';
  for (size_t i = 0; i < kinds.size(); ++i) {
    std::string reg = "%" + (stem + std::to_string(i));
    std::string place = std::string("[") + base + "+" + std::to_string(8 * i) + "]";
    text += std::string(" ") + instruction + ".global." + register_type(kinds[i]) + " " +
            (loads ? reg + ", " + place : place + ", " + reg) + ";\n";
  }
  return text;
}

std::string kernel(const Case& row, size_t number) {
  const std::string bytes = std::to_string(8 * MAX_VALUES);
  const std::string scratch = std::to_string(SCRATCH_BYTES);
  std::string text = substituted(row.globals, number);
  text += ".visible .entry c" + std::to_string(number) +
          "(.param .u64 in, .param .u64 out, .param .u64 scratch)\n{\n"
          " .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %t<8>; .reg .b64 %x<8>;\n"
          " .reg .b32 %i<8>; .reg .b64 %j<8>;\n";
  text += registers("a", row.in) + registers("d", row.out);
  if (row.body.find("$s") != std::string::npos)
    text += " .shared .align 16 .b8 sh[" + std::to_string(WARP * SCRATCH_BYTES) + "];\n" +
            " mov.u32 %i6, %tid.x; mov.u32 %i7, sh; mad.lo.u32 %i5, %i6, " + scratch + ", %i7;\n";
  text +=
      " mov.u32 %i0, %ctaid.x; mov.u32 %i1, %ntid.x; mov.u32 %i2, %tid.x;\n"
      " mad.lo.u32 %i3, %i0, %i1, %i2;\n"
      " ld.param.u64 %j0, [in]; ld.param.u64 %j2, [out]; ld.param.u64 %j4, [scratch];\n"
      " cvta.to.global.u64 %j0, %j0; cvta.to.global.u64 %j2, %j2;"
      " cvta.to.global.u64 %j4, %j4;\n"
      " mad.wide.u32 %j1, %i3, " +
      bytes + ", %j0; mad.wide.u32 %j3, %i3, " + bytes + ", %j2; mad.wide.u32 %j5, %i3, " +
      scratch + ", %j4;\n";
  text += moves("ld", "a", "%j1", row.in);
  text += " " + substituted(row.body, number) + "\n";
  return text + moves("st", "d", "%j3", row.out) + " ret;\n}\n";
}

}  // namespace

std::string module_text(std::span<const Case> rows, size_t first, unsigned target) {
  std::string text = ".version 8.6\n.target sm_" + std::to_string(target) + "\n.address_size 64\n";
  for (size_t i = 0; i < rows.size(); ++i) text += kernel(rows[i], first + i);
  return text;
}

}  // namespace cucore::cpu::ops
