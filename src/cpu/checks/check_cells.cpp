// SPDX-License-Identifier: Apache-2.0
// Races: the exact check of one cell, and the report with both accesses.
#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "cpu/checks/cell_lines.hpp"
#include "cpu/checks/cell_pages.hpp"
#include "cpu/checks/check_report.hpp"
#include "cpu/checks/checks.hpp"
#include "cpu/checks/host_work.hpp"
#include "cpu/checks/joined_reads.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/memory.hpp"
#include "support/counted.hpp"

namespace cucore::cpu {
namespace {

enum class Relation : uint8_t { ORDERED, RACE, STREAMS, HOST };

// The relation of this access to those of a record.
struct Found {
  Relation relation = Relation::ORDERED;
  std::optional<OtherRead> read;  // the one that is not of the record's own operation
  bool is_ordered() const { return relation == Relation::ORDERED; }
};

bool happened_before(const Rule& r, uint32_t c) { return c < r.stale || c - r.low <= r.width; }
uint32_t id_of(uint32_t cell) { return cell >> SEGMENT_SHIFT; }

class Cell {
 public:
  Cell(const AccessContext& context, uint64_t index, uint32_t lane, uint32_t recorded)
      : context_(context),
        index_(index),
        lane_(lane),
        mine_(context.rule.mine | recorded),
        checks_(*context.w.block->checks) {}
  void run();
  bool run_line();

 private:
  bool strong() const { return context_.checked.strong; }
  bool is_load() const { return context_.checked.hook == Hook::LOAD; }
  bool is_mine(uint32_t c) const { return (c & ~CELL_STRONG) == mine_; }
  bool same_segment(uint32_t c) const { return id_of(c) == id_of(context_.rule.mine); }
  Found relation(uint32_t c) const;
  Relation relation_of_operation(uint32_t operation) const;
  Found relation_of_others(uint32_t c, const Segment& segment) const;
  bool is_swap(uint32_t c, uint16_t site) const;
  bool are_strong(uint32_t c, uint16_t site) const;
  bool is_too_narrow(uint32_t c, uint16_t site) const;
  bool conflicts_with_writer(uint32_t c) const;
  bool conflicts_with_reader(uint32_t c) const;
  bool changes_nothing(uint32_t c) const;
  void note_read(uint32_t c);
  uint32_t joined_id(uint32_t c, Relation relation);
  uint32_t racing_lane(uint32_t c) const;
  void report(uint32_t c, bool other_wrote, const Found& found);
  std::string other_thread(uint32_t c, const Segment& segment, const StreamWork& operation) const;

