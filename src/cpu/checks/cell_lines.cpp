// SPDX-License-Identifier: Apache-2.0
#include "cpu/checks/cell_lines.hpp"

#include <algorithm>

#include "cpu/checks/segments.hpp"

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

namespace {

class RecordCopy {
 public:
  RecordCopy(const Cells& from, const Cells& to)
      : from_(from), to_(to), by_(from.shift - to.shift), keeps_all_(from.shift > 2) {}
  void run();

 private:
  uint32_t kept(uint32_t record);
  void copy_cells(uint64_t line, uint64_t part);
  bool copy_line(uint64_t line, uint64_t part);

  const Cells& from_;
  const Cells& to_;
  const uint32_t by_;  // each cell becomes 2^by_
  const bool keeps_all_;
  uint32_t last_ = 0;  // the id that kept() has found last
  bool is_kernel_ = false;
};

uint32_t RecordCopy::kept(uint32_t record) {
  const uint32_t id = record >> SEGMENT_SHIFT;
  if (keeps_all_ || id == 0) return record;
  if (id != last_) {
    Segment segment;
    is_kernel_ = Segments::instance().find(id, segment) && segment.warp != NO_WARP;
    last_ = id;
  }
  return is_kernel_ ? record : 0;
}

// Returns the record of a line of smaller cells; DIVIDED if its cells need their own.
uint32_t part_of_line(uint32_t record, uint64_t part, uint32_t by) {
  const uint32_t code = record & CELL_LANE;
  if (code <= SEVERAL_LANES) return record;
  const uint32_t shift = shift_of_code(code) + by;
  if (shift > MOST_LINE_SHIFT) return DIVIDED;
  const uint32_t lane = lane_of_code(code) + (uint32_t(part * LINE_CELLS) >> shift);
  return (record & ~CELL_LANE) | line_code(lane, shift);
}

bool RecordCopy::copy_line(uint64_t line, uint64_t part) {
  const uint32_t writer = from_.lines.writer[line], reader = from_.lines.reader[line];
  if (writer == DIVIDED) return false;
  const uint32_t new_writer = part_of_line(kept(writer), part, by_);
  const uint32_t new_reader = part_of_line(kept(reader), part, by_);
  if (new_writer == DIVIDED || new_reader == DIVIDED) return false;
  const uint64_t to = (line << by_) + part;
  to_.lines.writer[to] = new_writer;
  to_.lines.reader[to] = new_reader;
  to_.lines.writer_site[to] = from_.lines.writer_site[line];
  to_.lines.reader_site[to] = from_.lines.reader_site[line];
  return true;
}

void RecordCopy::copy_cells(uint64_t line, uint64_t part) {
  const bool is_divided = from_.lines.writer[line] == DIVIDED;
  const uint64_t first = ((line << by_) + part) * LINE_CELLS;
  const uint64_t end = std::min(first + LINE_CELLS, to_.count);
  for (uint64_t cell = first; cell < end; ++cell) {
    const uint64_t old = cell >> by_, at = is_divided ? old : line;
    const Records& records = is_divided ? static_cast<const Records&>(from_) : from_.lines;
    const auto k = uint32_t(old % LINE_CELLS);
    const uint32_t writer = kept(records.writer[at]), reader = kept(records.reader[at]);
    to_.writer[cell] = is_divided ? writer : cell_of_line(writer, k);
    to_.reader[cell] = is_divided ? reader : cell_of_line(reader, k);
    to_.writer_site[cell] = records.writer_site[at];
    to_.reader_site[cell] = records.reader_site[at];
  }
  to_.lines.writer[(line << by_) + part] = DIVIDED;
}

void RecordCopy::run() {
  const uint64_t lines = (from_.count + LINE_CELLS - 1) / LINE_CELLS;
  for (uint64_t line = 0; line < lines; ++line) {
    if ((from_.lines.writer[line] | from_.lines.reader[line]) == 0) continue;
    for (uint64_t part = 0; part < uint64_t{1} << by_; ++part)
      if (!copy_line(line, part)) copy_cells(line, part);
  }
  RecordEnds::note(to_.ends->writer, from_.ends->writer.load());
  RecordEnds::note(to_.ends->reader, from_.ends->reader.load());
}

}  // namespace

void copy_records(const Cells& from, const Cells& to) { RecordCopy(from, to).run(); }

void divide_lines(const Cells& cells, uint64_t first, uint64_t count) {
  if (!cells.lines.writer) return;
  const uint64_t end = (first + count - 1) >> LINE_SHIFT;
  for (uint64_t line = first >> LINE_SHIFT; line <= end; ++line)
    if (cells.lines.writer[line] != DIVIDED) divide(cells, line);
}

}  // namespace cucore::cpu
