// SPDX-License-Identifier: Apache-2.0
// Repeats rows with operands that matter only for some of them: results next to the least normal
// number under .ftz, and NaN of every kind.
#include <set>

#include "case.hpp"

namespace cucore::cpu::ops {
namespace {

std::string stem(const std::string& name) { return name.substr(0, name.find('.')); }

bool has(const std::string& name, const char* part) { return name.find(part) != std::string::npos; }

bool takes_only(const Case& row, Kind kind) {
  for (Kind in : row.in)
    if (in != kind) return false;
  return !row.in.empty();
}

Case with_operands(Case row, Kind kind, const char* note) {
  row.name += note;
  for (Kind& in : row.in) in = kind;
  return row;
}

// Returns whether the result may be next to the least normal number and is flushed.
bool may_be_tiny(const Case& row) {
  static const std::set<std::string> STEMS = {"add", "sub", "mul", "fma", "div", "rcp"};
  return has(row.name, ".ftz") && STEMS.contains(stem(row.name)) && takes_only(row, Kind::f32);
}

// Returns whether an operand may be NaN and the result depends on its bits.
bool heeds_nan(const Case& row) {
  static const std::set<std::string> STEMS = {"add", "sub",      "mul", "fma",  "div",
                                              "rcp", "min",      "max", "neg",  "abs",
                                              "cvt", "copysign", "set", "sqrt", "mad"};
  bool directed = has(row.name, ".rm.") || has(row.name, ".rp.") || has(row.name, ".rz.");
  return STEMS.contains(stem(row.name)) && !directed;
}

void add_corners(Table& table, const Case& row) {
  if (row.compare != Compare::exact || !row.reference) return;
  if (may_be_tiny(row)) table.add(with_operands(row, Kind::tiny, " tiny"));
  if (stem(row.name) == "cvt" && has(row.name, ".ftz.f32.f64"))
    table.add(with_operands(row, Kind::tiny64, " tiny"));
  if (!heeds_nan(row)) return;
  if (takes_only(row, Kind::f32)) table.add(with_operands(row, Kind::nan32, " nan"));
  if (takes_only(row, Kind::f64)) table.add(with_operands(row, Kind::nan64, " nan"));
  if (takes_only(row, Kind::f16) || takes_only(row, Kind::bf16))
    table.add(with_operands(row, Kind::nan16, " nan"));
}

}  // namespace

void add_corner_cases(Table& table) {
  const std::vector<Case> rows = table.rows();
  for (const Case& row : rows) add_corners(table, row);
}

}  // namespace cucore::cpu::ops
