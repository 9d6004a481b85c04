// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/cpu_counts.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <unordered_map>

#include "client/native.hpp"
#include "perf/profile/counted_places.hpp"
#include "perf/profile/launch_table.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::perf {

// The head of the control table of the CPU device. Its layout is fixed.
struct CpuTraceTable {
  size_t size;
  void* other_functions[13];
  int (*trace_begin)(const cucore_cpu_trace_options* options);
  int (*trace_end)(cucore_cpu_trace** trace);
  void (*trace_free)(cucore_cpu_trace* trace);
};

namespace {

constexpr unsigned char TABLE_ID[16] = {'c', 'u', 'c', 'o', 'r', 'e', '-', 'c',
                                        'p', 'u', '-', 'c', 't', 'l', '-', '1'};
constexpr int ILLEGAL_STATE = 401;    // CUDA_ERROR_ILLEGAL_STATE
constexpr double SECTOR = 32;         // bytes
constexpr uint64_t ROW_LAUNCHES = 2;  // of each kernel, whose instructions are counted one by one

[[noreturn]] void throw_unsupported() {
  throw Error(Status::UNSUPPORTED,
              "the driver in use does not count what kernels do; the source EMULATED needs the CPU "
              "device (CUCORE_DRIVER=cpu)");
}

const CpuTraceTable& find_table() {
  void* symbol = nullptr;
  client::call("the profiler looks for the counters of the CPU device", cucore_library_symbol,
               CUCORE_LIBRARY_DRIVER, "cuGetExportTable", &symbol);
  const auto get = reinterpret_cast<int (*)(const void**, const void*)>(symbol);
  const void* table = nullptr;
  if (get(&table, TABLE_ID) != 0 || !table) throw_unsupported();
  const auto* found = static_cast<const CpuTraceTable*>(table);
  if (found->size < sizeof(CpuTraceTable)) throw_unsupported();
  return *found;
}

LaunchGeometry geometry_of(const cucore_cpu_trace_launch& launch) {
  LaunchGeometry geometry;
  std::copy_n(launch.grid, 3, geometry.grid);
  std::copy_n(launch.block, 3, geometry.block);
  const bool has_cluster = launch.cluster[0] * launch.cluster[1] * launch.cluster[2] > 1;
  if (has_cluster) std::copy_n(launch.cluster, 3, geometry.cluster);
  geometry.dynamic_shared = launch.dynamic_shared;
  return geometry;
}

// An unknown amount counts as 0 once something is added.
void add(double& amount, double more) { amount = (std::isnan(amount) ? 0 : amount) + more; }

// The names of the counters are permanent.
void add_counters(std::map<std::string, double>& counters, const cucore_cpu_counts& counts) {
  const auto add_to = [&](const char* name, uint64_t value) {
    counters[name] += static_cast<double>(value);
  };
  add_to("cpu.instructions", counts.thread_instructions);
  add_to("cpu.warp_instructions", counts.warp_instructions);
  add_to("cpu.global_load_requests", counts.global_load.requests);
  add_to("cpu.global_load_sectors", counts.global_load.sectors);
  add_to("cpu.global_store_requests", counts.global_store.requests);
  add_to("cpu.global_store_sectors", counts.global_store.sectors);
  add_to("cpu.shared_load_wavefronts", counts.shared_load.wavefronts);
  add_to("cpu.shared_load_bank_conflicts", counts.shared_load.bank_conflicts);
  add_to("cpu.shared_store_wavefronts", counts.shared_store.wavefronts);
  add_to("cpu.shared_store_bank_conflicts", counts.shared_store.bank_conflicts);
  add_to("cpu.atomic_sectors", counts.global_atomic.sectors);
  add_to("cpu.divergent_branches", counts.divergent_branches);
  add_to("cpu.barriers", counts.barriers);
  add_to("cpu.barrier_imbalance", counts.barrier_imbalance);
  add_to("cpu.local_bytes", counts.local_load.bytes + counts.local_store.bytes);
  add_to("cpu.other_accesses", counts.other_accesses);
}

void add_operations(ReportOperations& operations, const cucore_cpu_counts& counts) {
  double ReportOperations::*const FIELDS[CUCORE_CPU_OPERATION_TYPES] = {
      &ReportOperations::f16, &ReportOperations::f32, &ReportOperations::f64,
      &ReportOperations::integer, &ReportOperations::matrix};
  for (int type = 0; type < CUCORE_CPU_OPERATION_TYPES; ++type) {
    const auto count = static_cast<double>(counts.operations[type]);
    add(operations.*FIELDS[type], count);
    add(operations.total, count);
  }
  operations.source = AmountSource::COUNTER;
}

// An atomic operation reads and writes its sectors.
void add_bytes(ReportBytes& bytes, const cucore_cpu_counts& counts) {
  const double atomic = SECTOR * static_cast<double>(counts.global_atomic.sectors);
  const double loads = SECTOR * static_cast<double>(counts.global_load.sectors);
  const double stores = SECTOR * static_cast<double>(counts.global_store.sectors);
  add(bytes.read, loads + atomic);
  add(bytes.written, stores + atomic);
  add(bytes.sector, loads + stores + atomic);
  add(bytes.requested, static_cast<double>(counts.global_load.bytes + counts.global_store.bytes +
                                           counts.global_atomic.bytes));
  bytes.source = AmountSource::COUNTER;
}

void set_sectors_per_request(KernelRow& row) {
  const auto of = [&](const char* name) { return row.counters[name]; };
  const double requests = of("cpu.global_load_requests") + of("cpu.global_store_requests");
  const double sectors = of("cpu.global_load_sectors") + of("cpu.global_store_sectors");
  row.sectors_per_request = requests > 0 ? sectors / requests : UNKNOWN;
}

using CountedRows = std::unordered_map<NamedLaunch, size_t, NamedLaunch::Hash>;

KernelRow& row_of(std::vector<KernelRow>& rows, CountedRows& indices,
                  const cucore_cpu_trace_launch& launch) {
  const NamedLaunch named{launch.kernel, geometry_of(launch)};
  const auto [found, is_new] = indices.try_emplace(named, rows.size());
  if (is_new) {
    KernelRow& row = rows.emplace_back();
    row.name = named.name;
    row.geometry = named.geometry;
  }
  return rows[found->second];
}

}  // namespace

