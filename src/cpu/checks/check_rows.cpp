// SPDX-License-Identifier: Apache-2.0
// The check of warps whose halves access consecutive addresses, as rows of arrays and tiles do.
#include <bit>

#include "cpu/checks/cell_lines.hpp"
#include "cpu/checks/cell_pages.hpp"
#include "cpu/checks/checks.hpp"
#include "cpu/exec/cluster.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu {
namespace {

constexpr uint32_t HALF = LANES / 2;

// An access whose record all cells of each line share.
bool visit_lines(const AccessContext& a, const Span& lines) {
  if (a.w.block->checks->launch.lanes->lines(a.cells, a.rule, a.site, lines,
                                             cell_access(a.checked)))
    return true;
  for (uint32_t k = 0; k < lines.count; ++k) {
    const uint32_t lane = lines.lane + (k << (LINE_SHIFT - lines.shift));
    if (!check_line(a, lines.first + k, line_code(lane, lines.shift))) return false;
  }
  return true;
}

class RowCheck {
 public:
  RowCheck(Warp& w, const Op& op, const CheckedOp& c)
      : w_(w), op_(op), checked_(c), checks_(*w.block->checks) {}
  bool run();

 private:
  bool is_store() const { return checked_.hook == Hook::STORE; }
  bool visit(const ShadowSite& site);
  void check_lanes(const AccessContext& access, uint32_t unclear);
  bool in_global();
  bool in_shared();
  bool is_inside(uint64_t low, uint64_t high) const;

  Warp& w_;
  const Op& op_;
  const CheckedOp& checked_;
  BlockChecks& checks_;
  uint64_t first_[2];  // addresses of the halves
};

// Whether both halves are in the bytes from `low` to `high`.
bool RowCheck::is_inside(uint64_t low, uint64_t high) const {
  const uint64_t bytes = uint64_t{checked_.size()} * HALF;
  if (high - low < bytes) return false;
  const uint64_t last = high - low - bytes;
  return first_[0] - low <= last && first_[1] - low <= last;
}

bool RowCheck::visit(const ShadowSite& site) {
  std::atomic<uint64_t>* const bits = site.initialised;
  const Cells* const cells = site.cells;
  const uint64_t bytes = uint64_t{checked_.size()} * HALF;
  const bool is_one = first_[1] - first_[0] == bytes;
  const uint32_t rows = is_one ? 1 : 2, lanes = is_one ? LANES : HALF;
  for (uint32_t r = 0; r < rows && bits; ++r) {
    const uint64_t at = first_[r] - site.base;
    if (is_store())
      set_all(bits, at, bytes * (lanes / HALF));
    else if (!checked_.unused && !all_set(bits, at, bytes * (lanes / HALF)))
      return false;
  }
  if (!cells) return true;
  if (checked_.size() >> cells->shift == 0) return false;
  const Rule& rule = rule_of(w_, false);
  if (rule.mine == 0) return true;
  const AccessContext access{w_,      op_,       checked_, *cells, rule, site_of(w_, op_),
                             nullptr, site.base, false};
  for (uint32_t r = 0; r < rows; ++r)
    if (const uint32_t unclear =
            visit_row(access, (first_[r] - site.base) >> cells->shift, r * HALF, lanes))
      check_lanes(access, unclear);
  return true;
}

// The exact check of lanes.
void RowCheck::check_lanes(const AccessContext& a, uint32_t unclear) {
  uint64_t addresses[LANES];
  for (uint32_t l = 0; l < uint32_t(LANES); ++l)
    addresses[l] = first_[l / HALF] + uint64_t{l % HALF} * checked_.size();
  const AccessContext access{w_,     op_,       checked_, a.cells,    a.rule,
                             a.site, addresses, a.base,   a.in_shared};
  const uint32_t each = checked_.size() >> a.cells.shift;
  for (; unclear; unclear &= unclear - 1) {
    const auto l = uint32_t(std::countr_zero(unclear));
    const uint64_t cell = (addresses[l] - a.base) >> a.cells.shift;
    for (uint32_t k = 0; k < each; ++k) check_cell(access, cell + k, l, l);
  }
}

bool RowCheck::in_global() {
  const ShadowSite* site = find_shadow(w_, op_, first_[0], checked_.size());
  if (!site || !is_inside(site->base, site->base + site->size)) return false;
  if (site->read_only && is_store()) return false;
  return visit(*site);
}

bool RowCheck::in_shared() {
  const LaunchState& launch = w_.block->launch;
  uint64_t low = 0, high = w_.shared_size;
  if (checked_.bounded) {
    low = checked_.dynamic ? launch.kernel->static_shared : checked_.low;
    if (!checked_.dynamic) high = checked_.high;
  }
  if (high > w_.shared_size || low > high) return false;
  checks_.kept_accesses.record();
  const ShadowSite& site = checks_.shared_site;
  static constexpr Rule NONE;
  const Rule& rule = site.cells ? rule_of(w_, true) : NONE;
  if (site.cells && rule.mine == 0) return false;
  const RowAccess access{site,
                         low,
                         high,
                         rule,
                         checked_.size(),
                         site_of(w_, op_),
                         is_store(),
                         checked_.unused,
                         checks_.worker.searches};
  if (!checks_.launch.lanes->shared(w_, op_, op_.target & NARROW, access)) return false;
  checks_.kept_accesses.note(checked_.hook);
  return true;
}

bool RowCheck::run() {
  if (checked_.region == Region::SHARED) return in_shared();
  const bool is_narrow = op_.target & NARROW;
  if (!checks_.launch.lanes->rows(w_, op_, checked_.size(), is_narrow, first_)) return false;
  if ((first_[0] | first_[1]) & (checked_.size() - 1)) return false;
  return in_global();
}

}  // namespace

uint32_t visit_row(const AccessContext& a, uint64_t first, uint32_t lane, uint32_t lanes) {
  const uint32_t each = a.checked.size() >> a.cells.shift;
  const Span cells{first, each * lanes, uint32_t(std::countr_zero(each)), lane};
  if (a.cells.lines.writer) {
    const bool is_whole = first % LINE_CELLS == 0 && cells.shift <= MOST_LINE_SHIFT;
    const Span lines{first >> LINE_SHIFT, cells.count >> LINE_SHIFT, cells.shift, lane};
    if (is_whole) note_lines(a.cells, first, cells.count);
    if (is_whole && visit_lines(a, lines)) return 0;
    divide_lines(a.cells, first, cells.count);
  }
  return a.w.block->checks->launch.lanes->span(a.cells, a.rule, a.site, cells,
                                               cell_access(a.checked))
         << lane;
}

bool check_rows(Warp& w, const Op& op, const CheckedOp& c) { return RowCheck(w, op, c).run(); }

}  // namespace cucore::cpu
