// SPDX-License-Identifier: Apache-2.0
// Counts the traffic of memory instructions.
#include "cpu/counts/counts.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "cpu/checks/check_table.hpp"
#include "cpu/checks/lane_checks.hpp"
#include "cpu/counts/access_rules.hpp"
#include "cpu/counts/other_accesses.hpp"
#include "cpu/exec/cluster.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/matrix.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu {
namespace {

// The space of a generic address, by its lanes.
struct Spaces {
  uint32_t shared = 0, local = 0, other = 0, global = 0;
  uint64_t shared_base = 0, local_base = 0;
};

Spaces spaces_of(const Lanes& lanes, uint32_t mask, Region region) {
  Spaces s;
  if (region == Region::SHARED || region == Region::CLUSTER)
    s.shared = mask;
  else if (region == Region::LOCAL)
    s.local = mask;
  else if (region == Region::GLOBAL)
    s.global = mask;
  if (region != Region::GENERIC) return s;
  const AddressSpace& space = AddressSpace::instance();
  s.shared_base = space.shared_window();
  s.local_base = space.local_window();
  // The windows follow each other.
  const uint64_t end = space.param_window() + AddressSpace::WINDOW;
  if (lanes.low >= end || lanes.high < s.shared_base) {
    s.global = mask;
    return s;
  }
  for (uint32_t m = mask; m; m &= m - 1) {
    const uint64_t address = lanes.addresses[std::countr_zero(m)];
    const uint32_t bit = m & -m;
    if (address - space.shared_window() < AddressSpace::WINDOW)
      s.shared |= bit;
    else if (address - space.local_window() < AddressSpace::WINDOW)
      s.local |= bit;
    else if (address - space.param_window() < AddressSpace::WINDOW)
      s.other |= bit;
    else
      s.global |= bit;
  }
  return s;
}

// Returns the lanes of a part of the mask, with addresses relative to the base.
Lanes part_of(const Lanes& all, uint32_t mask, uint64_t base) {
  Lanes part;
  const uint64_t some = all.addresses[std::countr_zero(mask)] - base;
  part.low = part.high = part.any = some;
  for (int l = 0; l < LANES; ++l) {
    const uint64_t address = mask >> l & 1 ? all.addresses[l] - base : some;
    part.addresses[l] = address;
    part.low = std::min(part.low, address);
    part.high = std::max(part.high, address);
    part.any |= address;
  }
  part.whole = mask == FULL_MASK ? all.whole : Pattern::LANES;
  for (int p = 0; p < 4; ++p) part.parts[p] = Pattern::LANES;
  return part;
}

void note_request(const WarpAccess& access, cucore_cpu_traffic& traffic) {
  traffic.requests += 1;
  traffic.bytes += uint64_t(std::popcount(access.mask)) * access.size;
}

void add_wavefronts(const Wavefronts& wavefronts, cucore_cpu_traffic& traffic) {
  traffic.wavefronts += wavefronts.count;
  traffic.bank_conflicts += wavefronts.count - wavefronts.groups;
}

class CountedAccess {
 public:
  CountedAccess(Warp& w, const Op& op);

  void count();
  // Returns the lanes that access global memory.
  uint32_t global_lanes() const { return spaces_.global; }

 private:
  void add(uint32_t mask, uint64_t base,
           void (CountedAccess::*counter)(const WarpAccess&, cucore_cpu_traffic&),
           cucore_cpu_traffic& traffic);
  void global(const WarpAccess& access, cucore_cpu_traffic& traffic);
  void local(const WarpAccess& access, cucore_cpu_traffic& traffic);
  void shared(const WarpAccess& access, cucore_cpu_traffic& traffic);