void add_counts(KernelRow& row, const cucore_cpu_counts& counts) {
  add_counters(row.counters, counts);
  add_operations(row.operations, counts);
  add_bytes(row.bytes, counts);
  set_sectors_per_request(row);
}

std::unique_ptr<CpuCounts> CpuCounts::begin(uint32_t max_launches, bool wants_sectors) {
  const CpuTraceTable& table = find_table();
  cucore_cpu_trace_options options{};
  options.struct_size = sizeof options;
  options.max_launches = max_launches;
  options.row_launches = ROW_LAUNCHES;
  options.footprint = wants_sectors;
  const int result = table.trace_begin(&options);
  if (result == ILLEGAL_STATE)
    throw Error(Status::INVALID_STATE,
                "the CPU device counts for another profiler already; end its session first");
  if (result != 0)
    throw Error(Status::CUDA, concat("the CPU device cannot count launches: error ", result));
  return std::unique_ptr<CpuCounts>(new CpuCounts(table));
}

std::vector<KernelRow> CpuCounts::end(uint64_t& dropped) {
  cucore_cpu_trace* trace = nullptr;
  is_running_ = false;
  if (const int result = table_.trace_end(&trace); result != 0)
    throw Error(Status::CUDA, concat("the CPU device lost its counts: error ", result));
  const std::unique_ptr<cucore_cpu_trace, void (*)(cucore_cpu_trace*)> owner(trace,
                                                                             table_.trace_free);
  dropped = trace->dropped;
  std::vector<KernelRow> rows;
  CountedRows indices;
  CountedPlaces places;
  const auto* bytes = reinterpret_cast<const char*>(trace->launches);
  for (size_t i = 0; i < trace->launch_count; ++i) {
    const auto& launch =
        *reinterpret_cast<const cucore_cpu_trace_launch*>(bytes + i * trace->launch_size);
    KernelRow& row = row_of(rows, indices, launch);
    if (launch.result != 0) {
      ++row.failed;
      continue;
    }
    ++row.calls;
    add_counts(row, launch.totals);
    places.add(launch, trace->row_size);
    if (launch.has_footprint)
      add(row.bytes.compulsory,
          SECTOR * static_cast<double>(launch.footprint_read + launch.footprint_written));
  }
  for (KernelRow& row : rows) row.counted_places = places.of(row.name);
  return rows;
}

CpuCounts::~CpuCounts() {
  cucore_cpu_trace* trace = nullptr;
  if (is_running_ && table_.trace_end(&trace) == 0) table_.trace_free(trace);
}

}  // namespace cucore::perf
