// SPDX-License-Identifier: Apache-2.0
// Bounds, alignment and lifetime of accesses, reads of uninitialised bytes, and their reports.
#include <bit>

#include "cpu/checks/check_report.hpp"
#include "cpu/checks/checks.hpp"
#include "cpu/checks/shared_variables.hpp"
#include "cpu/exec/cluster.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/memory.hpp"
#include "support/counted.hpp"

namespace cucore::cpu {
namespace {

std::string access_text(const CheckedOp& checked, uint64_t address) {
  const char* verb = checked.hook == Hook::LOAD     ? "read "
                     : checked.hook == Hook::ATOMIC ? "updated "
                                                    : "wrote ";
  return verb + counted(checked.size(), "byte") + " at " + hex_text(address);
}

ReportKind kind_of(const KernelFault& fault, uint64_t address, const char* space) {
  if (fault.code == CUDA_ERROR_MISALIGNED_ADDRESS) return ReportKind::MISALIGNED;
  const auto history = *space == 'g' ? AddressSpace::instance().history(address) : std::nullopt;
  return history && history->freed ? ReportKind::USE_AFTER_FREE : ReportKind::OUT_OF_BOUNDS;
}

// The end of the variable that the address is derived from.
struct Bounds {
  uint64_t low, high;
};
Bounds variable_of(const Warp& w, const CheckedOp& c) {
  const LaunchState& launch = w.block->launch;
  if (c.dynamic) return {launch.kernel->static_shared, w.shared_size};
  const uint64_t base = c.frame_local ? w.frame->local_base : 0;
  return {base + c.low, base + c.high};
}

// Returns "dynamic shared memory", "the shared variable 'reverse::s'" or "a local variable".
std::string variable_text(const Warp& w, const CheckedOp& c, const char* space) {
  if (c.dynamic) return "dynamic shared memory";
  const std::string name =
      *space == 's' ? shared_name(w.block->launch, c.low, c.high - c.low) : std::string();
  return name.empty() ? std::string("a ") + space + " variable"
                      : std::string("the ") + space + " variable '" + name + "'";
}

void check_variable(Warp& w, const Op& op, const CheckedOp& c, int lane, uint64_t offset,
                    const char* space) {
  const Bounds v = variable_of(w, c);
  const uint64_t size = c.size();
  if (offset >= v.low && offset <= v.high && size <= v.high - offset) return;
  const std::string where = offset < v.low ? counted(v.low - offset, "byte") + " before the "
                            : offset < v.high
                                ? std::string("across the end of the ")
                                : counted(offset - v.high, "byte") + " past the end of the ";
  raise(w, op, lane, CUDA_ERROR_ILLEGAL_ADDRESS, "illegal address",
        access_text(c, offset) + ", " + where + counted(v.high - v.low, "byte") + " of " +
            variable_text(w, c, space));
}

class BoundsCheck {
 public:
  BoundsCheck(Warp& w, const Op& op, const CheckedOp& c, Region region)
      : w_(w), op_(op), checked_(c), region_(region) {}
  bool is_good(int lane, uint64_t address);

 private:
  void examine(int lane, uint64_t address);
  const char* space() const {
    return region_ == Region::SHARED ? "shared" : region_ == Region::LOCAL ? "local" : "global";
  }

