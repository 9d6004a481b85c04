// SPDX-License-Identifier: Apache-2.0
// Turns the counts of a launch into rows and totals.
#include "cpu/counts/launch_trace.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "cpu/checks/check_set.hpp"
#include "cpu/checks/check_table.hpp"
#include "cpu/exec/fault.hpp"
#include "cpu/exec/handlers.hpp"

namespace cucore::cpu {
namespace {

struct Running {
  std::atomic<bool> any{false};
  std::mutex mutex;
  std::shared_ptr<TraceCollector> collector;
};
Running& running() {
  static Running* const instance = new Running;
  return *instance;
}

// The first, the last, and others between them at equal distances.
std::vector<uint64_t> spread(uint64_t total, uint64_t wanted) {
  std::vector<uint64_t> sample;
  if (wanted == 0 || wanted >= total) return sample;
  const uint64_t gaps = std::max<uint64_t>(1, wanted - 1);
  const uint64_t step = (total - 1) / gaps, rest = (total - 1) % gaps;
  for (uint64_t i = 0; i < wanted; ++i) sample.push_back(i * step + i * rest / gaps);
  return sample;
}

void add(cucore_cpu_traffic& sum, const cucore_cpu_traffic& t) {
  sum.requests += t.requests;
  sum.bytes += t.bytes;
  sum.sectors += t.sectors;
  sum.wavefronts += t.wavefronts;
  sum.bank_conflicts += t.bank_conflicts;
}

void add(cucore_cpu_counts& sum, const cucore_cpu_counts& c) {
  sum.warp_instructions += c.warp_instructions;
  sum.thread_instructions += c.thread_instructions;
  sum.executed_threads += c.executed_threads;
  for (size_t i = 0; i < CUCORE_CPU_OPERATION_TYPES; ++i) sum.operations[i] += c.operations[i];
  sum.divergent_branches += c.divergent_branches;
  sum.barriers += c.barriers;
  sum.barrier_imbalance += c.barrier_imbalance;
  add(sum.global_load, c.global_load);
  add(sum.global_store, c.global_store);
  add(sum.global_atomic, c.global_atomic);
  add(sum.local_load, c.local_load);
  add(sum.local_store, c.local_store);
  add(sum.shared_load, c.shared_load);
  add(sum.shared_store, c.shared_store);
  add(sum.shared_atomic, c.shared_atomic);
  sum.other_accesses += c.other_accesses;
}

// A copy into shared memory reads global memory, any other copy writes it.
// A program refers to local memory with atomics by mistake only; they count as stores.
void set_traffic(cucore_cpu_counts& c, const RowTraffic& t, cucore_cpu_class group,
                 const ptx::Form& form) {
  const bool load = group == CUCORE_CPU_CLASS_LOAD, atomic = group == CUCORE_CPU_CLASS_ATOMIC;
  const bool copy = group == CUCORE_CPU_CLASS_COPY, from_shared = form.space == ptx::Space::global;
  const bool reads = load || (copy && !from_shared);
  (reads ? c.global_load : atomic ? c.global_atomic : c.global_store) = t.global;
  (load || (copy && from_shared) ? c.shared_load
   : atomic                      ? c.shared_atomic
                                 : c.shared_store) = t.shared;
  if (atomic) c.shared_load = t.loop_loads;
  (load ? c.local_load : c.local_store) = t.local;
}

class Writer {
 public:
  Writer(const LaunchCounts& counts, LaunchTrace& trace, bool rows)
      : counts_(counts), trace_(trace), rows_(rows) {}
  void function(const FunctionCounts& function);
  void finish();

 private:
  void row(const FunctionCounts& f, size_t index, uint64_t warps, uint64_t threads);
  void place(const FunctionCounts& f, size_t index, cucore_cpu_trace_row& row);
  void add_widths(const ptx::Form& form, const InstructionKind& kind, const RowTraffic& traffic,
                  uint64_t warps);

