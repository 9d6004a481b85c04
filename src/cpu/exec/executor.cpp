// SPDX-License-Identifier: Apache-2.0
// Settings, the choice of handlers, and a launch from its parameters to its result.
#include "cpu/exec/executor.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "cpu/checks/checks.hpp"
#include "cpu/counts/launch_trace.hpp"
#include "cpu/exec/cluster.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/handlers.hpp"
#include "cpu/exec/launch_budgets.hpp"
#include "cpu/exec/memory.hpp"
#include "cpu/exec/module.hpp"
#include "cpu/exec/printf.hpp"
#include "cpu/exec/round_up.hpp"
#include "cpu/exec/worker_pool.hpp"

namespace cucore::cpu {
namespace {

Settings& stored_settings() {
  static Settings* const instance = new Settings;
  return *instance;
}

bool has(Simd level) {
#ifdef CUCPU_HAVE_AVX
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (level == Simd::AVX512) return avx512;
  if (level == Simd::AVX2) return avx2;
#endif
  return level == Simd::BASELINE;
}

uint64_t product(const unsigned (&v)[3]) { return uint64_t{v[0]} * v[1] * v[2]; }

void fill_thread_table(LaunchState& state) {
  const Launch& l = *state.launch;
  state.threads = make_aligned(size_t{state.warp_count} * THREAD_ROWS * ROW);
  auto* rows = reinterpret_cast<uint32_t*>(state.threads.get());
  for (uint32_t t = 0; t < state.warp_count * LANES; ++t) {
    uint32_t* row = rows + size_t{t / LANES} * THREAD_ROWS * LANES + t % LANES;
    row[ROW_TID * LANES] = t % l.block[0];
    row[(ROW_TID + 1) * LANES] = t / l.block[0] % l.block[1];
    row[(ROW_TID + 2) * LANES] = t / l.block[0] / l.block[1];
    row[ROW_WARPID * LANES] = t / LANES;
  }
}

std::optional<Fault> check(const Launch& launch, const DecodedKernel& kernel) {
  const uint64_t threads = product(launch.block);
  if (product(launch.grid) == 0 || threads == 0 || threads > MAX_WARPS * LANES)
    return Fault{CUDA_ERROR_INVALID_VALUE,
                 "empty grid or block, or a block of more than 1024 threads"};
  if (product(launch.cluster) == 0 || product(launch.cluster) > MAX_CLUSTER)
    return Fault{CUDA_ERROR_INVALID_CLUSTER_SIZE,
                 "an empty cluster, or one of more than 16 blocks"};
  for (int c = 0; c < 3; ++c)
    if (launch.grid[c] % launch.cluster[c])
      return Fault{CUDA_ERROR_INVALID_CLUSTER_SIZE, "a grid that is not a multiple of the cluster"};
  // The alignment of dynamic memory is not part of what a launch asks for.
  if (round_up(uint64_t{kernel.static_bytes}, 16) + launch.dynamic_shared >
      launch.limits.max_shared_per_block_optin)
    return Fault{CUDA_ERROR_INVALID_VALUE, "more shared memory than a block may have"};
  return std::nullopt;
}

// Enough for the deepest kernels, and small compared with the memory of a program; more threads
// need more.
constexpr uint64_t LAUNCH_MEMORY = uint64_t{192} << 20;
constexpr uint64_t LAUNCH_MEMORY_OF_THREAD = uint64_t{24} << 20;

uint64_t launch_memory(uint64_t budget) {
  if (budget) return budget;
  return std::max(LAUNCH_MEMORY, WorkerPool::instance().size() * LAUNCH_MEMORY_OF_THREAD);
}

std::optional<Fault> too_large(const LaunchState& state, const std::string& what) {
  return Fault{CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
               "kernel '" + shown_name(state.kernel->function->source->name) + "' needs " + what};
}

// Checks the local memory, registers and shared memory that are known before the kernel runs.
std::optional<Fault> check_memory(LaunchState& state) {
  const uint64_t local = state.kernel->function->local_bytes;
  if (local > MAX_LOCAL)
    return too_large(state, std::to_string(local) +
                                " bytes of local memory per thread; a thread has " +
                                std::to_string(MAX_LOCAL) + " at most");
  const std::string block = std::to_string(state.block_bytes) +
                            " bytes for the registers, local and shared memory of a block of " +
                            std::to_string(product(state.launch->block)) + " threads";
  const uint64_t limit = state.memory.limit();
  if (state.block_bytes > limit) return too_large(state, block + "; " + state.memory.describe());
  if (state.block_bytes > limit / state.cluster_size)
    return too_large(state, block + ", and the " + std::to_string(state.cluster_size) +
                                " blocks of a cluster run at the same time; " +
                                state.memory.describe());
  if (!state.launch->cooperative) return std::nullopt;
  state.reserved = state.block_count <= limit / state.block_bytes &&
                   state.memory.take(state.block_count * state.block_bytes);
  if (state.reserved) return std::nullopt;
  return too_large(state, block + ", and the " + std::to_string(state.block_count) +
                              " blocks of a cooperative launch run at the same time; " +
                              state.memory.describe());
}

constexpr uint64_t WORKSPACE_BYTES = 256;

void prepare(LaunchState& state, const Launch& launch, const KernelImage& image) {
  static std::atomic<uint64_t> grids{0};
  state.launch = &launch;
  state.kernel = &image.decoded;
  state.module = image.decoded.function->module;
  state.block_count = product(launch.grid);
  state.cluster_size = uint32_t(product(launch.cluster));
  state.cluster_count = state.block_count / state.cluster_size;
  state.warp_count = uint32_t((product(launch.block) + LANES - 1) / LANES);
  state.shared_bytes = uint64_t{image.decoded.static_shared} + launch.dynamic_shared;
  state.reserved_shared = (state.shared_bytes + 15) & ~uint64_t{15};
  if (state.module->uses_reserved_shared)
    state.shared_bytes = state.reserved_shared + RESERVED_SHARED;
  state.grid_id = grids.fetch_add(1) + 1;
  state.budgets = launch_budgets();
  state.budget = state.budgets.instructions.amount;
  state.memory.set_limit(launch_memory(state.budgets.memory.amount), state.budgets.memory.setting);
  state.params = make_aligned(image.info().param_bytes + 64);
  if (launch.params) std::memcpy(state.params.get(), launch.params, image.info().param_bytes);
  fill_thread_table(state);
}

// The checks of a launch, which end with it.
class CheckedLaunch {
 public:
  CheckedLaunch(const Launch& launch, LaunchState& state) : checks_(begin_checks(launch, state)) {
    state.checks = checks_.get();
  }
  ~CheckedLaunch() {
    if (checks_) end_checks(*checks_);
  }
  CheckedLaunch(const CheckedLaunch&) = delete;
  CheckedLaunch& operator=(const CheckedLaunch&) = delete;