  Warp& w_;
  const Op& op_;
  const CheckedOp& checked_;
  const Region region_;
};

void BoundsCheck::examine(int lane, uint64_t address) {
  const AddressSpace& memory = AddressSpace::instance();
  uint64_t offset = address;
  if (checked_.region == Region::GENERIC && region_ == Region::SHARED)
    offset -= memory.shared_window();
  if (checked_.region == Region::GENERIC && region_ == Region::LOCAL)
    offset -= memory.local_window();
  // A variable is a narrower bound than the memory of the block.
  const Access access = checked_.hook == Hook::LOAD ? Access::READ : Access::WRITE;
  if (checked_.bounded && address % checked_.size() == 0)
    check_variable(w_, op_, checked_, lane, offset, space());
  resolve(w_, op_, lane, address, checked_.size(), access, checked_.region);
}

bool BoundsCheck::is_good(int lane, uint64_t address) {
  LaunchChecks& launch = w_.block->checks->launch;
  try {
    examine(lane, address);
    return true;
  } catch (const KernelFault& fault) {
    if (!(launch.set & CHECK_MEMORY)) throw;
    const LaunchChecks::Key key{kind_of(fault, address, space()), &op_, 0};
    if (!launch.is_first(key)) return false;
    Report report = access_report(w_, op_, checked_, lane, address, space());
    report.kind = key.kind;
    report.message = fault.what;
    keep_report(launch, key, std::move(report));
    return false;
  }
}

// Returns " ('reverse::s' + 252)" for an offset or a generic address; "" without a variable.
std::string place_in_shared(const Warp& w, uint64_t address) {
  const uint64_t window = AddressSpace::instance().shared_window();
  if (address - window < AddressSpace::WINDOW) address -= window;
  const std::string place = shared_place(w.block->launch, address & OFFSET_MASK);
  return place.empty() ? place : " (" + place + ")";
}

}  // namespace

uint32_t check_bounds(Warp& w, const Op& op, const CheckedOp& checked, const uint64_t* addresses,
                      Region region, uint32_t lanes) {
  BoundsCheck check(w, op, checked, region);
  uint32_t good = 0;
  for (uint32_t m = lanes; m; m &= m - 1) {
    const int l = std::countr_zero(m);
    good |= uint32_t{check.is_good(l, addresses[l])} << l;
  }
  return good;
}

Report access_report(Warp& w, const Op& op, const CheckedOp& checked, int lane, uint64_t address,
                     const char* space) {
  const DecodedFunction& function = *w.frame->function;
  Report report;
  report.kernel = shown_name(w.block->entry.source->name);
  report.is_kernel = true;
  report.message = access_text(checked, address) + " in " + space + " memory";
  if (*space == 's') report.message += place_in_shared(w, address);
  report.place = place_of(function, size_t(&op - function.ops.data()));
  report.has_thread = true;
  const uint32_t* tid = reinterpret_cast<const uint32_t*>(w.bases[THREAD_BASE]);
  for (int c = 0; c < 3; ++c) {
    report.block[c] = w.block->ctaid[c];
    report.thread[c] = tid[c * LANES + lane];
  }
  report.space = space;
  report.address = address;
  report.size = checked.size();
  report.schedule = schedule_suffix();
  if (*space == 'g') report.add_allocation();
  return report;
}

std::string thread_name(const LaunchState& launch, const uint32_t (&block)[3], uint32_t thread) {
  const unsigned(&size)[3] = launch.launch->block;
  const auto triple = [](uint32_t x, uint32_t y, uint32_t z) {
    return "(" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + ")";
  };
  return "block " + triple(block[0], block[1], block[2]) + " thread " +
         triple(thread % size[0], thread / size[0] % size[1], thread / size[0] / size[1]);
}

void report_uninitialised(Warp& w, const Op& op, const CheckedOp& checked, int lane,
                          uint64_t address, const char* space) {
  LaunchChecks& launch = w.block->checks->launch;
  const LaunchChecks::Key key{ReportKind::UNINITIALISED, &op, 0};
  if (!launch.is_first(key)) return;
  Report report = access_report(w, op, checked, lane, address, space);
  report.kind = key.kind;
  report.message += ", which nothing has written";
  keep_report(launch, key, std::move(report));
}

const ShadowSite* find_shadow(Warp& w, const Op& op, uint64_t address, uint32_t granule) {
  BlockChecks& checks = *w.block->checks;
  WorkerChecks& worker = checks.worker;
  AddressSpace& space = AddressSpace::instance();
  const uint64_t generation = space.generation().load(std::memory_order_acquire);
  if (worker.generation != generation) {
    for (ShadowSite& site : worker.sites) site = ShadowSite{};
    worker.generation = generation;
  }
  // Instructions of other modules share the last entry.
  const bool own = w.frame->function->module == checks.launch.traced && op.site;
  ShadowSite& site = worker.sites[own ? op.site : worker.sites.size() - 1];
  const bool has_cells = !site.cells || uint64_t{1} << site.cells->shift <= granule;
  if (address - site.base < site.size && has_cells) return &site;
  site = ShadowSite{};
  Range range;
  Shadow* shadow = space.shadow(address, range);
  if (!shadow) {
    const auto found = space.find(address);  // the kernel's heap
    if (!found) return nullptr;
    range = *found;
  }
  const Launch& launch = *w.block->launch.launch;
  const uint64_t peers = launch.limits.accessible_devices;
  if (!range.reachable(launch.device, peers, Access::READ)) return nullptr;
  site.base = range.base;
  site.size = range.size;
  site.read_only = range.read_only || !range.reachable(launch.device, peers, Access::WRITE);
  if (!shadow) return &site;
  site.is_of_host = !range.on_device();
  if ((checks.launch.set & (CHECK_RACE | CHECK_HOST)) && !range.read_only)
    site.cells = shadow->cells(granule);
  if (checks.launch.set & CHECK_INIT) site.initialised = shadow->initialised();
  return &site;
}

}  // namespace cucore::cpu
