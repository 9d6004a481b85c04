// SPDX-License-Identifier: Apache-2.0
// Begin and end of a checked launch, and the hooks of barriers, fences and other instructions.
#include <algorithm>
#include <bit>
#include <cstring>

#include "cpu/checks/cell_lines.hpp"
#include "cpu/checks/check_report.hpp"
#include "cpu/checks/checks.hpp"
#include "cpu/checks/transfers.hpp"
#include "cpu/exec/cluster.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/handlers.hpp"
#include "cpu/exec/memory.hpp"
#include "cpu/exec/module.hpp"
#include "support/counted.hpp"

namespace cucore::cpu {
namespace {

constexpr size_t MOST_KEYS = 4096;

uint32_t shift_of(uint32_t granule) { return uint32_t(std::countr_zero(std::bit_floor(granule))); }

std::string lanes_text(uint32_t lanes) { return counted(uint64_t(std::popcount(lanes)), "thread"); }

void report_barrier(Warp& w, const DecodedFunction& function, size_t index, uint32_t lanes,
                    std::string message, const Place& other) {
  LaunchChecks& launch = w.block->checks->launch;
  const Op& op = function.ops[index];
  const LaunchChecks::Key key{ReportKind::BARRIER_DIVERGENCE, &op, other.ptx_line};
  if (!launch.is_first(key)) return;
  Report report = access_report(w, op, CheckedOp{}, std::countr_zero(lanes), 0, "");
  report.kind = key.kind;
  report.place = place_of(function, index);
  report.message = std::move(message);
  if (other.ptx_line) report.other = "other threads of the warp wait";
  report.other_place = other;
  keep_report(launch, key, std::move(report));
}

uint32_t first_lanes(const Warp& w) {
  const unsigned(&b)[3] = w.block->launch.launch->block;
  const uint32_t threads = b[0] * b[1] * b[2] - w.index * LANES;
  return threads >= uint32_t(LANES) ? FULL_MASK : (uint32_t{1} << threads) - 1;
}

}  // namespace

Place place_of(const DecodedFunction& function, size_t index) {
  Place place;
  const SourcePlace source = source_place(function, index);
  place.file = source.file;
  place.line = source.line;
  if (index < function.source->instructions.size())
    place.ptx_line = function.source->instructions[index].line;
  return place;
}

// A multiplicative generator; its high bits have a long period.
uint32_t RandomOrder::below(uint32_t bound) {
  state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
  return uint32_t((state_ >> 33) % bound);
}

// ---- reports of a launch

bool LaunchChecks::is_first(const Key& key) {
  std::lock_guard lock(mutex);
  if (counts.size() >= MOST_KEYS && !counts.count(key)) return false;
  return ++counts[key] == 1;
}

void keep_report(LaunchChecks& launch, const LaunchChecks::Key& key, Report report) {
  std::string text = report.text();
  const bool stop = stops_at_reports() && !Reports::instance().suppresses(report);
  {
    std::lock_guard lock(launch.mutex);
    launch.reports.emplace(key, std::move(report));
  }
  if (stop) throw KernelFault{CUDA_ERROR_LAUNCH_FAILED, std::move(text), "stopped by a report"};
}

void LaunchChecks::flush_counts() {
  for (auto& [key, report] : reports) {
    report.count = counts[key];
    Reports::instance().add(std::move(report));
  }
  reports.clear();
}

void report_fault(LaunchState& launch, CUresult code, const std::string& text) {
  const bool is_report = stops_at_reports() && !text.starts_with("kernel '");
  if (!launch.checks || is_report) return;
  Report report;
  report.kind = text.find(": deadlock: ") != std::string::npos ? ReportKind::DEADLOCK
                : code == CUDA_ERROR_MISALIGNED_ADDRESS        ? ReportKind::MISALIGNED
                : code == CUDA_ERROR_ILLEGAL_ADDRESS           ? ReportKind::OUT_OF_BOUNDS
                                                               : ReportKind::FAULT;
  report.kernel = shown_name(launch.kernel->function->source->name);
  report.is_kernel = true;
  report.message = text;
  Reports::instance().add(std::move(report));
}

// ---- launches and blocks

std::unique_ptr<LaunchChecks> begin_checks(const Launch& launch, const LaunchState& state) {
  const Schedule order = schedule();
  const uint32_t set = enabled_checks() & CHECK_ALL;
  if (launch.trace) return nullptr;  // its global memory has no bytes
  if (set == 0 && order.order != WarpOrder::RANDOM) return nullptr;
  auto checks = std::make_unique<LaunchChecks>();
  checks->set = set;
  checks->traced = state.module;
  checks->module = &module_checks(*state.module);
  checks->lanes = &handlers_for(simd_level()).lane_checks();
  if (order.order == WarpOrder::RANDOM)
    checks->random = std::make_unique<RandomOrder>(next_launch_seed());
  checks->operation = launch.operation ? launch.operation : std::make_shared<StreamWork>();
  StreamWork& operation = *checks->operation;
  operation.name = "kernel '" + shown_name(state.kernel->function->source->name) + "'";
  operation.is_kernel = true;
  operation.places = checks->module->places;
  std::copy_n(launch.grid, 3, operation.grid);
  std::copy_n(launch.block, 3, operation.block);
  if (!(set & (CHECK_RACE | CHECK_HOST))) return checks;
  Segments::instance().begin(checks->operation);
  if (const uint32_t id = Segments::instance().take_chunk()) {
    checks->several_blocks = id;
    operation.joined.begin(id);
    Segments::instance().name(id, operation.number, NO_BLOCK, SEVERAL_WARPS);
  }
  return checks;
}

void end_checks(LaunchChecks& checks) {
  checks.flush_counts();
  if (checks.operation->number) Segments::instance().end(*checks.operation);
}

uint64_t bytes_of_checks(const LaunchState& launch) {
  if (!launch.checks) return 0;
  const uint64_t cells =
      bytes_of_cells(launch.shared_bytes, shift_of(launch.checks->module->shared_granule));
  const uint64_t local = uint64_t{launch.kernel->function->local_bytes} * LANES / 8 + 64;
  return sizeof(BlockChecks) + cells + launch.shared_bytes / 8 + 64 + launch.warp_count * local;
}

BlockChecks::BlockChecks(Block& b, LaunchChecks& l, WorkerChecks& w)
    : block(b),
      launch(l),
      worker(w),
      clock(b.launch.warp_count, w.source),
      in_cluster(b.launch.cluster_size > 1) {
  const uint64_t bytes = b.launch.shared_bytes;
  if (launch.set & CHECK_RACE) {
    const uint32_t shift = shift_of(launch.module->shared_granule);
    shared_memory = make_aligned(bytes_of_cells(bytes, shift));
    shared_cells = lay_out_cells(shared_memory.get(), bytes, shift);
  }
  if (launch.set & CHECK_INIT) shared_bits = make_aligned(bytes / 8 + 64);
  shared_site = {0, bytes, shared_memory ? &shared_cells : nullptr,
                 shared_bits ? initialised_bits() : nullptr, false};
  local_bits.resize(b.launch.warp_count);
}

void BlockChecks::begin(uint64_t cluster_number, uint64_t number) {
  cluster = cluster_number;
  worker.block = nullptr;  // earlier segments are of another block
  clock.begin(launch.operation->number, uint32_t(number));
  shared_variables.clear();
  kept_accesses.begin_block();
  pending_copies.clear();
  product_reads.clear();
  products.clear();
  // Other blocks of the launch have not ended before this one in the order of the cells' ids.
  if (in_cluster && shared_memory) {
    const uint32_t shift = shift_of(launch.module->shared_granule);
    std::memset(shared_memory.get(), 0, bytes_of_cells(block.launch.shared_bytes, shift));
  }
  if (shared_bits) std::memset(shared_bits.get(), 0, block.launch.shared_bytes / 8 + 64);
  for (uint32_t w = 0; w < block.launch.warp_count; ++w)
    if (local_bits[w]) std::memset(local_bits[w].get(), 0, local_strides[w] * LANES / 8 + 64);
}

// Memory that a call has added is uninitialised; what was there keeps no record.
std::atomic<uint64_t>* local_bits(Warp& w) {
  BlockChecks& checks = *w.block->checks;
  AlignedBytes& bits = checks.local_bits[w.index];
  uint64_t& stride = checks.local_strides[w.index];
  if (w.local_stride == 0) return nullptr;
  if (stride != w.local_stride) {
    const uint64_t old = stride;
    bits = make_aligned(w.local_stride * LANES / 8 + 64);
    stride = w.local_stride;
    auto* words = reinterpret_cast<std::atomic<uint64_t>*>(bits.get());
    for (uint64_t l = 0; l < uint64_t(LANES) && old; ++l) set_all(words, l * stride, old);
  }
  return reinterpret_cast<std::atomic<uint64_t>*>(bits.get());
}

// ---- hooks

void on_fence(Warp& w, const CheckedOp& checked) {
  w.block->checks->kept_accesses.record();
  w.block->checks->clock.fence(w.index, checked.narrow);
}

void on_warp_barrier(Warp& w) {
  BlockChecks& checks = *w.block->checks;
  checks.clock.warp_barrier(w.index);
  if (checks.block.launch.warp_count == 1) checks.kept_accesses.pass_barrier();
}

void on_spill(Warp& w, int lane, uint64_t offset, uint64_t size) {
  if (!(w.block->checks->launch.set & CHECK_INIT)) return;
  if (auto* bits = local_bits(w)) set_all(bits, uint64_t(lane) * w.local_stride + offset, size);
}

void on_block_barrier(const Warp& w, uint32_t barrier) {
  w.block->checks->clock.arrive(w.index, barrier);
}

namespace {

bool is_aligned(const Group& g) {
  const ptx::Form& form = *g.frame->function->source->instructions[g.pc].form;
  return form.has(ptx::FLAG_ALIGNED) || form.text.starts_with("bar.");
}

// Threads of a warp that wait at different barrier instructions did not execute them together.
void check_divergence(Warp& w, const Group& first, const Group& other) {
  const bool together = other.pc == first.pc && other.frame->function == first.frame->function;
  if (together || !is_aligned(other)) return;
  report_barrier(w, *other.frame->function, other.pc, other.mask,
                 lanes_text(other.mask) +
                     " of the warp reached this barrier alone; expected all threads of a warp",
                 place_of(*first.frame->function, first.pc));
}

void check_ended(Warp& w, const Group& g) {
  const uint32_t ended = first_lanes(w) & ~w.live;
  if (ended == 0 || !is_aligned(g)) return;
  report_barrier(w, *g.frame->function, g.pc, g.mask,
                 lanes_text(ended) + " of the warp ended before this barrier, where " +
                     lanes_text(g.mask) + " waited; expected all threads of a warp",
                 {});
}

// Returns whether threads of the warp wait at the barrier.
bool check_waiting(Warp& w, uint32_t barrier, bool reports) {
  const Group* first = nullptr;
  for (uint32_t i = 0; i < w.group_count; ++i) {
    const Group& g = w.groups[i];
    if (g.state != GroupState::BARRIER || g.wait != barrier) continue;
    if (reports && first) check_divergence(w, *first, g);
    if (reports && !first) check_ended(w, g);
    if (!first) first = &g;
  }
  return first != nullptr;
}

}  // namespace

void on_barrier_release(Block& block, uint32_t barrier) {
  BlockChecks& checks = *block.checks;
  uint32_t waiting = 0;
  for (uint32_t x = 0; x < block.launch.warp_count; ++x) {
    const bool waits = check_waiting(block.warps[x], barrier, checks.launch.set & CHECK_BARRIER);
    waiting |= uint32_t{waits} << x;
  }
  const bool is_of_all = uint64_t{waiting} + 1 == uint64_t{1} << block.launch.warp_count;
  if (!is_of_all) checks.kept_accesses.record();
  checks.clock.release(barrier, waiting);
  if (is_of_all) checks.kept_accesses.pass_barrier();
}

namespace {

// Keys of synchronisation in a cluster, beyond all addresses.
constexpr uint64_t CLUSTER_BARRIER = uint64_t{1} << 63, CLUSTER_MEMORY = uint64_t{1} << 62;

// Replaces generic addresses by their offsets in shared memory.
void to_window(Region& region, uint64_t& address) {
  const AddressSpace& space = AddressSpace::instance();
  if (region != Region::GENERIC || address - space.shared_window() >= AddressSpace::WINDOW) return;
  region = Region::CLUSTER;
  address -= space.shared_window();
}

}  // namespace

Block* block_of(const Warp& w, uint64_t offset) {
  const uint64_t rank = offset >> RANK_SHIFT;
  const auto& blocks = w.block->cluster.blocks;
  if (rank == 0) return w.block;
  return rank - 1 < blocks.size() ? blocks[rank - 1].get() : nullptr;
}

uint64_t cluster_key(const Warp& w, const Block& block, uint64_t offset) {
  return CLUSTER_MEMORY | w.block->checks->cluster << 32 | uint64_t{block.rank} << RANK_SHIFT |
         (offset & OFFSET_MASK);
}

namespace {

// A wait for an mbarrier orders nothing before it for others.
bool is_wait(const ptx::Instruction& instruction) {
  switch (instruction.form->op) {
    case ptx::Opcode::mbarrier_test_wait:
    case ptx::Opcode::mbarrier_test_wait_parity:
    case ptx::Opcode::mbarrier_try_wait:
    case ptx::Opcode::mbarrier_try_wait_parity:
      return true;
    default:
      return false;
  }
}

void synchronise(Warp& w, const CheckedOp& checked, uint64_t offset, bool waits) {
  BlockChecks& checks = *w.block->checks;
  const Block* block = block_of(w, offset);
  if (!(checks.launch.set & CHECK_RACE) || !block) return;
  const bool alone = !checks.in_cluster;
  const uint64_t address = alone ? offset & OFFSET_MASK : cluster_key(w, *block, offset);
  if (!waits) publish(w, checked, address, alone);
  acquire(w, address, alone);
}

}  // namespace

// Other threads may still use what the copy replaces; the copy may happen from now on.
void on_copy_begin(Warp& w, const Op& op, int lane, uint64_t to, uint32_t size) {
  BlockChecks& checks = *w.block->checks;
  if (!(checks.launch.set & CHECK_RACE)) return;
  note_access(w, op, lane, to, size, Access::WRITE, Region::SHARED);
  checks.pending_copies.begin(w, op, lane, to, size);
}

void on_registers(Warp& w, const Op& op) {
  BlockChecks& checks = *w.block->checks;
  if (!(checks.launch.set & CHECK_RACE)) return;
  const DecodedFunction& function = *w.frame->function;
  const CheckTable& table = check_table(function);
  const auto index = size_t(&op - function.ops.data());
  if (!table.ops[index].has_use) return;
  if (checks.products.empty()) checks.products.resize(w.block->launch.warp_count);
  checks.products[w.index].use(w, op, table.uses[index]);
}

void on_copy_end(Warp& w, uint64_t to, uint32_t size) {
  PendingCopies& copies = w.block->checks->pending_copies;
  if (copies.any()) copies.end(to, size);
}

bool on_bulk_begin(Warp& w, const Op& op, int lane, uint64_t to, uint32_t size, Region region) {
  const BlockChecks& checks = *w.block->checks;
  to_window(region, to);
  if (!(checks.launch.set & CHECK_RACE) || checks.in_cluster || !is_in_shared(region) ||
      block_of(w, to) != w.block)
    return false;
  on_copy_begin(w, op, lane, to & OFFSET_MASK, size);
  return true;
}

// Every thread that has seen the end of the copy may use the bytes.
void on_bulk_end(Warp& w, uint64_t to, uint32_t size, Region region) {
  to_window(region, to);
  BlockChecks& checks = *w.block->checks;
  checks.kept_accesses.record();
  on_copy_end(w, to & OFFSET_MASK, size);
  const Cells& cells = checks.shared_cells;
  const uint64_t first = (to & OFFSET_MASK) >> cells.shift;
  const uint64_t count = (((to & OFFSET_MASK) + size - 1) >> cells.shift) + 1 - first;
  std::fill_n(cells.writer + first, count, 0);
  std::fill_n(cells.reader + first, count, 0);
}

void on_cluster_arrive(Warp& w) {
  CheckedOp arrival;
  arrival.releases = true;
  if (w.block->checks->launch.set & CHECK_RACE)
    publish(w, arrival, CLUSTER_BARRIER | w.block->checks->cluster, false);
}

void on_cluster_wait(Warp& w) {
  if (w.block->checks->launch.set & CHECK_RACE)
    acquire(w, CLUSTER_BARRIER | w.block->checks->cluster, false);
}

namespace {

void note_read_of_product(Warp& w, const Op& op, uint64_t offset, uint64_t size) {
  const DecodedFunction& function = *w.frame->function;
  const CheckTable& table = check_table(function);
  const auto index = size_t(&op - function.ops.data());
  if (table.uses.empty() || table.uses[index].kind != RegisterUse::Kind::PRODUCT) return;
  BlockChecks& checks = *w.block->checks;
  checks.product_reads.add(w, op, checks.products[w.index].open_group(), offset, size);
}

}  // namespace

void note_write(Warp& w, uint64_t address, uint64_t size, Region region) {
  if (!(w.block->checks->launch.set & CHECK_INIT)) return;
  to_window(region, address);
  if (region == Region::GLOBAL || region == Region::GENERIC)
    return Transfer::initialises(address, size);
  const Block* block = is_in_shared(region) ? block_of(w, address) : nullptr;
  if (block && block->checks)
    set_all(block->checks->initialised_bits(), address & OFFSET_MASK, size);
}

namespace {

// The largest cells that the range consists of, but at most words.
uint32_t granule_of(uint64_t address, uint64_t size) {
  return uint32_t{1} << std::min(std::countr_zero(address | size), 2);
}

}  // namespace

void note_access(Warp& w, const Op& op, int lane, uint64_t address, uint64_t size, Access access,
                 Region region) {
  BlockChecks& checks = *w.block->checks;
  to_window(region, address);
  const DecodedFunction& function = *w.frame->function;
  const auto index = size_t(&op - function.ops.data());
  CheckedOp checked = check_table(function).ops[index];
  if (checked.hook == Hook::SYNC) {
    checked.releases = true;
    const bool waits = is_wait(function.source->instructions[index]);
    if (is_in_shared(region)) synchronise(w, checked, address, waits);
    return;
  }
  const bool in_shared = is_in_shared(region);
  const Block* block = in_shared ? block_of(w, address) : w.block;
  if (!block || !block->checks) return;
  BlockChecks& owner = *block->checks;  // of the memory
  checked.hook = access == Access::READ ? Hook::LOAD : Hook::STORE;
  if (in_shared) {
    checks.kept_accesses.record();
    checks.kept_accesses.note(checked.hook);
    address &= OFFSET_MASK;
    const bool may_be_copied = owner.pending_copies.any() && (checks.launch.set & CHECK_RACE);
    if (may_be_copied) owner.pending_copies.check_lane(w, op, checked, lane, address, size);
    if (owner.product_reads.any())
      owner.product_reads.check_lane(w, op, checked, lane, address, size);
    if (checked.hook == Hook::LOAD && checks.launch.set & CHECK_RACE && !checks.products.empty())
      note_read_of_product(w, op, address, size);
  }
  checked.unused = false;
  std::atomic<uint64_t>* bits = nullptr;
  const Cells* cells = nullptr;
  uint64_t base = 0;
  if (in_shared) {
    if (checks.launch.set & CHECK_INIT) bits = owner.initialised_bits();
    if (checks.launch.set & CHECK_RACE) cells = &owner.shared_cells;
  } else if (region == Region::GLOBAL || region == Region::GENERIC) {
    const ShadowSite* site = find_shadow(w, op, address, granule_of(address, size));
    if (!site) return;
    bits = site->initialised;
    cells = site->cells;
    base = site->base;
  }
  const uint64_t offset = address - base;
  if (bits && checked.hook == Hook::STORE) set_all(bits, offset, size);
  if (!cells) return;
  const Rule& rule = rule_of(w, in_shared && !checks.in_cluster);
  const uint16_t site = site_of(w, op);
  if (rule.mine == 0) return;
  if (size != 0)
    divide_lines(*cells, offset >> cells->shift,
                 ((offset + size - 1) >> cells->shift) - (offset >> cells->shift) + 1);
  checked.value_bytes = uint8_t(std::min<uint64_t>(size, 16));
  checked.strong = false;
  uint64_t addresses[LANES];
  std::fill(std::begin(addresses), std::end(addresses), address);
  const AccessContext context{w, op, checked, *cells, rule, site, addresses, base, in_shared};
  // Its values are not in registers, so that check_cell() must not compare them.
  CheckedOp atomic = checked;
  if (checked.hook == Hook::STORE) atomic.hook = Hook::ATOMIC;
  const AccessContext written{w, op, atomic, *cells, rule, site, addresses, base, in_shared};
  const Span span{offset >> cells->shift,
                  uint32_t(((offset + size - 1) >> cells->shift) - (offset >> cells->shift) + 1),
                  31, uint32_t(lane)};
  const bool load = checked.hook == Hook::LOAD;
  const CellAccess kind = load ? CellAccess::READ : CellAccess::WRITE;
  if (checks.launch.lanes->span(*cells, rule, site, span, kind) == 0) return;
  for (uint64_t cell = span.first; cell < span.first + span.count; ++cell)
    check_cell(load ? context : written, cell, uint32_t(lane), uint32_t(lane));
}

}  // namespace cucore::cpu