  const LaunchCounts& counts_;
  LaunchTrace& trace_;
  const bool rows_;
};

void Writer::function(const FunctionCounts& f) {
  uint64_t warps = 0, threads = 0;
  const auto& instructions = f.function.source->instructions;
  for (size_t i = 0; i < instructions.size(); ++i) {
    warps += f.cells[i].warps;
    threads += f.cells[i].threads;
    if (instructions[i].line != 0) row(f, i, warps, threads);  // 0: the parser added it
  }
}

// Returns the line of the first instruction of the text at the label of a branch.
uint32_t target_line_of(const ptx::Function& function, size_t index) {
  const auto& instructions = function.instructions;
  if (instructions[index].form->op != ptx::Opcode::bra) return 0;
  for (const ptx::Operand& operand : function.operands_of(instructions[index])) {
    if (operand.kind != ptx::OperandKind::LABEL) continue;
    for (size_t at = operand.index; at < instructions.size(); ++at)
      if (instructions[at].line != 0) return instructions[at].line;
  }
  return 0;
}

void Writer::place(const FunctionCounts& f, size_t index, cucore_cpu_trace_row& row) {
  const ptx::Module& module = *f.function.module->source;
  row.target_line = target_line_of(*f.function.source, index);
  row.ptx_line = f.function.source->instructions[index].line;
  row.function = trace_.text(f.function.source->name);
  row.text = trace_.text(shown_instruction(f.function, index));
  row.file = row.inlined_file = "";
  const SourcePlace source = source_place(f.function, index);
  if (source.line == 0) return;
  row.file = trace_.text(source.file);
  row.line = source.line;
  const ptx::SourceLine* line = ptx::source_line_of(*f.function.source, index);
  const std::string_view file = ptx::file_name(module, line->inlined_at.file);
  if (line->inlined_at.line == 0 || file.empty()) return;
  row.inlined_file = trace_.text(shown_file(file));
  row.inlined_line = line->inlined_at.line;
}

void Writer::row(const FunctionCounts& f, size_t index, uint64_t warps, uint64_t threads) {
  const InstructionKind& kind = f.table.kinds[index];
  const uint32_t leader = counts_.each ? uint32_t(index) : f.table.leaders[index];
  cucore_cpu_trace_row row = {};
  if (rows_) place(f, index, row);
  row.instruction_class = kind.group;
  row.width = kind.width;
  cucore_cpu_counts& c = row.counts;
  c.warp_instructions = warps;
  c.thread_instructions = threads;
  c.executed_threads = threads - f.rare[index].guarded_off;
  const bool is_matrix = kind.operation == CUCORE_CPU_OPERATION_MATRIX;
  c.operations[kind.operation] =
      (is_matrix ? c.executed_threads / LANES : c.executed_threads) * kind.operations;
  c.divergent_branches = f.rare[index].divergent;
  c.barriers = kind.is_barrier ? warps : 0;
  c.barrier_imbalance = f.rare[index].imbalance;
  c.other_accesses = kind.other_access ? warps : 0;
  RowTraffic traffic = {};
  if (f.table.is_counted(index)) traffic = f.traffic[leader];
  set_traffic(c, traffic, kind.group, *f.function.source->instructions[index].form);
  cucore_cpu_trace_launch& launch = trace_.data;
  add(launch.totals, c);
  launch.classes[kind.group].warp_instructions += warps;
  launch.classes[kind.group].thread_instructions += threads;
  add_widths(*f.function.source->instructions[index].form, kind, traffic, warps);
  if (rows_) trace_.rows.push_back(row);
}

void Writer::add_widths(const ptx::Form& form, const InstructionKind& kind,
                        const RowTraffic& traffic, uint64_t warps) {
  const bool load = kind.group == CUCORE_CPU_CLASS_LOAD;
  if (kind.width == 0 || (!load && kind.group != CUCORE_CPU_CLASS_STORE)) return;
  auto& table = load ? trace_.data.loads : trace_.data.stores;
  const auto width = size_t(std::countr_zero(kind.width));
  if (width >= CUCORE_CPU_WIDTHS) return;
  table[CUCORE_CPU_SPACE_GLOBAL][width] += traffic.global.requests;
  table[CUCORE_CPU_SPACE_LOCAL][width] += traffic.local.requests;
  table[CUCORE_CPU_SPACE_SHARED][width] += traffic.shared.requests;
  if (form.space == ptx::Space::constant) table[CUCORE_CPU_SPACE_CONSTANT][width] += warps;
  if (form.space == ptx::Space::param) table[CUCORE_CPU_SPACE_PARAM][width] += warps;
}

void Writer::finish() {
  trace_.data.rows = trace_.rows.data();
  trace_.data.row_count = trace_.rows.size();
}

// In the order of the text; functions of other modules come last.
std::vector<const FunctionCounts*> sorted(const LaunchCounts& counts, const LaunchState& state) {
  std::vector<const FunctionCounts*> list;
  for (const auto& function : state.module->functions) {
    const auto found = counts.functions.find(function.get());
    if (function && found != counts.functions.end()) list.push_back(found->second.get());
  }
  for (const auto& [function, count] : counts.functions)
    if (function->module != state.module) list.push_back(count.get());
  return list;
}

}  // namespace

const char* LaunchTrace::text(std::string_view value) {
  return texts.emplace(value).first->c_str();
}

bool TraceCollector::admit() {
  std::lock_guard lock(mutex_);
  const bool admitted = admitted_ < options_.max_launches;
  ++(admitted ? admitted_ : dropped_);
  return admitted;
}

bool TraceCollector::wants_rows(std::string_view kernel) {
  if (!options_.rows || options_.row_launches == 0) return options_.rows;
  std::lock_guard lock(mutex_);
  uint64_t& launches = with_rows_[std::string(kernel)];
  return launches < options_.row_launches && ++launches != 0;
}

void TraceCollector::add(std::unique_ptr<LaunchTrace> launch) {
  std::lock_guard lock(mutex_);
  launches_.push_back(std::move(launch));
}

void TraceCollector::drop() {
  std::lock_guard lock(mutex_);
  ++dropped_;
}

std::unique_ptr<OwnedTrace> TraceCollector::take() {
  std::lock_guard lock(mutex_);
  auto trace = std::make_unique<OwnedTrace>();
  trace->owners = std::move(launches_);
  for (const auto& launch : trace->owners) trace->list.push_back(launch->data);
  trace->struct_size = sizeof(cucore_cpu_trace);
  trace->launch_size = sizeof(cucore_cpu_trace_launch);
  trace->row_size = sizeof(cucore_cpu_trace_row);
  trace->counts_size = sizeof(cucore_cpu_counts);
  trace->traffic_size = sizeof(cucore_cpu_traffic);
  trace->launch_count = trace->list.size();
  trace->launches = trace->list.data();
  trace->dropped = dropped_;
  trace->region_size = sizeof(cucore_cpu_trace_region);
  return trace;
}

bool start_trace(std::shared_ptr<TraceCollector> collector) {
  Running& r = running();
  std::lock_guard lock(r.mutex);
  if (r.collector) return false;
  r.collector = std::move(collector);
  r.any.store(true, std::memory_order_release);
  return true;
}

std::shared_ptr<TraceCollector> stop_trace() {
  Running& r = running();
  std::lock_guard lock(r.mutex);
  r.any.store(false, std::memory_order_release);
  return std::exchange(r.collector, nullptr);
}

std::shared_ptr<TraceCollector> collector_of(const Launch& launch) {
  if (launch.trace) return launch.trace->collector;
  Running& r = running();
  if (!r.any.load(std::memory_order_acquire)) return nullptr;
  std::lock_guard lock(r.mutex);
  return r.collector;
}

std::unique_ptr<LaunchCounts> begin_counts(const TraceCollector* collector, LaunchState& state) {
  if (!collector) return nullptr;
  auto counts = std::make_unique<LaunchCounts>();
  counts->footprint = collector->options().footprint || collector->options().cache_bytes != 0;
  if (const uint64_t bytes = collector->options().cache_bytes)
    counts->cache = std::make_unique<CacheModel>(bytes);
  counts->lanes = &handlers_for(simd_level()).lane_checks();
  counts->each = state.checks != nullptr;
  const TraceRequest* request = state.launch->trace;
  if (!request) return counts;
  counts->ghost = counts->each = true;
  const uint64_t blocks = request->max_blocks;
  const uint64_t clusters = blocks ? std::max<uint64_t>(1, blocks / state.cluster_size) : 0;
  counts->sample = spread(state.cluster_count, clusters);
  if (!counts->sample.empty()) state.cluster_count = counts->sample.size();
  state.budget = request->max_warp_instructions;
  state.budgets.instructions.setting = "max_warp_instructions";
  return counts;
}

std::unique_ptr<LaunchTrace> trace_of(const LaunchCounts& counts, const LaunchState& state,
                                      bool rows) {
  auto trace = std::make_unique<LaunchTrace>();
  cucore_cpu_trace_launch& data = trace->data;
  const Launch& launch = *state.launch;
  data.kernel = trace->text(state.kernel->function->source->name);
  std::copy_n(launch.grid, 3, data.grid);
  std::copy_n(launch.block, 3, data.block);
  std::copy_n(launch.cluster, 3, data.cluster);
  data.static_shared = state.kernel->static_bytes;
  data.dynamic_shared = launch.dynamic_shared;
  data.blocks_run = counts.blocks_run.load();
  data.result = state.fault ? state.fault->code : CUDA_SUCCESS;
  data.fault = trace->text(state.fault ? state.fault->text : "");
  data.has_footprint = counts.footprint;
  trace->regions = counts.sectors.regions();
  data.region_count = trace->regions.size();
  data.regions = trace->regions.data();
  for (const cucore_cpu_trace_region& region : trace->regions) {
    data.footprint_read += region.read;
    data.footprint_written += region.written;
    data.footprint_any += region.any;
  }
  if (counts.cache) {
    const CacheModel::Traffic traffic = counts.cache->traffic(counts.sectors);
    data.cache_loads = traffic.loads;
    data.cache_write_backs = traffic.write_backs;
  }
  Writer writer(counts, *trace, rows);
  for (const FunctionCounts* function : sorted(counts, state)) writer.function(*function);
  writer.finish();
  return trace;
}

}  // namespace cucore::cpu
