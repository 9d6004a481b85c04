// SPDX-License-Identifier: Apache-2.0
#include "cpu/checks/cell_lines.hpp"

namespace cucore::cpu {
namespace {

void divide(const Cells& cells, uint64_t line) {
  const Records& lines = cells.lines;
  const uint32_t writer = lines.writer[line], reader = lines.reader[line];
  const uint16_t writer_site = lines.writer_site[line], reader_site = lines.reader_site[line];
  for (uint32_t k = 0; k < LINE_CELLS; ++k) {
    const uint64_t cell = line * LINE_CELLS + k;
    cells.writer[cell] = cell_of_line(writer, k);
    cells.reader[cell] = cell_of_line(reader, k);
    cells.writer_site[cell] = writer_site;
    cells.reader_site[cell] = reader_site;
  }
  lines.writer[line] = DIVIDED;
}

}  // namespace

void divide_lines(const Cells& cells, uint64_t first, uint64_t count) {
  if (!cells.lines.writer) return;
  const uint64_t end = (first + count - 1) >> LINE_SHIFT;
  for (uint64_t line = first >> LINE_SHIFT; line <= end; ++line)
    if (cells.lines.writer[line] != DIVIDED) divide(cells, line);
}

}  // namespace cucore::cpu
