// SPDX-License-Identifier: Apache-2.0
// Accesses of the driver to shadow memory.
#include "cpu/checks/transfers.hpp"

#include <algorithm>

#include "cpu/checks/cell_lines.hpp"
#include "cpu/checks/cell_pages.hpp"
#include "cpu/checks/check_set.hpp"
#include "cpu/checks/host_work.hpp"
#include "cpu/checks/joined_reads.hpp"
#include "cpu/checks/reports.hpp"
#include "cpu/checks/shadow.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/memory.hpp"
#include "support/counted.hpp"

namespace cucore::cpu {

Transfer::Transfer(std::shared_ptr<StreamWork> operation) : operation_(std::move(operation)) {
  if (!operation_) return;
  Segments::instance().begin(operation_);
  id_ = Segments::instance().take_chunk();
  if (!id_) return;
  Segments::instance().name(id_, operation_->number, NO_BLOCK, NO_WARP);
  operation_->joined.begin(id_);
}

Transfer::~Transfer() {
  if (operation_) Segments::instance().end(*operation_);
}

void Transfer::reads(uint64_t address, uint64_t size) { visit(address, size, Use::READ); }
void Transfer::writes(uint64_t address, uint64_t size) { visit(address, size, Use::WRITE); }
void Transfer::frees(uint64_t address) { visit(address, ~uint64_t{0}, Use::FREE); }

// Returns true if the cell's access has an order with this one.
bool Transfer::check(uint32_t cell, uint16_t site, uint64_t address, Use use, bool wrote) {
  const uint32_t id = cell >> SEGMENT_SHIFT;
  if (id < operation_->floor || id == id_) return true;
  Segment segment;
  if (!Segments::instance().find(id, segment)) return true;
  const auto other = Segments::instance().operation(segment.operation);
  if (!other) return true;
  if (!check_order(*other, site, address, use, wrote)) return false;
  for (const OtherRead& read : other->joined.others(id))
    if (const auto reader = Segments::instance().operation(read.operation))
      if (!check_order(*reader, read.site, address, use, false)) return false;
  return true;
}

bool Transfer::check_order(const StreamWork& other, uint16_t site, uint64_t address, Use use,
                           bool wrote) {
  if (operation_->after(other)) return true;
  if (other.is_host && !is_host_order_known(other, *operation_)) return true;
  constexpr const char* VERBS[] = {"reads", "writes", "frees"};
  Report report;
  report.kind = other.is_host ? ReportKind::HOST_RACE : ReportKind::STREAM_RACE;
  report.kernel = operation_->name;  // a copy or a fill
  report.message = std::string(VERBS[size_t(use)]) + " memory at " + hex_text(address);
  report.space = "global";
  report.address = address;
  report.other = other.name + (wrote ? " wrote it" : " read it");
  report.missing = other.is_host ? UNORDERED_HOST : UNORDERED_STREAMS;
  if (other.places && site < other.places->size()) report.other_place = (*other.places)[site];
  report.add_allocation();
  report.schedule = schedule_suffix();
  Reports::instance().add(std::move(report));
  return false;
}

void Transfer::visit(uint64_t address, uint64_t size, Use use) {
  if (id_ == 0 || size == 0) return;
  Range range;
  Shadow* shadow = AddressSpace::instance().shadow(address, range);
  // Cells of words, as larger ones, can be divided between two operations.
  const bool is_even = use == Use::FREE || (address | size) % 8 == 0;
  const Cells* cells = shadow ? shadow->cells(is_even ? 8 : 4) : nullptr;
  if (!cells) return;
  if (use != Use::FREE)
    RecordEnds::note(use == Use::READ ? cells->ends->reader : cells->ends->writer,
                     (id_ + Segments::CHUNK) << SEGMENT_SHIFT);
  const uint64_t offset = address - range.base;
  size = std::min(size, range.size - offset);
  const uint64_t end = ((offset + size - 1) >> cells->shift) + 1;
  bool good = true;  // one report is enough
  for (uint64_t k = offset >> cells->shift; k < end;) {
    const uint64_t at = range.base + (k << cells->shift), line = k >> LINE_SHIFT;
    const bool is_whole = k % LINE_CELLS == 0 && end - k >= LINE_CELLS;
    if (is_whole && cells->lines.writer[line] != DIVIDED) {
      good = visit_record(cells->lines, line, at, use, good);
      note_lines(*cells, k, 1);
      k += LINE_CELLS;
      continue;
    }
    divide_lines(*cells, k, 1);
    good = visit_record(*cells, k, at, use, good);
    if (use != Use::FREE) note_site(*cells, use == Use::WRITE, k, 0);
    ++k;
  }
}

uint32_t Transfer::record_of_read(const Records& records, uint64_t k) {
  const uint32_t cell = records.reader[k], id = cell >> SEGMENT_SHIFT;
  if (operation_->joined.has(id)) return cell;
  const uint32_t joined = id < operation_->floor ? 0 : joiner_.id_of(*operation_, records, k, cell);
  return (joined ? joined : id_) << SEGMENT_SHIFT | SEVERAL_LANES;
}

bool Transfer::visit_record(const Records& records, uint64_t k, uint64_t at, Use use, bool good) {
  if (good && records.writer[k] >> SEGMENT_SHIFT >= operation_->floor)
    good = check(records.writer[k], records.writer_site[k], at, use, true);
  if (good && use != Use::READ && records.reader[k] >> SEGMENT_SHIFT >= operation_->floor)
    good = check(records.reader[k], records.reader_site[k], at, use, false);
  if (use == Use::FREE) return good;
  (use == Use::READ ? records.reader : records.writer)[k] =
      use == Use::READ ? record_of_read(records, k) : id_ << SEGMENT_SHIFT | SEVERAL_LANES;
  (use == Use::READ ? records.reader_site : records.writer_site)[k] = 0;
  return good;
}

void Transfer::initialises(uint64_t address, uint64_t size) {
  if (!(enabled_checks() & CHECK_INIT)) return;
  Range range;
  if (Shadow* shadow = AddressSpace::instance().shadow(address, range))
    shadow->set_initialised(address - range.base, size);
}

void Transfer::copies(uint64_t to, uint64_t from, uint64_t size) {
  if (!(enabled_checks() & CHECK_INIT)) return;
  Range target, source;
  Shadow* shadow = AddressSpace::instance().shadow(to, target);
  if (!shadow) return;
  const Shadow* other = AddressSpace::instance().shadow(from, source);
  shadow->copy_initialised(to - target.base, other, from - source.base, size);
}

}  // namespace cucore::cpu
