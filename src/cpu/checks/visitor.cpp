// SPDX-License-Identifier: Apache-2.0
#include "cpu/checks/visitor.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "cpu/checks/cell_lines.hpp"

namespace cucore::cpu {
namespace {

constexpr uint64_t MOST_AT_ONCE = 1024;  // bytes

}  // namespace

// Whether all lanes store one value.
bool Visitor::same_values() const {
  for (uint32_t v = 0; v < checked_.count; ++v) {
    const std::byte* p = w_.at<std::byte>(op_.at(LoadStore::VALUES, v));
    const size_t width = checked_.register_bytes;
    for (size_t l = 1; l < size_t{LANES}; ++l)
      if (std::memcmp(p, p + l * width, width) != 0) return false;
  }
  return true;
}

void Visitor::initialise_lane(int l) {
  const uint64_t at = lanes_.addresses[l] - target_.base;
  if (checked_.hook == Hook::STORE) return set_all(target_.bits, at, checked_.size());
  if (all_set(target_.bits, at, checked_.size())) return;
  report_uninitialised(w_, op_, checked_, l, lanes_.addresses[l], target_.space);
  if (checked_.hook == Hook::ATOMIC) set_all(target_.bits, at, checked_.size());
}

// Rows of a matrix are far from each other. Returns whether all is done.
bool Visitor::initialise_parts() {
  for (int part = 0; part < 4; ++part) {
    if (lanes_.parts[part] == Pattern::LANES) return false;
    const bool is_one = lanes_.parts[part] == Pattern::EQUAL;
    const uint64_t low = lanes_.addresses[part * 8] - target_.base;
    const uint64_t bytes = uint64_t{checked_.size()} * (is_one ? 1 : 8);
    if (checked_.hook == Hook::STORE)
      set_all(target_.bits, low, bytes);
    else if (!all_set(target_.bits, low, bytes))
      return false;
  }
  return true;
}

// Usually all bytes between the lowest and highest address are initialised.
void Visitor::initialisation(uint32_t active) {
  if (checked_.unused) return;
  const uint64_t bytes = lanes_.high - lanes_.low + checked_.size();
  const uint64_t low = lanes_.low - target_.base;
  if (bytes <= MOST_AT_ONCE && all_set(target_.bits, low, bytes)) return;
  const bool whole = active == FULL_MASK && lanes_.whole == Pattern::CONSECUTIVE;
  if (whole && checked_.hook == Hook::STORE) return set_all(target_.bits, low, bytes);
  if (active == FULL_MASK && checked_.hook != Hook::ATOMIC && initialise_parts()) return;
  uint32_t m =
      checks_.launch.lanes->unset(target_.bits, lanes_, active, target_.base, checked_.size());
  for (; m; m &= m - 1) initialise_lane(std::countr_zero(m));
}

AccessContext Visitor::context() const {
  return {w_,
          op_,
          checked_,
          *target_.cells,
          *rule_,
          site_,
          lanes_.addresses,
          target_.base,
          target_.in_shared};
}

void Visitor::exact(int l, uint32_t recorded) {
  const AccessContext access = context();
  const uint64_t at = lanes_.addresses[l] - target_.base;
  const uint32_t shift = target_.cells->shift;
  for (uint64_t cell = at >> shift; cell <= (at + checked_.size() - 1) >> shift; ++cell)
    check_cell(access, cell, uint32_t(l), recorded);
}

// The cells of the lanes need their own records.
void Visitor::divide(uint32_t active) const {
  const Cells& cells = *target_.cells;
  if (!cells.lines.writer) return;
  const uint32_t each = std::max(1u, checked_.size() >> cells.shift);
  const LaneChecks& lanes = *checks_.launch.lanes;
  uint32_t m = lanes.undivided(cells, lanes_, active, target_.base, checked_.size());
  for (; m; m &= m - 1) {
    const uint64_t at = lanes_.addresses[std::countr_zero(m)] - target_.base;
    divide_lines(cells, at >> cells.shift, each);
  }
}

void Visitor::races(uint32_t active) {
  const LaneChecks& lanes = *checks_.launch.lanes;
  const Cells& cells = *target_.cells;
  const uint32_t shift = cells.shift;
  const uint64_t first = (lanes_.addresses[0] - target_.base) >> shift;
  const uint32_t each = std::max(1u, checked_.size() >> shift);
  const bool whole = active == FULL_MASK;
  if (checked_.strong && !target_.in_shared && checks_.launch.module->has_narrow) {
    divide(active);  // the records of other blocks need a look at their scopes
  } else if (whole && lanes_.whole == Pattern::CONSECUTIVE && checked_.size() >> shift) {
    active = visit_row(context(), first, 0, LANES);
  } else if (whole && lanes_.whole == Pattern::EQUAL &&
             (checked_.hook != Hook::STORE || same_values())) {
    divide_lines(cells, first, each);
    const Span span{first, each, 31, SEVERAL_LANES};
    if (lanes.span(cells, *rule_, site_, span, cell_access(checked_))) exact(0, SEVERAL_LANES);
    return;
  } else {
    divide(active);
    active = lanes.lanes(cells, *rule_, site_, lanes_, active, target_.base, checked_.size(),
                         cell_access(checked_));
  }
  for (uint32_t m = active; m; m &= m - 1)
    exact(std::countr_zero(m), uint32_t(std::countr_zero(m)));
}

void Visitor::run(uint32_t active) {
  if (target_.bits) initialisation(active);
  if (!target_.cells) return;
  rule_ = &rule_of(w_, target_.in_shared && !checks_.in_cluster);
  site_ = site_of(w_, op_);
  if (rule_->mine) races(active);
}

}  // namespace cucore::cpu