  WorkerCounts& counts_;
  FunctionCounts& function_;
  const size_t index_;
  const CheckedOp& checked_;
  const uint32_t mask_;
  Lanes lanes_;
  Spaces spaces_;
};

CountedAccess::CountedAccess(Warp& w, const Op& op)
    : counts_(*w.worker->counts),
      function_(*counts_.current),
      index_(size_t(&op - function_.function.ops.data())),
      checked_(function_.accesses.ops[index_]),
      mask_(w.mask) {
  const uint64_t base = op.target & FRAME_RELATIVE ? w.frame->local_base : 0;
  counts_.launch.lanes->addresses(w, op, checked_.size(), op.target & NARROW, base, lanes_);
  spaces_ = spaces_of(lanes_, mask_, checked_.region);
}

void CountedAccess::count() {
  RowTraffic& row = function_.traffic[index_];
  if (spaces_.global) add(spaces_.global, 0, &CountedAccess::global, row.global);
  if (spaces_.shared) add(spaces_.shared, spaces_.shared_base, &CountedAccess::shared, row.shared);
  if (spaces_.local) add(spaces_.local, spaces_.local_base, &CountedAccess::local, row.local);
}

void CountedAccess::add(uint32_t mask, uint64_t base,
                        void (CountedAccess::*counter)(const WarpAccess&, cucore_cpu_traffic&),
                        cucore_cpu_traffic& traffic) {
  const uint32_t size = checked_.size();
  if (mask == mask_ && base == 0) return (this->*counter)({lanes_, mask, size}, traffic);
  const Lanes part = part_of(lanes_, mask, base);
  (this->*counter)({part, mask, size}, traffic);
}

void CountedAccess::global(const WarpAccess& access, cucore_cpu_traffic& traffic) {
  add_global_traffic(counts_, access, checked_.hook, traffic);
}

void CountedAccess::local(const WarpAccess& access, cucore_cpu_traffic& traffic) {
  note_request(access, traffic);
  traffic.sectors += local_sectors_of(access);
}

void CountedAccess::shared(const WarpAccess& access, cucore_cpu_traffic& traffic) {
  if (checked_.loops) return add_shared_loop(access, traffic, function_.traffic[index_].loop_loads);
  add_shared_traffic(access,
                     checked_.hook == Hook::LOAD    ? SharedAccess::LOAD
                     : checked_.hook == Hook::STORE ? SharedAccess::STORE
                                                    : SharedAccess::ATOMIC,
                     traffic);
}

void add_to(cucore_cpu_traffic& sum, const cucore_cpu_traffic& t) {
  sum.requests += t.requests;
  sum.bytes += t.bytes;
  sum.sectors += t.sectors;
  sum.wavefronts += t.wavefronts;
  sum.bank_conflicts += t.bank_conflicts;
}

// ---- memory without bytes

void zero(Warp& w, Slot slot, uint32_t lanes, size_t bytes) {
  if (slot == NO_SLOT) return;
  for (uint32_t m = lanes; m; m &= m - 1)
    std::memset(w.at<std::byte>(slot) + size_t(std::countr_zero(m)) * bytes, 0, bytes);
}

void zero_results(Warp& w, const Op& op, const CheckedOp& access, uint32_t lanes) {
  if (access.hook == Hook::LOAD)
    for (uint32_t v = 0; v < access.count; ++v)
      zero(w, op.at(LoadStore::VALUES, v), lanes, access.register_bytes);
  if (access.hook != Hook::ATOMIC) return;
  if (access.count == 1) return zero(w, op[Atomic::RESULT], lanes, access.register_bytes);
  const auto& slots = w.frame->function->tables[op[Atomic::TABLE]].targets;
  for (uint32_t v = 0; v < access.count; ++v) zero(w, slots[v], lanes, access.register_bytes);
}

}  // namespace

namespace {

// Notes the sectors of the bytes [address, address + size).
void note_sectors(WorkerCounts& counts, uint64_t address, uint64_t size, Hook hook) {
  const bool reads = hook != Hook::STORE, writes = hook != Hook::LOAD;
  counts.sectors.add(address, size, reads, writes);
  if (counts.launch.cache) counts.launch.cache->access(address, size, reads, writes);
}

}  // namespace

void add_global_traffic(WorkerCounts& counts, const WarpAccess& access, Hook hook,
                        cucore_cpu_traffic& traffic) {
  note_request(access, traffic);
  traffic.sectors += hook == Hook::ATOMIC ? atomic_sectors_of(access) : sectors_of(access);
  if (!counts.launch.footprint) return;
  const Lanes& lanes = access.lanes;
  if (lanes.whole != Pattern::LANES)
    return note_sectors(counts, lanes.low, lanes.high - lanes.low + access.size, hook);
  for (uint32_t m = access.mask; m; m &= m - 1)
    note_sectors(counts, access.at(std::countr_zero(m)), access.size, hook);
}

void add_global_range(WorkerCounts& counts, uint64_t address, uint64_t size, Hook hook,
                      cucore_cpu_traffic& traffic) {
  constexpr uint64_t SECTOR = 32;
  traffic.requests += 1;
  traffic.bytes += size;
  traffic.sectors += (address + size - 1) / SECTOR - address / SECTOR + 1;
  if (counts.launch.footprint) note_sectors(counts, address, size, hook);
}

void add_shared_traffic(const WarpAccess& access, SharedAccess kind, cucore_cpu_traffic& traffic) {
  note_request(access, traffic);
  add_wavefronts(wavefronts_of(access, kind), traffic);
}

void add_shared_loop(const WarpAccess& access, cucore_cpu_traffic& traffic,
                     cucore_cpu_traffic& loads) {
  note_request(access, traffic);
  const AtomicLoop loop = atomic_loop_of(access);
  add_wavefronts(loop.swaps, traffic);
  add_wavefronts(loop.loads, loads);
}

