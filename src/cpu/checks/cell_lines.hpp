// SPDX-License-Identifier: Apache-2.0
// Lines: sixteen cells of global memory with one record, as long as each access covers a whole line
// by consecutive lanes. The first other access divides the line: its cells then have their own
// records, and the line has none until the shadow is cleared.
#pragma once

#include <cstdint>

#include "cpu/checks/lane_checks.hpp"

namespace cucore::cpu {

inline constexpr uint32_t LINE_SHIFT = 4;
inline constexpr uint32_t LINE_CELLS = 1u << LINE_SHIFT;
// The writer of a line that is divided. No access has this value.
inline constexpr uint32_t DIVIDED = ~0u;

// In place of its lane, the record of a line has one of these codes: the lanes from `lane` on
// accessed 2^shift cells each. A code above SEVERAL_LANES therefore describes all cells, and two
// records have the same lanes if their codes are equal.
inline constexpr uint32_t MOST_LINE_SHIFT = 3;
constexpr uint32_t line_code(uint32_t lane, uint32_t shift) {
  return 31 + (2u << shift) + (lane >> (LINE_SHIFT - shift));
}

// The arguments of a code above SEVERAL_LANES.
constexpr uint32_t shift_of_code(uint32_t code) {
  uint32_t shift = 0;
  while (code - 31 >= 4u << shift) ++shift;
  return shift;
}
constexpr uint32_t lane_of_code(uint32_t code) {
  const uint32_t shift = shift_of_code(code);
  return (code - 31 - (2u << shift)) << (LINE_SHIFT - shift);
}

// Returns what cell `k` of the line would have as its record.
constexpr uint32_t cell_of_line(uint32_t record, uint32_t k) {
  const uint32_t code = record & CELL_LANE;
  if (code <= SEVERAL_LANES) return record;
  return (record & ~CELL_LANE) | (lane_of_code(code) + (k >> shift_of_code(code)));
}

// Divides the lines that contain the cells.
void divide_lines(const Cells& cells, uint64_t first, uint64_t count);

// Copies the records of cells to smaller ones of the same memory, which have none. Words and bytes
// keep the records of kernels only. An access of the host, or a part of a copy, can use a part of
// a word.
void copy_records(const Cells& from, const Cells& to);

}  // namespace cucore::cpu
