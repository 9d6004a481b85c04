// SPDX-License-Identifier: Apache-2.0
// The check of one load, store or atomic of a warp before it runs.
#include <bit>
#include <cstring>
#include <utility>

#include "cpu/checks/checks.hpp"
#include "cpu/checks/host_work.hpp"
#include "cpu/checks/visitor.hpp"
#include "cpu/exec/cluster.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/handlers.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu {
namespace {

bool aligned(const Lanes& lanes, uint64_t size) { return !(lanes.any & (size - 1)); }

// The lanes publish before the access, and acquire after it, because another worker may publish in
// between.
void synchronise_lanes(Warp& w, const CheckedOp& c, const uint64_t* addresses, uint32_t active,
                       uint64_t base, bool in_shared) {
  BlockChecks& checks = *w.block->checks;
  if (!(checks.launch.set & CHECK_RACE)) return;
  checks.acquiring_narrow = c.narrow;
  // Only this worker publishes in shared memory.
  const bool nothing = in_shared && checks.shared_variables.empty();
  if (c.hook != Hook::STORE && !nothing) {
    checks.acquiring = active;
    checks.acquiring_shared = in_shared;
    for (int l = 0; l < LANES; ++l) checks.acquired[l] = addresses[l] - base;
  }
  if (c.hook == Hook::LOAD || !publishes(w, c)) return;
  uint64_t last = ~uint64_t{0};
  for (uint32_t m = active; m; m &= m - 1) {
    const uint64_t address = addresses[std::countr_zero(m)] - base;
    if (address != last) publish(w, c, address, in_shared);
    last = address;
  }
}

// ---- spaces

// One lane's access to shared memory in a cluster of several blocks. Its record is that of the
// block that owns the memory. One worker runs all blocks of a cluster.
void check_lane_in_cluster(Warp& w, const Op& op, const CheckedOp& c, int lane,
                           const uint64_t* offsets, Block& owner, const Rule& rule) {
  const BlockChecks& checks = *owner.checks;
  const uint64_t offset = offsets[lane];
  if (checks.launch.set & CHECK_INIT) {
    std::atomic<uint64_t>* bits = checks.initialised_bits();
    if (c.hook != Hook::STORE && !c.unused && !all_set(bits, offset, c.size()))
      report_uninitialised(w, op, c, lane, offset, "shared");
    if (c.hook != Hook::LOAD) set_all(bits, offset, c.size());
  }
  if (!(checks.launch.set & CHECK_RACE) || rule.mine == 0) return;
  if (checks.pending_copies.any())
    checks.pending_copies.check_lane(w, op, c, lane, offset, c.size());
  const AccessContext access{w,       op, c,    checks.shared_cells, rule, site_of(w, op),
                             offsets, 0,  true, owner.shared.get()};
  const uint32_t shift = checks.shared_cells.shift;
  for (uint64_t cell = offset >> shift; cell <= (offset + c.size() - 1) >> shift; ++cell)
    check_cell(access, cell, uint32_t(lane), uint32_t(lane));
}

// The bounds of accesses to other blocks are those of the access itself.
uint32_t check_cluster(Warp& w, const Op& op, const CheckedOp& c, const Lanes& lanes,
                       uint64_t window, uint32_t good) {
  uint64_t offsets[LANES], keys[LANES] = {};
  Block* owners[LANES] = {};
  uint32_t inside = 0;
  for (uint32_t m = good; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const uint64_t offset = lanes.addresses[l] - window;
    offsets[l] = offset & OFFSET_MASK;
    owners[l] = block_of(w, offset);
    if (!owners[l] || !owners[l]->checks || offsets[l] + c.size() > w.shared_size) continue;
    keys[l] = cluster_key(w, *owners[l], offset);
    inside |= uint32_t{1} << l;
  }
  if (c.strong && inside) synchronise_lanes(w, c, keys, inside, 0, false);
  static constexpr Rule NONE;
  const bool has_races = w.block->checks->launch.set & CHECK_RACE;
  const Rule rule = has_races ? rule_of(w, false) : NONE;
  for (uint32_t m = inside; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    check_lane_in_cluster(w, op, c, l, offsets, *owners[l], rule);
  }
  return good;
}

// Other blocks of a cluster can use the variable, so that it is one of the launch.
void synchronise_shared(Warp& w, const CheckedOp& c, const Lanes& lanes, uint32_t active,
                        uint64_t window) {
  if (!w.block->checks->in_cluster)
    return synchronise_lanes(w, c, lanes.addresses, active, window, true);
  uint64_t keys[LANES] = {};
  for (uint32_t m = active; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    keys[l] = cluster_key(w, *w.block, lanes.addresses[l] - window);
  }
  synchronise_lanes(w, c, keys, active, 0, false);
}

uint32_t check_shared(Warp& w, const Op& op, const CheckedOp& c, const Lanes& lanes,
                      uint64_t window) {
  BlockChecks& checks = *w.block->checks;
  const bool has_rank = (lanes.high - window) >> RANK_SHIFT;
  if (has_rank && checks.in_cluster) return check_cluster(w, op, c, lanes, window, w.mask);
  checks.kept_accesses.record();
  checks.kept_accesses.note(c.hook);
  uint64_t low = window, high = window + w.shared_size;
  if (c.bounded) {
    const LaunchState& launch = w.block->launch;
    low = window + (c.dynamic ? launch.kernel->static_shared : c.low);
    if (!c.dynamic) high = window + c.high;
  }
  uint32_t good = w.mask;
  const bool inside = lanes.low >= low && lanes.high < high && c.size() <= high - lanes.high;
  if (!inside || !aligned(lanes, c.size()))
    good = check_bounds(w, op, c, lanes.addresses, Region::SHARED, good);
  Target target{nullptr, nullptr, window, true, "shared"};
  if (checks.launch.set & CHECK_INIT) target.bits = checks.initialised_bits();
  if (checks.launch.set & CHECK_RACE) target.cells = &checks.shared_cells;
  if (c.strong) synchronise_shared(w, c, lanes, good, window);
  if (good && (target.bits || target.cells)) Visitor(w, op, c, lanes, target).run(good);
  return good;
}

uint32_t check_local(Warp& w, const Op& op, const CheckedOp& c, const Lanes& lanes,
                     uint64_t window) {
  BlockChecks& checks = *w.block->checks;
  const uint64_t base = window + (c.frame_local ? w.frame->local_base : 0);
  const uint64_t low = c.bounded ? base + c.low : window;
  const uint64_t high = c.bounded ? base + c.high : window + w.local_stride;
  uint32_t good = w.mask;
  const bool inside = lanes.low >= low && lanes.high < high && c.size() <= high - lanes.high;
  if (!inside || !aligned(lanes, c.size()))
    good = check_bounds(w, op, c, lanes.addresses, Region::LOCAL, good);
  if (!(checks.launch.set & CHECK_INIT) || good == 0) return good;
  std::atomic<uint64_t>* bits = local_bits(w);
  for (uint32_t m = bits ? good : 0; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    const uint64_t at = uint64_t(l) * w.local_stride + lanes.addresses[l] - window;
    if (c.hook != Hook::LOAD)
      set_all(bits, at, c.size());
    else if (!c.copies && !all_set(bits, at, c.size()))
      report_uninitialised(w, op, c, l, lanes.addresses[l], "local");
  }
  return good;
}

// A strong access is visible to the program if it can access the memory.
void note_use_by_host(const Warp& w, const ShadowSite* site) {
  if (site && site->is_of_host) note_communication(w.block->checks->launch.operation);
}

uint32_t check_global(Warp& w, const Op& op, const CheckedOp& c, const Lanes& lanes) {
  const ShadowSite* site = find_shadow(w, op, lanes.addresses[std::countr_zero(w.mask)], c.size());
  const bool inside = site && lanes.low >= site->base && lanes.high - site->base < site->size &&
                      c.size() <= site->size - (lanes.high - site->base);
  const bool written = site && site->read_only && c.hook != Hook::LOAD;
  if (c.strong) synchronise_lanes(w, c, lanes.addresses, w.mask, 0, false);
  if (c.strong) note_use_by_host(w, site);
  if (inside && !written && aligned(lanes, c.size())) {
    const Target target{site->initialised, site->cells, site->base, false, "global"};
    if (target.bits || target.cells) Visitor(w, op, c, lanes, target).run(w.mask);
    return w.mask;
  }
  // Lanes may access different allocations.
  const uint32_t good = check_bounds(w, op, c, lanes.addresses, Region::GLOBAL, w.mask);
  for (uint32_t m = good; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    site = find_shadow(w, op, lanes.addresses[l], c.size());
    if (!site) continue;
    if (c.strong) note_use_by_host(w, site);
    const Target target{site->initialised, site->cells, site->base, false, "global"};
    if (target.bits || target.cells) Visitor(w, op, c, lanes, target).run(uint32_t{1} << l);
  }
  return good;
}

// The window of the lanes' addresses: all lanes of a generic access are usually in one.
Region region_of(const Lanes& lanes, uint64_t& window) {
  const AddressSpace& space = AddressSpace::instance();
  constexpr uint64_t SIZE = AddressSpace::WINDOW;
  auto within = [&](uint64_t start) {
    window = start;
    return lanes.low - start < SIZE && lanes.high - start < SIZE;
  };
  if (within(space.shared_window())) return Region::SHARED;
  if (within(space.local_window())) return Region::LOCAL;
  if (within(space.param_window())) return Region::PARAM;
  const bool any =
      lanes.high >= space.shared_window() && lanes.low < space.shared_window() + 3 * SIZE;
  return any ? Region::GENERIC : Region::GLOBAL;
}

uint32_t check_region(Warp& w, const Op& op, const CheckedOp& c, const Lanes& lanes, Region region,
                      uint64_t window) {
  if (region == Region::SHARED || region == Region::CLUSTER)
    return check_shared(w, op, c, lanes, window);
  if (region == Region::LOCAL) return check_local(w, op, c, lanes, window);
  if (region == Region::GLOBAL) return check_global(w, op, c, lanes);
  return w.mask;
}

// Lanes in different windows are checked one by one.
uint32_t check_mixed(Warp& w, const Op& op, const CheckedOp& c, const Lanes& all) {
  const uint32_t mask = w.mask;
  uint32_t good = 0;
  for (uint32_t m = mask; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    Lanes one = all;
    one.low = one.high = one.any = all.addresses[l];
    uint64_t window = 0;
    const Region region = region_of(one, window);
    w.mask = uint32_t{1} << l;
    good |= check_region(w, op, c, one, region, window);
  }
  w.mask = mask;
  return good;
}

// Whether all lanes are active, and the first ones have consecutive or equal addresses.
bool may_be_together(const Warp& w, const RowGroup::Member& lowest) {
  const auto* addresses = w.at<const uint64_t>((*lowest.op)[LoadStore::ADDRESS]);
  const uint64_t step = addresses[1] - addresses[0];
  return w.mask == FULL_MASK && (step == lowest.checked->size() || step == 0);
}

// Usual accesses of a warp are to the allocations that the instructions accessed last.
class UsualAccesses {
 public:
  explicit UsualAccesses(Warp& w) : w_(w), checks_(*w.block->checks) {
    are_possible_ = w.frame->function->module == checks_.launch.traced &&
                    checks_.worker.generation == w.generation->load(std::memory_order_acquire);
  }
  [[gnu::always_inline]] bool check(const Op& op, const CheckedOp& c);
  bool check(const RowGroup& group);