FunctionCounts::FunctionCounts(const DecodedFunction& counted)
    : function(counted),
      table(count_table(counted)),
      accesses(check_table(counted)),
      cells(counted.ops.size() + 1),
      rare(counted.ops.size()),
      traffic(counted.ops.size()) {}

void FunctionCounts::merge(const FunctionCounts& other) {
  for (size_t i = 0; i < cells.size(); ++i) {
    cells[i].warps += other.cells[i].warps;
    cells[i].threads += other.cells[i].threads;
  }
  for (size_t i = 0; i < rare.size(); ++i) {
    rare[i].guarded_off += other.rare[i].guarded_off;
    rare[i].divergent += other.rare[i].divergent;
    rare[i].imbalance += other.rare[i].imbalance;
    add_to(traffic[i].global, other.traffic[i].global);
    add_to(traffic[i].local, other.traffic[i].local);
    add_to(traffic[i].shared, other.traffic[i].shared);
    add_to(traffic[i].loop_loads, other.traffic[i].loop_loads);
  }
}

FunctionCounts& WorkerCounts::follow(const DecodedFunction& function) {
  if (current && &current->function == &function) return *current;
  auto& counts = functions[&function];
  if (!counts) counts = std::make_unique<FunctionCounts>(function);
  current = counts.get();
  return *current;
}

void WorkerCounts::add_to_launch() {
  std::lock_guard lock(launch.mutex);
  for (auto& [function, counts] : functions) {
    auto& sum = launch.functions[function];
    if (sum)
      sum->merge(*counts);
    else
      sum = std::move(counts);
  }
  functions.clear();
  current = nullptr;
  launch.sectors.merge(sectors);
}

void BlockCounts::begin() {
  std::fill(std::begin(executed), std::end(executed), 0);
  if (!std::exchange(has_arrivals, false)) return;
  for (auto& barrier : arrivals) std::fill(std::begin(barrier), std::end(barrier), Arrival{});
}

void BlockCounts::arrive(const Warp& w, uint32_t barrier, uint64_t& imbalance) {
  Arrival& arrival = arrivals[barrier][w.index];
  arrival.executed += std::exchange(executed[w.index], 0);
  arrival.imbalance = &imbalance;
  has_arrivals = true;
}

void BlockCounts::release(uint32_t barrier) {
  uint64_t most = 0;
  for (const Arrival& a : arrivals[barrier]) most = std::max(most, a.executed);
  for (Arrival& a : arrivals[barrier]) {
    if (a.imbalance) *a.imbalance += most - a.executed;
    a = Arrival{};
  }
}

namespace {

// Counts an access that is neither a load, a store nor an atomic operation. Returns whether it
// needs bytes of global memory; nullopt: another access.
std::optional<bool> count_other(Warp& w, const Op& op) {
  WorkerCounts& counts = *w.worker->counts;
  FunctionCounts& function = *counts.current;
  const auto index = size_t(&op - function.function.ops.data());
  const Hook hook = function.accesses.ops[index].hook;
  if (hook == Hook::LOAD || hook == Hook::STORE || hook == Hook::ATOMIC) return std::nullopt;
  const ptx::Opcode opcode = function.function.source->instructions[index].form->op;
  return count_other_access(w, op, opcode, counts, function.traffic[index]);
}

void zero_matrix(Warp& w, const Op& op) {
  const MatrixOp& matrix = w.frame->function->matrices[op[Matrix::TABLE]];
  if (matrix.plan->op == ptx::Opcode::wmma_store_d) return;
  const size_t bytes = (matrix.plan->op == ptx::Opcode::wmma_load_a   ? matrix.plan->a
                        : matrix.plan->op == ptx::Opcode::wmma_load_b ? matrix.plan->b
                                                                      : matrix.plan->c)
                           .register_bits() /
                       8;
  for (const Slot slot : matrix.d) zero(w, slot, FULL_MASK, bytes);
}

}  // namespace

void count_access(Warp& w, const Op& op) {
  if (!count_other(w, op)) CountedAccess(w, op).count();
}

void run_as_ghost(Warp& w, const Op& op) {
  if (const auto needs_memory = count_other(w, op)) {
    if (*needs_memory) return zero_matrix(w, op);
    return op.run(w, op);
  }
  CountedAccess access(w, op);
  access.count();
  const FunctionCounts& function = *w.worker->counts->current;
  const uint32_t mask = w.mask, lanes = access.global_lanes();
  zero_results(w, op, function.accesses.ops[size_t(&op - function.function.ops.data())], lanes);
  w.mask = mask & ~lanes;
  if (w.mask) op.run(w, op);
  w.mask = mask;
}

}  // namespace cucore::cpu
