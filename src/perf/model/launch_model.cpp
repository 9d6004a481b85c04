// SPDX-License-Identifier: Apache-2.0
#include "perf/model/launch_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "perf/model/cpu_device.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"
#include "support/extent.hpp"

namespace cucore::perf {
namespace {

constexpr double SECTOR = 32;
constexpr uint64_t SAMPLE = 64;       // blocks
constexpr double SAME_TRAFFIC = 1.5;  // of sectors to different sectors
// Of a whole launch, which then takes about two seconds of a processor.
constexpr double MOST_INSTRUCTIONS = 5e7;
// Results of CUDA that the launches have.
constexpr int SUCCESS = 0, INVALID_VALUE = 1, NOT_FOUND = 500, TIMEOUT = 702, NOT_SUPPORTED = 801;

constexpr const char* NO_END = "the launch without memory has too many instructions";
constexpr const char* NOT_COUNTED =
    "accesses of wgmma, st.async or red.async to shared memory are not counted";

// The result of one run.
class Run {
 public:
  Run(const ModelledLaunch& launch, uint64_t most_blocks, double cache_bytes, bool has_rows = false)
      : table_(cpu_control_table()),
        trace_(table_, start(launch, most_blocks, cache_bytes, has_rows)) {}

  const cucore_cpu_trace_launch& counts() const { return trace_.launch(); }
  bool is_complete() const { return counts().result == SUCCESS; }
  size_t row_size() const { return trace_.row_size(); }

 private:
  cucore_cpu_trace* start(const ModelledLaunch& launch, uint64_t most_blocks, double cache_bytes,
                          bool has_rows) const {
    cucore_cpu_trace_shape shape{};
    shape.struct_size = sizeof shape;
    std::ranges::copy(launch.grid, shape.grid);
    std::ranges::copy(launch.block, shape.block);
    std::ranges::copy(launch.cluster, shape.cluster);
    shape.dynamic_shared = launch.dynamic_shared;
    cucore_cpu_trace_options options{};
    options.struct_size = sizeof options;
    options.footprint = 1;
    options.totals_only = !has_rows;
    options.max_warp_instructions = launch.most_instructions;
    options.max_blocks = most_blocks;
    options.cache_bytes = static_cast<uint64_t>(cache_bytes);
    std::vector<void*> parameters;
    for (const auto& each : launch.parameters)
      parameters.push_back(const_cast<std::byte*>(each.data()));
    cucore_cpu_trace* trace = nullptr;
    const int result =
        table_.trace_launch(launch.ptx.data(), launch.ptx.size(), launch.kernel.c_str(), &shape,
                            parameters.data(), &options, &trace);
    if (result != SUCCESS) refuse(launch, result);
    const auto& made = trace->launches[0];
    // Zeros in place of loaded values may lead the kernel to a trap.
    const bool may_fail = launch.dependence && made.result != NOT_SUPPORTED;
    if (made.result == SUCCESS || made.result == TIMEOUT || may_fail) return trace;
    const CpuTrace owner(table_, trace);
    fail(launch, made);
  }

  [[noreturn]] void refuse(const ModelledLaunch& launch, int result) const {
    const std::string log = last_load_log(table_);
    if (result == NOT_FOUND)
      throw Error(Status::NOT_FOUND, concat("the PTX has no kernel ", launch.kernel));
    if (result == INVALID_VALUE)
      throw Error(Status::INVALID_ARGUMENT,
                  concat("the launch of ", launch.kernel,
                         " does not fit the kernel; expected a grid and a block within the limits "
                         "of the kernel and of its architecture"));
    throw Error(Status::INVALID_CODE, concat("the PTX of ", launch.kernel, " cannot be run"), log,
                {"cuda", result, ""});
  }

  [[noreturn]] static void fail(const ModelledLaunch& launch, const cucore_cpu_trace_launch& made) {
    const bool needs_memory = made.result == NOT_SUPPORTED;
    throw Error(needs_memory ? Status::UNSUPPORTED : Status::KERNEL_FAULT,
                concat("the launch of ", launch.kernel, " without memory fails: ", made.fault), {},
                {"cuda", made.result, ""});
  }

  const CpuControlTable& table_;
  CpuTrace trace_;
};

// A count of all blocks, from those of the run. The first and the last blocks count once, and the
// others stand for the blocks between them.
class Scale {
 public:
  Scale() = default;
  Scale(const Run& all, const Run* edges)
      : all_(&all.counts()), edges_(edges ? &edges->counts() : nullptr) {
    if (!edges_) return;
    const auto blocks = static_cast<double>(product_of(all_->grid));
    const auto run = static_cast<double>(all_->blocks_run);
    const auto outer = static_cast<double>(edges_->blocks_run);
    factor_ = run > outer ? (blocks - outer) / (run - outer) : 0;
  }