 private:
  const ShadowSite* site_of(const Op& op) const {
    return are_possible_ && op.site ? &checks_.worker.sites[op.site] : nullptr;
  }
  const Rule* rule_for(const ShadowSite& site);
  bool check_together(const RowGroup& group);

  Warp& w_;
  BlockChecks& checks_;
  bool are_possible_;
  const Rule* rule_ = nullptr;  // of the warp, after the first access to cells
};

// Returns nullptr if no ids are left.
inline const Rule* UsualAccesses::rule_for(const ShadowSite& site) {
  static constexpr Rule NONE;
  if (!site.cells) return &NONE;
  if (!rule_) rule_ = &rule_of(w_, false);
  return rule_->mine ? rule_ : nullptr;
}

inline bool UsualAccesses::check(const Op& op, const CheckedOp& c) {
  const ShadowSite* site = site_of(op);
  const bool is_store = c.hook == Hook::STORE;
  if (!site || (site->read_only && is_store)) return false;
  const Rule* rule = rule_for(*site);
  if (!rule) return false;
  const uint16_t number = op.site < 65536 ? uint16_t(op.site) : 0;  // as site_of()
  const RowAccess access{
      *site, 0, site->size, *rule, c.size(), number, is_store, c.unused, checks_.worker.searches};
  return checks_.launch.lanes->global(w_, op, access);
}

bool UsualAccesses::check_together(const RowGroup& group) {
  const auto& [op, checked, number] = group.members[0];
  const ShadowSite* site = site_of(*op);
  const Rule* rule = site ? rule_for(*site) : nullptr;
  if (!rule) return false;
  const RowAccess access{*site,
                         0,
                         site->size,
                         *rule,
                         checked->size(),
                         group.site,
                         false,
                         false,
                         checks_.worker.searches};
  const RowSites sites{uint32_t(group.low.size()), group.low.data(), group.high.data(),
                       group.each.data()};
  return checks_.launch.lanes->row_group(w_, *op, access, sites);
}

bool UsualAccesses::check(const RowGroup& group) {
  if (!group.low.empty() && may_be_together(w_, group.members[0]) && check_together(group))
    return true;
  for (const RowGroup::Member& member : group.members)  // unrolled, it is slower
    if (!(are_possible_ && check_quickly(w_, *member.op, *member.checked)) &&
        !check(*member.op, *member.checked))
      return false;
  return true;
}

}  // namespace

