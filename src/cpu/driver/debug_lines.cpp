// SPDX-License-Identifier: Apache-2.0
#include "cpu/driver/debug_lines.hpp"

#include <cstdint>
#include <map>
#include <string_view>

#include "image/line_table.hpp"

namespace cucore::cpu {
namespace {

using image::LineRow;
using image::LineTable;

// By line of the PTX. The first machine instruction of a line counts.
using SourceRows = std::map<uint32_t, const LineRow*>;

SourceRows rows_by_ptx_line(const LineTable& sources, const LineTable& ptx_lines) {
  SourceRows rows;
  for (const auto& [function, indices] : ptx_lines.functions)
    for (const uint32_t index : indices) {
      const LineRow& row = ptx_lines.rows[index];
      const LineRow* source = sources.find(function, row.address);
      if (source && source->line) rows.try_emplace(row.line, source);
    }
  return rows;
}

// A line with an instruction; directives, labels and braces have no code.
bool has_instruction(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos &&
         std::string_view(".{}$/").find(line[first]) == std::string_view::npos &&
         !line.ends_with(':');
}

std::string file_directives(const LineTable& sources) {
  std::string text;
  for (size_t i = 0; i < sources.files.size(); ++i) {
    const std::string& name = sources.files[i];
    if (name.find_first_of("\"\\\n") != std::string::npos) continue;
    text += ".file " + std::to_string(i + 1) + " \"" + name + "\"\n";
  }
  return text;
}

std::string with_positions(std::string_view ptx, const SourceRows& rows) {
  std::string text;
  uint32_t number = 0;
  while (!ptx.empty()) {
    const size_t end = ptx.find('\n');
    const std::string_view line = ptx.substr(0, end);
    ptx.remove_prefix(end == std::string_view::npos ? ptx.size() : end + 1);
    const auto found = rows.find(++number);
    if (found != rows.end() && has_instruction(line))
      text += ".loc " + std::to_string(found->second->file + 1) + ' ' +
              std::to_string(found->second->line) + " 0 ";
    text += line;
    text += '\n';
  }
  return text;
}

}  // namespace

void add_source_lines(const image::ElfFile& cubin, std::string& ptx) {
  const LineTable sources = read_line_table(cubin, ".debug_line");
  const LineTable ptx_lines = read_line_table(cubin, ".nv_debug_line_sass");
  const SourceRows rows = rows_by_ptx_line(sources, ptx_lines);
  if (!rows.empty()) ptx = with_positions(ptx, rows) + file_directives(sources);
}

}  // namespace cucore::cpu
