// SPDX-License-Identifier: Apache-2.0
// Lifetime of a block: its tables, its warps' first frames, frames of calls, and slices of
// execution.
#include "cpu/exec/block.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "cpu/checks/checks.hpp"
#include "cpu/counts/counts.hpp"
#include "cpu/exec/cluster.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/memory.hpp"
#include "cpu/exec/round_up.hpp"

namespace cucore::cpu {
namespace {

constexpr int64_t WARP_QUANTUM = 8192;

uint64_t bytes_of_frame(const DecodedFunction& function) {
  return sizeof(Frame) + function.register_bytes + uint64_t{LANES} * function.param_bytes;
}

void fill_row(std::byte* table, uint32_t row, uint32_t value) {
  auto* p = reinterpret_cast<uint32_t*>(table + row * ROW);
  if (p[0] == value) return;  // all lanes are equal, and new rows are zero
  for (int l = 0; l < LANES; ++l) p[l] = value;
}
void fill_wide_row(std::byte* table, uint32_t row, uint64_t value) {
  auto* p = reinterpret_cast<uint64_t*>(table + row * ROW);
  for (int l = 0; l < LANES; ++l) p[l] = value;
}

// Returns the end of the local memory of a call.
uint64_t top_of(const Frame& frame) {
  return uint64_t{frame.local_base} + frame.function->local_bytes + frame.dynamic;
}

void clear_dynamic(Frame& frame) {
  frame.dynamic = 0;
  std::fill(std::begin(frame.dynamic_of), std::end(frame.dynamic_of), 0);
}

// Returns a coordinate of the block within its cluster.
uint32_t place_in_cluster(const Launch& l, uint32_t rank, uint32_t axis) {
  if (axis == 0) return rank % l.cluster[0];
  return axis == 1 ? rank / l.cluster[0] % l.cluster[1] : rank / l.cluster[0] / l.cluster[1];
}

// A division of 64 bits takes as long as the rest of the start of a block, so small numbers have a
// shorter one.
uint32_t remainder(uint64_t number, uint32_t divisor) {
  return number >> 32 ? uint32_t(number % divisor) : uint32_t(number) % divisor;
}

void fill_lane_rows(std::byte* table) {
  auto row = [&](uint32_t r) { return reinterpret_cast<uint32_t*>(table + r * ROW); };
  for (uint32_t l = 0; l < uint32_t(LANES); ++l) {
    const uint32_t eq = uint32_t{1} << l;
    row(ROW_LANEID)[l] = l;
    row(ROW_LANEMASK_EQ)[l] = eq;
    row(ROW_LANEMASK_LT)[l] = eq - 1;
    row(ROW_LANEMASK_LE)[l] = eq | (eq - 1);
    row(ROW_LANEMASK_GT)[l] = ~(eq | (eq - 1));
    row(ROW_LANEMASK_GE)[l] = ~(eq - 1);
  }
}

// Compiled code loads 64 bytes for a value of 4 at the end of the memory.
constexpr size_t SHARED_PADDING = 64;

}  // namespace

void FrameDelete::operator()(Frame* frame) const {
  ::operator delete[](reinterpret_cast<std::byte*>(frame->registers), std::align_val_t{64});
  delete frame;
}

void LaunchState::fail(CUresult code, std::string text) {
  std::lock_guard lock(mutex);
  if (!fault) {
    report_fault(*this, code, text);
    fault = Fault{code, std::move(text)};
  }
  stop.store(true, std::memory_order_relaxed);
}

uint64_t bytes_of_block(const LaunchState& launch) {
  const DecodedFunction& entry = *launch.kernel->function;
  const uint64_t params = entry.calls.empty() ? 0 : entry.param_bytes;
  const uint64_t warp = sizeof(Warp) + sizeof(Frame) + entry.register_bytes +
                        uint64_t{LANES} * (entry.local_bytes + params);
  return sizeof(Block) + launch.shared_bytes + BLOCK_ROWS * ROW + launch.warp_count * warp +
         bytes_of_checks(launch) + (launch.counts ? sizeof(BlockCounts) : 0);
}

// After a fault the block keeps its memory; otherwise other blocks would take it before they notice
// the end.
Block::~Block() {
  if (launch.stop.load(std::memory_order_relaxed)) return;
  launch.memory.give_back(taken_ + (launch.reserved ? 0 : launch.block_bytes));
}

Block::Block(Cluster& owner, uint32_t rank_in_cluster)
    : cluster(owner),
      rank(rank_in_cluster),
      launch(owner.launch),
      worker(owner.worker),
      entry(*owner.launch.kernel->function) {
  const uint32_t count = launch.warp_count;
  shared = make_aligned(launch.shared_bytes + SHARED_PADDING);
  table = make_aligned(BLOCK_ROWS * ROW);
  registers = make_aligned(size_t{count} * entry.register_bytes);
  warps = std::make_unique<Warp[]>(count);
  entry_frames.resize(count);
  locals.resize(count);
  entry_params.resize(count);
  fill_table();
  for (uint32_t x = 0; x < count; ++x) {
    Warp& warp = warps[x];
    Frame& frame = entry_frames[x];
    frame.function = &entry;
    frame.sites = worker.sites.data();
    frame.registers = registers.get() + size_t{x} * entry.register_bytes;
    frame.param_stride = entry.param_bytes;
    if (!entry.calls.empty()) {
      entry_params[x] = make_aligned(size_t{LANES} * entry.param_bytes);
      frame.params = entry_params[x].get();
    } else {
      frame.param_stride = 0;
    }
    warp.bases[BLOCK_BASE] = table.get();
    warp.bases[THREAD_BASE] = launch.threads.get() + size_t{x} * THREAD_ROWS * ROW;
    warp.generation = &AddressSpace::instance().generation();
    warp.params = launch.params.get();
    warp.shared = shared.get();
    warp.shared_size = launch.shared_bytes;
    warp.local_stride = entry.local_bytes;
    if (entry.local_bytes) locals[x] = make_aligned(size_t{LANES} * entry.local_bytes);
    warp.local = locals[x].get();
    warp.worker = &worker;
    warp.block = this;
    warp.index = x;
  }
  if (launch.counts) {
    count_owner_ = std::make_shared<BlockCounts>();
    counts = count_owner_.get();
  }
  if (!launch.checks) return;
  check_owner_ = std::make_shared<BlockChecks>(*this, *launch.checks, *worker.checks);
  checks = check_owner_.get();
}

void Block::fill_table() {
  std::byte* t = table.get();
  const Launch& l = *launch.launch;
  fill_lane_rows(t);
  for (uint32_t c = 0; c < 3; ++c) {
    fill_row(t, ROW_NCTAID + c, l.grid[c]);
    fill_row(t, ROW_NTID + c, l.block[c]);
    place_[c] = place_in_cluster(l, rank, c);
    fill_row(t, ROW_CLUSTER_CTAID + c, place_[c]);
    fill_row(t, ROW_CLUSTER_NCTAID + c, l.cluster[c]);
    fill_row(t, ROW_NCLUSTERID + c, l.grid[c] / l.cluster[c]);
  }
  fill_row(t, ROW_CLUSTER_CTARANK, rank);
  fill_row(t, ROW_CLUSTER_NCTARANK, launch.cluster_size);
  fill_row(t, ROW_IS_EXPLICIT_CLUSTER, l.explicit_cluster ? FULL_MASK : 0);
  fill_row(t, ROW_NWARPID, l.limits.max_threads_per_block / LANES);
  fill_row(t, ROW_NSMID, l.limits.sm_count);
  fill_row(t, ROW_TOTAL_SMEM, launch.kernel->static_shared + l.dynamic_shared);
  fill_row(t, ROW_RESERVED_BEGIN, uint32_t(launch.reserved_shared));
  fill_row(t, ROW_RESERVED_FIRST, uint32_t(launch.reserved_shared) + 32);
  fill_row(t, ROW_RESERVED_END, uint32_t(launch.reserved_shared) + RESERVED_SHARED);
  fill_row(t, ROW_DYNAMIC_SMEM, l.dynamic_shared);
  fill_row(t, ROW_ENVREG1, uint32_t(launch.workspace >> 32));
  fill_row(t, ROW_ENVREG2, uint32_t(launch.workspace));
  fill_wide_row(t, ROW_GRIDID, launch.grid_id);
  const uint32_t dynamic = launch.kernel->static_shared;
  fill_row(t, ROW_DYNAMIC_BASE, dynamic);
  fill_wide_row(t, ROW_DYNAMIC_BASE_WIDE, dynamic);
}

void Block::begin(const uint32_t (&clusterid)[3], uint64_t cluster_number) {
  const Launch& l = *launch.launch;
  for (uint32_t c = 0; c < 3; ++c) {
    ctaid[c] = clusterid[c] * l.cluster[c] + place_[c];
    fill_row(table.get(), ROW_CTAID + c, ctaid[c]);
    fill_row(table.get(), ROW_CLUSTERID + c, clusterid[c]);
  }
  const uint64_t number = cluster_number * launch.cluster_size + rank;
  fill_row(table.get(), ROW_SMID, remainder(number, l.limits.sm_count));
  live_threads = l.block[0] * l.block[1] * l.block[2];
  if (barriers_used)
    for (Barrier& b : barriers) b.used = false;
  barriers_used = false;
  mbarriers.clear();
  for (ThreadCopies& warp : copies) warp.clear(*this);
  for (uint32_t x = 0; x < launch.warp_count; ++x) {
    Warp& w = warps[x];
    Frame& frame = entry_frames[x];
    const uint32_t threads = live_threads - x * LANES;
    const uint32_t live = threads >= uint32_t(LANES) ? FULL_MASK : (uint32_t{1} << threads) - 1;
    w.live = frame.lanes = live;
    w.carry = 0;
    w.rotate = false;
    w.asleep = false;
    w.group_count = 1;
    w.groups[0] = {&frame, 0, live};
    if (frame.dynamic) clear_dynamic(frame);
  }
  if (counts) {
    counts->begin();
    launch.counts->blocks_run.fetch_add(1, std::memory_order_relaxed);
  }
  if (checks)
    checks->begin(cluster_number,
                  ctaid[0] + uint64_t{l.grid[0]} * (ctaid[1] + uint64_t{l.grid[1]} * ctaid[2]));
}

// Each round of a random schedule has the warps in another order.
uint32_t Block::next_warp(uint32_t turn) {
  RandomOrder& random = *checks->launch.random;
  if (turn == 0) {
    order_.resize(launch.warp_count);
    for (uint32_t x = 0; x < launch.warp_count; ++x) order_[x] = x;
    for (uint32_t x = launch.warp_count; x > 1; --x)
      std::swap(order_[x - 1], order_[random.below(x)]);
  }
  return order_[turn];
}

bool Block::turn(int64_t& quantum) {
  bool progress = false;
  const bool is_random = checks && checks->launch.random;
  for (uint32_t x = 0; x < launch.warp_count; ++x) {
    Warp& w = warps[is_random ? next_warp(x) : x];
    if (!w.live) continue;
    w.quantum = WARP_QUANTUM;
    const WarpStatus status = run_warp(w);
    quantum -= WARP_QUANTUM - w.quantum;
    progress |= status != WarpStatus::BLOCKED || w.quantum != WARP_QUANTUM;
    if (status == WarpStatus::EXPIRED && launch.stop.load(std::memory_order_relaxed)) break;
  }
  return progress;
}

Frame* Block::enter(Warp& w, const Op& op, const DecodedFunction& function) {
  Frame* caller = w.frame;
  const uint64_t depth_limit = std::max<uint64_t>(1024, launch.launch->limits.stack_bytes * 4);
  const uint64_t below = function.local_align - 1;  // a power of two
  const uint64_t local_base = (top_of(*caller) + below) & ~below;
  if (caller->depth >= depth_limit || local_base + function.local_bytes > MAX_LOCAL)
    raise(w, op, __builtin_ctz(w.active), CUDA_ERROR_LAUNCH_FAILED, "stack overflow",
          "call depth " + std::to_string(caller->depth));
  if (local_base + function.local_bytes > w.local_stride)
    grow_local(w, op, local_base + function.local_bytes, function);
  auto& free = free_frames[&function];
  Frame* frame = nullptr;
  if (free.empty()) {
    frame = new_frame(w, op, function);
  } else {
    frame = free.back();
    free.pop_back();
  }
  frame->parent = caller;
  frame->lanes = w.active;
  frame->depth = caller->depth + 1;
  frame->local_base = uint32_t(local_base);
  if (frame->dynamic) clear_dynamic(*frame);
  return frame;
}

uint64_t Block::allocate_local(Warp& w, const Op& op, int lane, uint64_t size, uint64_t align) {
  Frame& frame = *w.frame;
  const uint64_t start = uint64_t{frame.local_base} + frame.function->local_bytes;
  const uint64_t place = round_up(start + frame.dynamic_of[lane], align);
  if (size > MAX_LOCAL || place + size > MAX_LOCAL)
    raise(w, op, lane, CUDA_ERROR_LAUNCH_FAILED, "stack overflow",
          "alloca of " + std::to_string(size) + " bytes");
  if (place + size > w.local_stride) grow_local(w, op, place + size, *frame.function);
  frame.dynamic_of[lane] = uint32_t(place + size - start);
  frame.dynamic = std::max(frame.dynamic, frame.dynamic_of[lane]);
  return place;
}

void Block::leave(Frame* frame) { free_frames[frame->function].push_back(frame); }

bool Block::take(uint64_t bytes) {
  if (!launch.memory.take(bytes)) return false;
  taken_ += bytes;
  return true;
}

void Block::give_back(uint64_t bytes) {
  taken_ -= bytes;
  launch.memory.give_back(bytes);
}

void Block::refuse(const Warp& w, const Op& op, uint64_t bytes,
                   const DecodedFunction& callee) const {
  raise(w, op, __builtin_ctz(w.active), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
        "no memory for the stack",
        "a call of '" + shown_name(callee.source->name) + "' needs " + std::to_string(bytes) +
            " bytes for its warp; " + launch.memory.describe());
}

void Block::drop_free_frames() {
  std::unordered_set<const Frame*> unused;
  for (const auto& [function, free] : free_frames) unused.insert(free.begin(), free.end());
  free_frames.clear();
  uint64_t bytes = 0;
  std::erase_if(frames, [&](const auto& frame) {
    if (!unused.contains(frame.get())) return false;
    bytes += bytes_of_frame(*frame->function);
    return true;
  });
  give_back(bytes);
}

Frame* Block::new_frame(Warp& w, const Op& op, const DecodedFunction& function) {
  const uint64_t bytes = bytes_of_frame(function);
  if (!take(bytes)) {
    drop_free_frames();
    if (!take(bytes)) refuse(w, op, bytes, function);
  }
  frames.emplace_back(new Frame);
  Frame* frame = frames.back().get();
  frame->registers =
      make_aligned(function.register_bytes + size_t{LANES} * function.param_bytes).release();
  frame->params = frame->registers + function.register_bytes;
  frame->param_stride = function.param_bytes;
  frame->function = &function;
  frame->sites = worker.sites_of(*function.module).data();
  return frame;
}

// The old memory is charged until it is copied.
void Block::grow_local(Warp& w, const Op& op, uint64_t bytes, const DecodedFunction& callee) {
  uint64_t stride = std::min(std::max(round_up(bytes, 64), w.local_stride * 2), MAX_LOCAL);
  if (!take(stride * LANES)) {
    stride = round_up(bytes, 64);
    if (!take(stride * LANES)) refuse(w, op, stride * LANES, callee);
  }
  AlignedBytes grown = make_aligned(stride * LANES);
  for (int l = 0; l < LANES && w.local_stride; ++l)
    std::memcpy(grown.get() + l * stride, w.local + l * w.local_stride, w.local_stride);
  // Memory from the start of the block stays charged until its end.
  if (w.local_stride > entry.local_bytes) {
    give_back(w.local_stride * LANES);
  }
  locals[w.index] = std::move(grown);
  w.local = locals[w.index].get();
  w.local_stride = stride;
}

}  // namespace cucore::cpu