bool check_usual(Warp& w, const Op& op, const CheckedOp& c) {
  if (c.region == Region::SHARED) {
    BlockChecks& checks = *w.block->checks;
    return w.mask == FULL_MASK && !checks.in_cluster && !checks.pending_copies.any() &&
           !checks.product_reads.any() && check_rows(w, op, c);
  }
  return UsualAccesses(w).check(op, c);
}

bool check_row_groups(Warp& w, std::span<const RowGroup> groups) {
  UsualAccesses accesses(w);
  for (const RowGroup& group : groups)
    if (!accesses.check(group)) return false;
  return true;
}

uint32_t before_access(Warp& w, const Op& op, const CheckedOp& c) {
  BlockChecks& checks = *w.block->checks;
  if (checks.pending_copies.any()) checks.pending_copies.check(w, op, c);
  if (checks.product_reads.any()) checks.product_reads.check(w, op, c);
  const bool is_alone = !checks.in_cluster || c.region == Region::GLOBAL;
  if (c.may_be_kept && is_alone && checks.kept_accesses.keep(w, op, c)) return w.mask;
  if (c.may_have_rows && is_alone && w.mask == FULL_MASK && check_rows(w, op, c)) return w.mask;
  const LaunchChecks& launch = checks.launch;
  const bool frame_relative = op.target & FRAME_RELATIVE;
  Lanes lanes;
  launch.lanes->addresses(w, op, c.size(), op.target & NARROW,
                          frame_relative ? w.frame->local_base : 0, lanes);
  if (c.region != Region::GENERIC) return check_region(w, op, c, lanes, c.region, 0);
  uint64_t window = 0;
  const Region region = region_of(lanes, window);
  if (region == Region::GENERIC) return check_mixed(w, op, c, lanes);
  return check_region(w, op, c, lanes, region, window);
}

void after_access(Warp& w) {
  BlockChecks& checks = *w.block->checks;
  uint64_t last = ~uint64_t{0};
  for (uint32_t m = std::exchange(checks.acquiring, 0); m; m &= m - 1) {
    const uint64_t address = checks.acquired[std::countr_zero(m)];
    if (address != last) acquire(w, address, checks.acquiring_shared, checks.acquiring_narrow);
    last = address;
  }
}

void zero_lanes(Warp& w, const Op& op, const CheckedOp& c, uint32_t lanes) {
  if (c.hook != Hook::LOAD) return;
  for (uint32_t v = 0; v < c.count; ++v)
    for (uint32_t m = lanes; m; m &= m - 1)
      std::memset(w.at<std::byte>(op.at(LoadStore::VALUES, v)) +
                      size_t(std::countr_zero(m)) * c.register_bytes,
                  0, c.register_bytes);
}

}  // namespace cucore::cpu