 private:
  const std::unique_ptr<LaunchChecks> checks_;
};

// The counts of a launch, which the collector of its trace receives.
class CountedLaunch {
 public:
  explicit CountedLaunch(LaunchState& state)
      : collector_(collector_of(*state.launch)), counts_(begin_counts(collector_.get(), state)) {
    state.counts = counts_.get();
  }
  void end(const LaunchState& state) {
    if (!counts_ || !collector_->admit()) return;
    try {
      collector_->add(
          trace_of(*counts_, state, collector_->wants_rows(state.kernel->function->source->name)));
    } catch (const std::bad_alloc&) {
      collector_->drop();
    }
  }

 private:
  const std::shared_ptr<TraceCollector> collector_;
  const std::unique_ptr<LaunchCounts> counts_;
};

}  // namespace

void configure(const Settings& settings) {
  stored_settings() = settings;
  LaunchBudgets budgets;
  budgets.instructions.amount = settings.instruction_budget;
  budgets.memory.amount = settings.launch_memory;
  budgets.output.amount = settings.launch_output;
  set_launch_budgets(budgets);
}
const Settings& settings() { return stored_settings(); }

Simd simd_level() {
  Simd wanted = settings().simd;
  if (wanted == Simd::AUTOMATIC) wanted = Simd::AVX512;
  if (wanted == Simd::AVX512 && !has(Simd::AVX512)) wanted = Simd::AVX2;
  if (wanted == Simd::AVX2 && !has(Simd::AVX2)) wanted = Simd::BASELINE;
  return wanted;
}

const char* simd_name(Simd level) {
  switch (level) {
    case Simd::AVX512:
      return "avx512";
    case Simd::AVX2:
      return "avx2";
    case Simd::BASELINE:
      return "baseline";
    default:
      return "automatic";
  }
}

const HandlerSet& handlers_for(Simd level) {
#ifdef CUCPU_HAVE_AVX
  if (level == Simd::AVX512) return avx512::handlers();
  if (level == Simd::AVX2) return avx2::handlers();
#endif
  (void)level;
  return baseline::handlers();
}

std::optional<Fault> execute(const Launch& launch, LaunchStatistics* statistics) {
  const auto& image = static_cast<const KernelImage&>(*launch.kernel);
  if (auto fault = check(launch, image.decoded)) return fault;
  AddressSpace::Pin pin;
  LaunchState state;
  prepare(state, launch, image);
  const CheckedLaunch checks(launch, state);
  CountedLaunch counts(state);
  state.block_bytes = bytes_of_block(state);
  if (auto fault = check_memory(state)) {
    state.fail(fault->code, std::move(fault->text));
    return state.fault;
  }
  if (launch.cooperative) {
    state.workspace =
        AddressSpace::instance().allocate(WORKSPACE_BYTES, 512, MemoryKind::CODE, launch.device);
    if (!state.workspace)
      return Fault{CUDA_ERROR_OUT_OF_MEMORY, "no memory for grid synchronisation"};
  }
  WorkerPool::instance().run(state);
  counts.end(state);
  if (state.workspace) AddressSpace::instance().release(state.workspace);
  if (statistics) {
    statistics->warp_instructions = state.warp_instructions.load();
    statistics->thread_instructions = state.thread_instructions.load();
  }
  return state.fault;
}

}  // namespace cucore::cpu