  const AccessContext& context_;
  const uint64_t index_;
  const uint32_t lane_;
  const uint32_t mine_;
  BlockChecks& checks_;
};

Relation Cell::relation_of_operation(uint32_t operation) const {
  if (!(checks_.launch.set & CHECK_HOST)) return Relation::ORDERED;
  const auto other = Segments::instance().operation(operation);
  if (!other || checks_.launch.operation->after(*other)) return Relation::ORDERED;
  if (!other->is_host) return Relation::STREAMS;
  return is_host_order_known(*other, *checks_.launch.operation) ? Relation::HOST
                                                                : Relation::ORDERED;
}

// The relation to reads of further operations, for which the record stands.
Found Cell::relation_of_others(uint32_t c, const Segment& segment) const {
  if (segment.block != NO_BLOCK || segment.warp != SEVERAL_WARPS) return {};
  const auto owner = Segments::instance().operation(segment.operation);
  if (!owner) return {};
  for (const OtherRead& read : owner->joined.others(id_of(c))) {
    if (strong() && read.is_strong) continue;
    const Relation r = relation_of_operation(read.operation);
    if (r != Relation::ORDERED) return {r, read};
  }
  return {};
}

Found Cell::relation(uint32_t c) const {
  if (happened_before(context_.rule, c)) return {};
  Segment segment;
  if (!Segments::instance().find(id_of(c), segment)) return {};
  const StreamWork& operation = *checks_.launch.operation;
  const bool is_other = segment.operation != operation.number;
  const Relation r = is_other ? relation_of_operation(segment.operation) : Relation::ORDERED;
  if (r != Relation::ORDERED) return {r, {}};
  // Which thread of this launch has read the cell is unknown if the record stands for others.
  if (is_other || operation.joined.has(id_of(c))) return relation_of_others(c, segment);
  if (!(checks_.launch.set & CHECK_RACE)) return {};
  const bool ordered = checks_.clock.ordered(context_.w.index, id_of(c), segment);
  return {ordered ? Relation::ORDERED : Relation::RACE, {}};
}

// A compare-and-swap verifies what a thread has read before, so its race with a read is harmless.
bool Cell::is_swap(uint32_t c, uint16_t site) const {
  const auto& swaps = checks_.launch.module->swaps;
  return (c & CELL_STRONG) && site < swaps.size() && swaps[site];
}

// Two strong accesses of different blocks, one of them with the scope of its block.
bool Cell::is_too_narrow(uint32_t c, uint16_t site) const {
  if (!strong() || !(c & CELL_STRONG)) return false;
  const ModuleChecks& module = *checks_.launch.module;
  const bool is_narrow = site < module.narrow.size() && module.narrow[site];
  if (!context_.checked.narrow && !is_narrow) return false;
  Segment segment;
  return Segments::instance().find(id_of(c), segment) && segment.block != checks_.clock.block();
}
// Atomics and the like, which do not race with each other.
bool Cell::are_strong(uint32_t c, uint16_t site) const {
  return strong() && (c & CELL_STRONG) && !is_too_narrow(c, site);
}

bool Cell::conflicts_with_writer(uint32_t c) const {
  const uint16_t site = context_.cells.writer_site[index_];
  if (is_load() && is_swap(c, site) && !is_too_narrow(c, site)) return false;
  if (c == 0 || is_mine(c) || are_strong(c, site)) return false;
  // Lanes that wrote one value together, this one among them.
  return !(same_segment(c) && (c & (CELL_LANE | CELL_STRONG)) == SEVERAL_LANES);
}
bool Cell::conflicts_with_reader(uint32_t c) const {
  const uint16_t site = context_.cells.reader_site[index_];
  if (c == 0 || is_mine(c)) return false;
  return is_too_narrow(c, site) || (!context_.checked.swaps && !are_strong(c, site));
}

// A store of the value that memory has, or that another lane of this instruction stores, has no
// effect that another thread could observe.
bool Cell::changes_nothing(uint32_t c) const {
  const CheckedOp& checked = context_.checked;
  if (checked.hook != Hook::STORE) return false;
  const Warp& w = context_.w;
  const uint64_t address = context_.addresses[lane_];
  const bool together = same_segment(c) && context_.cells.writer_site[index_] == context_.site;
  uint32_t twin = lane_;
  for (uint32_t l = 0; together && l < uint32_t(LANES); ++l)
    if (l == (c & CELL_LANE) && (w.mask >> l & 1) && context_.addresses[l] == address) twin = l;
  const auto* memory =
      context_.in_shared
          ? (context_.shared ? context_.shared : w.shared) + (address - context_.base)
          : static_cast<const std::byte*>(AddressSpace::instance().host(address, checked.size()));
  for (uint32_t v = 0; v < checked.count; ++v) {
    const std::byte* values = w.at<std::byte>(context_.op.at(LoadStore::VALUES, v));
    const std::byte* mine = values + size_t{lane_} * checked.register_bytes;
    const std::byte* other = twin != lane_ ? values + size_t{twin} * checked.register_bytes
                                           : memory + size_t{v} * checked.value_bytes;
    if ((twin == lane_ && !memory) || std::memcmp(mine, other, checked.value_bytes) != 0)
      return false;
  }
  return true;
}

// Returns the id of a record that stands for this read and for those that have no order with it; 0:
// the old record remains.
uint32_t Cell::joined_id(uint32_t c, Relation relation) {
  LaunchChecks& launch = checks_.launch;
  if (relation == Relation::STREAMS)
    return checks_.worker.joiner.id_of(*launch.operation, context_.cells, index_, c);
  Segment segment;
  const bool is_found = Segments::instance().find(id_of(c), segment);
  const bool is_here = is_found && segment.block == checks_.clock.block() &&
                       segment.operation == launch.operation->number;
  checks_.worker.joins_readers |= is_here && !context_.in_shared;
  if (!is_here) return launch.several_blocks;
  checks_.worker.note_block(&checks_);
  return checks_.clock.several();
}

void Cell::note_read(uint32_t c) {
  const Rule& rule = context_.rule;
  const uint32_t flag = strong() ? CELL_STRONG : 0;
  uint32_t now = mine_ | flag;
  if (same_segment(c)) {
    if (!is_mine(c)) now = rule.mine | SEVERAL_LANES;
    now &= ~CELL_STRONG | (c & flag);
  } else if (c - rule.several_blocks <= rule.several_width) {
    return;  // the record stands for this launch
  } else if (const Found found = relation(c); !found.is_ordered()) {
    // A read of the host remains, because a later write of any thread races with it.
    if (strong() || found.relation == Relation::HOST) return;
    const uint32_t id = joined_id(c, found.relation);
    if (id == 0) return;
    now = id << SEGMENT_SHIFT | SEVERAL_LANES;
  }
  context_.cells.reader[index_] = now;
  if (now == rule.several_blocks && !(c & CELL_STRONG)) return;  // see keeps_site()
  record_site(context_.cells, false, index_, context_.site);
}

void Cell::run() {
  const uint32_t writer = context_.cells.writer[index_], reader = context_.cells.reader[index_];
  const bool wrong_writer = conflicts_with_writer(writer);
  if (wrong_writer)
    if (const Found r = relation(writer); !r.is_ordered() && !changes_nothing(writer))
      report(writer, true, r);
  if (is_load()) return note_read(reader);
  if (conflicts_with_reader(reader))
    if (const Found r = relation(reader); !r.is_ordered() && !changes_nothing(reader))
      report(reader, false, r);
  context_.cells.writer[index_] = mine_ | (strong() ? CELL_STRONG : 0);
  record_site(context_.cells, true, index_, context_.site);
}

// The record is that of a line. Returns false if its cells differ.
bool Cell::run_line() {
  const uint32_t writer = context_.cells.writer[index_], reader = context_.cells.reader[index_];
  auto races = [&](uint32_t c) { return !relation(c).is_ordered(); };
  if (conflicts_with_writer(writer) && races(writer)) return false;
  if (is_load()) {
    const bool other_lanes = same_segment(reader) && !is_mine(reader);
    if (other_lanes && (reader & CELL_LANE) != SEVERAL_LANES) return false;
    note_read(reader);
    return true;
  }
  if (conflicts_with_reader(reader) && races(reader)) return false;
  context_.cells.writer[index_] = mine_ | (strong() ? CELL_STRONG : 0);
  record_site(context_.cells, true, index_, context_.site);
  return true;
}

std::string Cell::other_thread(uint32_t c, const Segment& segment,
                               const StreamWork& operation) const {
  if (!operation.is_kernel) return operation.name;
  const std::string prefix =
      operation.number == checks_.launch.operation->number ? "" : operation.name + " ";
  if (segment.warp == SEVERAL_WARPS || (c & CELL_LANE) == SEVERAL_LANES)
    return prefix + "several threads";
  const uint32_t t = segment.warp * LANES + (c & CELL_LANE);
  const unsigned* grid = operation.grid;
  const unsigned* block = operation.block;
  auto triple = [](uint32_t i, const unsigned* size) {
    std::string text(1, '(');
    text += std::to_string(i % size[0]) + ',' + std::to_string(i / size[0] % size[1]) + ',' +
            std::to_string(i / size[0] / size[1]) + ')';
    return text;
  };
  return prefix + "block " + triple(segment.block, grid) + " thread " + triple(t, block);
}

// Of lanes that access the cell together, the first one stands for all. Its own earlier access is a
// race of the others.
uint32_t Cell::racing_lane(uint32_t c) const {
  const bool together = (mine_ & CELL_LANE) == SEVERAL_LANES;
  const bool is_own = together && same_segment(c) && (c & CELL_LANE) == lane_;
  const uint32_t others = context_.w.mask & ~(uint32_t{1} << lane_);
  return is_own && others ? uint32_t(std::countr_zero(others)) : lane_;
}

void Cell::report(uint32_t c, bool other_wrote, const Found& found) {
  const Records& cells = context_.cells;
  const uint16_t site = found.read    ? found.read->site
                        : other_wrote ? cells.writer_site[index_]
                                      : cells.reader_site[index_];
  const bool streams = found.relation == Relation::STREAMS, host = found.relation == Relation::HOST;
  const ReportKind kind = streams              ? ReportKind::STREAM_RACE
                          : host               ? ReportKind::HOST_RACE
                          : context_.in_shared ? ReportKind::SHARED_RACE
                                               : ReportKind::GLOBAL_RACE;
  if (!checks_.launch.is_first({kind, &context_.op, site})) return;
  Segment segment;
  Segments::instance().find(id_of(c), segment);
  const auto operation =
      Segments::instance().operation(found.read ? found.read->operation : segment.operation);
  if (!operation) return;
  Report report =
      access_report(context_.w, context_.op, context_.checked, int(racing_lane(c)),
                    context_.addresses[lane_], context_.in_shared ? "shared" : "global");
  report.kind = kind;
  report.other = (found.read ? operation->name : other_thread(c, segment, *operation)) +
                 (other_wrote ? " wrote it" : " read it");
  report.missing = streams                  ? UNORDERED_STREAMS
                   : host                   ? UNORDERED_HOST
                   : is_too_narrow(c, site) ? "with a scope that excludes the other block"
                                            : "without a synchronisation";
  if (operation->places && site < operation->places->size())
    report.other_place = (*operation->places)[site];
  keep_report(checks_.launch, {kind, &context_.op, site}, std::move(report));
}

}  // namespace

void check_cell(const AccessContext& context, uint64_t cell, uint32_t lane, uint32_t recorded) {
  if (RecordEnds* const ends = context.cells.ends)
    RecordEnds::note(context.checked.hook == Hook::LOAD ? ends->reader : ends->writer,
                     context.rule.end);
  Cell(context, cell, lane, recorded).run();
}

bool check_line(const AccessContext& context, uint64_t line, uint32_t code) {
  if (context.cells.lines.writer[line] == DIVIDED) return false;
  Cells lines;
  static_cast<Records&>(lines) = context.cells.lines;
  const AccessContext whole{context.w,        context.op,   context.checked,   lines,
                            context.rule,     context.site, context.addresses, context.base,
                            context.in_shared};
  return Cell(whole, line, 0, code).run_line();
}

namespace {

CellWindow window_of(uint32_t first, uint32_t end) {
  if (first >= end) return {};
  return {first << SEGMENT_SHIFT, ((end - first) << SEGMENT_SHIFT) - 1};
}

// Whether the warp has no other order with those of its block than barriers of all.
bool has_only_barriers(const BlockChecks& checks, uint32_t warp) {
  return !checks.in_cluster && checks.clock.is_simple(warp) && !checks.clock.known(warp);
}

// Adds the ids that were taken before the block began, and those of other parts of the table. All
// of them must be of this launch.
void add_other_blocks(Rule& rule, const BlockChecks& checks, uint32_t warp) {
  if (checks.in_cluster || checks.clock.known(warp)) return;
  const StreamWork& operation = *checks.launch.operation;
  const uint32_t end = Segments::instance().end_of_alone(operation);
  const uint32_t first = checks.clock.first_id();
  rule.other_blocks[0] = window_of(operation.first_segment, std::min(first, end));
  rule.other_blocks[1] = window_of(checks.worker.source.end(), end);
}

// The first id that only the running block of the worker can have, in the present part of the
// table.
uint32_t own_first(const WorkerChecks& worker) {
  return std::max(worker.first_of_block, worker.source.chunk_start());
}
CellWindow own_window(const WorkerChecks& worker) {
  return window_of(own_first(worker), worker.source.last() + 1);
}

// A worker that runs one block has all its segments in one window of ids.
Rule make_rule(Warp& w, bool in_shared) {
  BlockChecks& checks = *w.block->checks;
  WorkerChecks& worker = checks.worker;
  worker.note_block(&checks);
  Rule rule;
  const uint32_t id = checks.clock.segment(w.index);
  rule.mine = id << SEGMENT_SHIFT;
  const uint32_t floor = checks.clock.floor(w.index);
  const bool joins = has_only_barriers(checks, w.index);
  // In global memory, warps seldom read the same cells: the first exact check takes the id.
  const bool takes = joins && (in_shared || worker.joins_readers);
  if (const uint32_t several = takes ? checks.clock.several() : checks.clock.several_if_any())
    rule.several_warps = several << SEGMENT_SHIFT | SEVERAL_LANES;
  const bool has_several = joins && rule.several_warps != ~0u;
  if (in_shared) {
    if (has_several) rule.other_warps = {0, ~0u};
    rule.stale = (floor + 1) << SEGMENT_SHIFT;
    return rule;
  }
  rule.end = worker.source.end() << SEGMENT_SHIFT;
  rule.stale = checks.launch.operation->floor << SEGMENT_SHIFT;
  if (checks.launch.several_blocks)
    rule.several_blocks = checks.launch.several_blocks << SEGMENT_SHIFT | SEVERAL_LANES;
  if (rule.several_blocks != ~0u) rule.several_width = JoinedReads::MOST << SEGMENT_SHIFT;
  const uint32_t first = own_first(worker);
  if (floor >= first) {
    rule.low = first << SEGMENT_SHIFT;
    rule.width = ((floor - first + 1) << SEGMENT_SHIFT) - 1;
  }
  if (has_several) rule.other_warps = own_window(worker);
  if (rule.several_blocks != ~0u) add_other_blocks(rule, checks, w.index);
  return rule;
}

// Whether the rule of the warp differs by ids alone from another one of its block.
bool is_alike(const Warp& w, uint32_t other, const BlockChecks::KeptRule& rule) {
  const BlockChecks& checks = *w.block->checks;
  const BlockClock& clock = checks.clock;
  const WorkerChecks& worker = checks.worker;
  return rule.common_version == clock.common_version() && rule.has_only_barriers &&
         has_only_barriers(checks, w.index) && clock.floor(w.index) == clock.floor(other) &&
         worker.block == &checks && worker.first_of_block == rule.first_of_block &&
         (rule.rule.several_warps != ~0u || !worker.joins_readers);
}

// Copies the newest rule of the block. Returns false if that of the warp may be another one.
bool copy_rule(Warp& w, bool in_shared, BlockChecks::KeptRule& kept) {
  BlockChecks& checks = *w.block->checks;
  const SegmentSource& source = checks.worker.source;
  const uint32_t other = checks.last_warp[in_shared];
  const BlockChecks::KeptRule& last = checks.rules[in_shared][other];
  if (!is_alike(w, other, last)) [[unlikely]]
    return false;
  const uint32_t id = checks.clock.segment(w.index);
  if (!in_shared && source.end() << SEGMENT_SHIFT != last.rule.end) [[unlikely]]
    return false;
  kept.rule = last.rule;
  kept.rule.mine = id << SEGMENT_SHIFT;
  if (!in_shared && kept.rule.several_warps != ~0u)
    kept.rule.other_warps = own_window(checks.worker);
  return true;
}

}  // namespace

const Rule& renew_rule(Warp& w, bool in_shared) {
  BlockChecks& checks = *w.block->checks;
  BlockChecks::KeptRule& kept = checks.rules[in_shared][w.index];
  if (!copy_rule(w, in_shared, kept)) kept.rule = make_rule(w, in_shared);
  // A rule may take ids, which changes all of these.
  kept.version = checks.clock.version(w.index);
  kept.common_version = checks.clock.common_version();
  kept.first_of_block = checks.worker.first_of_block;
  kept.has_only_barriers = has_only_barriers(checks, w.index);
  checks.last_warp[in_shared] = w.index;
  return kept.rule;
}

namespace {
SyncVariables& variables_of(BlockChecks& checks, bool in_shared) {
  return in_shared ? checks.shared_variables : checks.launch.global_variables;
}
}  // namespace

namespace {

// Keys of synchronisation with the scope of a block, beyond all addresses.
constexpr uint64_t NARROW_MEMORY = uint64_t{1} << 61;
uint64_t narrow_key(const Warp& w, uint64_t address) {
  const uint64_t block = w.block->checks->clock.block();
  return NARROW_MEMORY | ((address ^ (block + 1) << 43) & (NARROW_MEMORY - 1));
}

bool has_narrow(const Warp& w, bool in_shared) {
  const ModuleChecks& module = *w.block->checks->launch.module;
  return !in_shared && (module.has_narrow || module.has_narrow_fence);
}

}  // namespace

bool publishes(const Warp& w, const CheckedOp& checked) {
  return checked.releases || w.block->checks->clock.has_fenced();
}

void publish(Warp& w, const CheckedOp& checked, uint64_t address, bool in_shared) {
  BlockChecks& checks = *w.block->checks;
  checks.kept_accesses.record();
  SyncVariables& variables = variables_of(checks, in_shared);
  if (checked.releases) checks.clock.fence(w.index, checked.narrow);
  // The device takes what it may see, and the block takes the rest.
  if (in_shared || !checked.narrow) checks.clock.publish(w.index, variables, address, in_shared);
  if (has_narrow(w, in_shared))
    checks.clock.publish(w.index, variables, narrow_key(w, address), true);
}

void acquire(Warp& w, uint64_t address, bool in_shared, bool is_narrow) {
  BlockChecks& checks = *w.block->checks;
  const SyncVariables& variables = variables_of(checks, in_shared);
  if (variables.empty()) return;
  checks.kept_accesses.record();
  if (in_shared || !is_narrow) checks.clock.acquire(w.index, variables, address, in_shared);
  if (has_narrow(w, in_shared))
    checks.clock.acquire(w.index, variables, narrow_key(w, address), true);
}

}  // namespace cucore::cpu