  template <class Field>
  double of(Field field) const {
    const auto all = static_cast<double>(field(*all_));
    if (!edges_) return all;
    const auto outer = static_cast<double>(field(*edges_));
    return outer + (all - outer) * factor_;
  }

  // The different sectors of one region. Those of the whole launch lie between the addresses of the
  // sample.
  double of(const cucore_cpu_trace_region& region, uint64_t cucore_cpu_trace_region::*count) const {
    const auto all = static_cast<double>(region.*count);
    if (!edges_) return all;
    double outer = 0;
    for (const auto& each : std::span(edges_->regions, edges_->region_count))
      if (each.first >= region.first && each.end <= region.end)
        outer += static_cast<double>(each.*count);
    const double most = static_cast<double>(region.end - region.first) / SECTOR;
    return std::min(outer + (all - outer) * factor_, most);
  }

  double compulsory(uint64_t cucore_cpu_trace_region::*count) const {
    double sum = 0;
    for (const auto& region : std::span(all_->regions, all_->region_count))
      sum += of(region, count);
    return sum * SECTOR;
  }

 private:
  const cucore_cpu_trace_launch* all_ = nullptr;
  const cucore_cpu_trace_launch* edges_ = nullptr;
  double factor_ = 1;
};

using Launch = cucore_cpu_trace_launch;

double traffic(const Scale& scale, cucore_cpu_traffic cucore_cpu_counts::*which,
               uint64_t cucore_cpu_traffic::*field) {
  return scale.of([=](const Launch& launch) { return launch.totals.*which.*field; });
}

double total(const Scale& scale, uint64_t cucore_cpu_counts::*field) {
  return scale.of([=](const Launch& launch) { return launch.totals.*field; });
}

// The order of kernel_trace.hpp.
constexpr std::array<std::pair<cucore_cpu_operation_type, Unit>, UNITS> UNIT_OF_TYPE{
    {{CUCORE_CPU_OPERATION_F16, Unit::F16},
     {CUCORE_CPU_OPERATION_F32, Unit::F32},
     {CUCORE_CPU_OPERATION_F64, Unit::F64},
     {CUCORE_CPU_OPERATION_INTEGER, Unit::INTEGER},
     {CUCORE_CPU_OPERATION_MATRIX, Unit::MATRIX}}};

void fill(LaunchModel& model, const Scale& scale) {
  using Counts = cucore_cpu_counts;
  using Traffic = cucore_cpu_traffic;
  const double atomic_bytes = traffic(scale, &Counts::global_atomic, &Traffic::bytes);
  const double atomic_sectors = traffic(scale, &Counts::global_atomic, &Traffic::sectors) * SECTOR;
  model.requested = {traffic(scale, &Counts::global_load, &Traffic::bytes) + atomic_bytes,
                     traffic(scale, &Counts::global_store, &Traffic::bytes) + atomic_bytes};
  model.sectors = {
      traffic(scale, &Counts::global_load, &Traffic::sectors) * SECTOR + atomic_sectors,
      traffic(scale, &Counts::global_store, &Traffic::sectors) * SECTOR + atomic_sectors};
  for (const auto which : {&Counts::global_load, &Counts::global_store}) {
    model.requests += traffic(scale, which, &Traffic::requests);
    model.sectors_of_requests += traffic(scale, which, &Traffic::sectors);
  }
  model.compulsory = {scale.compulsory(&cucore_cpu_trace_region::read),
                      scale.compulsory(&cucore_cpu_trace_region::written)};
  for (const auto& [type, unit] : UNIT_OF_TYPE)
    model.operations[static_cast<size_t>(unit)] =
        scale.of([type = type](const Launch& launch) { return launch.totals.operations[type]; });
  model.warp_instructions = total(scale, &Counts::warp_instructions);
  model.thread_instructions = total(scale, &Counts::thread_instructions);
  model.divergent_branches = total(scale, &Counts::divergent_branches);
  model.barriers = total(scale, &Counts::barriers);
  for (const auto which : {&Counts::shared_load, &Counts::shared_store, &Counts::shared_atomic}) {
    model.shared_wavefronts += traffic(scale, which, &Traffic::wavefronts);
    model.shared_bank_conflicts += traffic(scale, which, &Traffic::bank_conflicts);
  }
  for (const auto which : {&Counts::local_load, &Counts::local_store})
    model.local_bytes += traffic(scale, which, &Traffic::sectors) * SECTOR;
}

// Selects the bytes between the L2 cache and memory, which lie between the different sectors and
// all sectors.
void choose_bytes(LaunchModel& model, double l2_bytes) {
  const bool close = model.sectors.total() <= SAME_TRAFFIC * model.compulsory.total();
  const bool fits = l2_bytes > 0 && model.compulsory.total() <= l2_bytes;
  if (!close && !fits) return;
  model.source = ByteSource::COMPULSORY;
  model.moved = model.compulsory;
}

void use_cache(LaunchModel& model, const Run& run) {
  model.source = ByteSource::CACHE;
  const auto loads = static_cast<double>(run.counts().cache_loads) * SECTOR;
  const auto write_backs = static_cast<double>(run.counts().cache_write_backs) * SECTOR;
  // A store of a part of the lines is an estimate, which cannot leave these bounds.
  model.moved = {std::min(loads, model.sectors.read), std::min(write_backs, model.sectors.written)};
}

void set_lower_bound(LaunchModel& model, const char* reason) {
  model.quality = ModelQuality::LOWER_BOUND;
  model.reason = reason;
}

// Runs a sample, and the first and last of its blocks alone.
LaunchModel model_sample(const ModelledLaunch& launch, uint64_t blocks) {
  const uint64_t unit = product_of(launch.cluster);
  const Run run(launch, std::max(SAMPLE, unit), 0, launch.observe != nullptr);
  if (launch.observe) launch.observe(run.counts(), run.row_size());
  LaunchModel model;
  model.blocks_run = run.counts().blocks_run;
  const bool is_sample = run.is_complete() && model.blocks_run < blocks;
  std::optional<Run> edges;
  if (is_sample && model.blocks_run > 2 * unit) edges.emplace(launch, 2 * unit, 0);
  if (is_sample) model.quality = ModelQuality::SCALED;
  fill(model, Scale(run, edges ? &*edges : nullptr));
  if (run.counts().totals.other_accesses != 0) set_lower_bound(model, NOT_COUNTED);
  if (!run.is_complete() || (edges && !edges->is_complete())) set_lower_bound(model, NO_END);
  return model;
}

}  // namespace

double LaunchModel::floating_point() const {
  double sum = 0;
  for (size_t at = 0; at < UNITS; ++at)
    if (at != static_cast<size_t>(Unit::INTEGER)) sum += operations[at];
  return sum;
}

std::optional<double> LaunchModel::intensity() const {
  if (source == ByteSource::UNKNOWN || moved.total() == 0) return std::nullopt;
  const double real = floating_point();
  const double done = real != 0 ? real : operations[static_cast<size_t>(Unit::INTEGER)];
  return done / moved.total();
}

namespace {

const Moved& least_moved(const LaunchModel& model) {
  return model.source == ByteSource::UNKNOWN ? model.compulsory : model.moved;
}

// Unknown at a rate that is 0, or so low that the time is beyond all numbers.
double seconds_at(double amount, double rate) {
  const double seconds = amount / rate;
  return std::isfinite(seconds) ? seconds : std::numeric_limits<double>::quiet_NaN();
}

Prediction slowest(const LaunchModel& model, double bytes_per_second,
                   const std::array<double, UNITS>& operations_per_second) {
  const double total = least_moved(model).total();
  Prediction longest{ModelBound::MEMORY, total > 0 ? seconds_at(total, bytes_per_second) : 0};
  for (size_t at = 0; at < UNITS; ++at) {
    const double seconds = seconds_at(model.operations[at], operations_per_second[at]);
    if (seconds > longest.seconds)
      longest = {static_cast<ModelBound>(static_cast<int32_t>(ModelBound::F16) + int32_t(at)),
                 seconds};
  }
  return longest;
}

}  // namespace

Prediction predict(const LaunchModel& model, const Datasheet& sheet) {
  return slowest(model, sheet.bytes_per_second, sheet.operations_per_second);
}

Prediction predict(const LaunchModel& model, const Roof& roof) {
  const Moved& moved = least_moved(model);
  const RoofKind memory = moved.written == 0 ? RoofKind::READ
                          : moved.read == 0  ? RoofKind::WRITE
                                             : RoofKind::COPY;
  return slowest(model, roof.value(memory),
                 {roof.value(RoofKind::F16), roof.value(RoofKind::F32), roof.value(RoofKind::F64),
                  roof.value(RoofKind::INTEGER), roof.value(RoofKind::MATRIX_F16)});
}

LaunchModel model_launch(const ModelledLaunch& launch) {
  const uint64_t blocks = product_of(launch.grid);
  LaunchModel model = model_sample(launch, blocks);
  const bool ends = model.reason != NO_END;
  if (launch.mode == ModelMode::FULL && ends && model.warp_instructions <= MOST_INSTRUCTIONS) {
    const Run run(launch, 0, launch.l2_bytes);
    const char* const reason = model.reason;
    model = {};
    model.blocks_run = run.counts().blocks_run;
    fill(model, Scale(run, nullptr));
    if (*reason) set_lower_bound(model, reason);
    if (!run.is_complete()) set_lower_bound(model, NO_END);
    if (launch.l2_bytes > 0) use_cache(model, run);
  }
  model.blocks = blocks;
  if (model.source == ByteSource::UNKNOWN) choose_bytes(model, launch.l2_bytes);
  if (launch.dependence) set_lower_bound(model, launch.dependence);
  return model;
}

}  // namespace cucore::perf
