// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "perf/capi/guard.hpp"
#include "perf/capi/handles.hpp"
#include "perf/measure/device.hpp"
#include "perf/model/array_addresses.hpp"
#include "perf/model/launch_model.hpp"
#include "support/concat.hpp"
#include "support/options.hpp"
#include "support/require.hpp"

using namespace cucore;
using namespace cucore::perf;

namespace {

constexpr size_t FIRST_MODEL_INFO = sizeof(cucore_model_info);
constexpr size_t FIRST_LAUNCH_OPTIONS = offsetof(cucore_launch_options, preferred_cluster);

static_assert(CUCORE_MODEL_MODE_FULL == static_cast<int>(ModelMode::FULL));
static_assert(CUCORE_MODEL_QUALITY_LOWER_BOUND == static_cast<int>(ModelQuality::LOWER_BOUND));
static_assert(CUCORE_MODEL_SOURCE_CACHE == static_cast<int>(ByteSource::CACHE));
static_assert(CUCORE_MODEL_BOUND_MATRIX == static_cast<int>(ModelBound::MATRIX));

bool is_buffer(const cucore_argument& argument) { return argument.size == CUCORE_ARGUMENT_OBJECT; }

// The buffers of a launch, in the order of its arguments.
std::vector<LaunchArray> arrays_of(std::span<const cucore_argument> arguments) {
  std::vector<LaunchArray> arrays;
  for (const cucore_argument& argument : arguments) {
    if (!is_buffer(argument)) continue;
    const auto* const buffer = static_cast<const cucore_buffer*>(argument.data);
    arrays.emplace_back();
    if (!buffer) continue;
    client::created<DeviceOwner>("the model reads an argument", cucore_buffer_device, buffer);
    arrays.back() = {cucore_buffer_address(buffer), cucore_buffer_size(buffer)};
  }
  return arrays;
}

std::array<uint32_t, 3> extent_of(const uint32_t (&given)[3], const char* field) {
  if (given[0] == 0 && field)
    throw Error(Status::INVALID_ARGUMENT,
                concat("cucore_launch_options.", field, "[0] is 0; expected at least 1"));
  if (given[0] == 0 && given[1] == 0 && given[2] == 0) return {};
  return {std::max(given[0], 1U), std::max(given[1], 1U), std::max(given[2], 1U)};
}

std::vector<std::vector<std::byte>> parameters_of(const PtxFacts& facts,
                                                  std::span<const cucore_argument> arguments) {
  if (arguments.size() != facts.parameters.size())
    throw Error(Status::INVALID_ARGUMENT, concat("count is ", arguments.size(), "; expected ",
                                                 facts.parameters.size(), ", one per parameter"));
  const std::vector<uint64_t> addresses = modelled_addresses(arrays_of(arguments));
  auto address = addresses.begin();
  std::vector<std::vector<std::byte>> parameters;
  for (size_t at = 0; at < arguments.size(); ++at) {
    const size_t size = is_buffer(arguments[at]) ? sizeof(uint64_t) : arguments[at].size;
    if (size != facts.parameters[at])
      throw Error(Status::INVALID_ARGUMENT, concat("arguments[", at, "] has ", size,
                                                   " bytes; expected ", facts.parameters[at]));
    std::vector<std::byte> bytes(size);
    if (is_buffer(arguments[at])) {
      std::memcpy(bytes.data(), &*address++, sizeof(uint64_t));
    } else if (size != 0) {
      require(arguments[at].data, concat("arguments[", at, "].data").c_str());
      std::memcpy(bytes.data(), arguments[at].data, size);
    }
    parameters.push_back(std::move(bytes));
  }
  return parameters;
}

// The PTX of the kernel, in its own image or in another one of the code.
const PtxFacts& ptx_of(const Analysis& analysis, const Kernel& kernel) {
  if (kernel.ptx) return *kernel.ptx;
  for (const Kernel& other : analysis.kernels())
    if (other.name == kernel.name && other.ptx) return *other.ptx;
  throw Error(Status::NOT_FOUND,
              concat("the code of ", kernel.name,
                     " does not contain its PTX; compile with line information"));
}

double or_nan(const std::optional<double>& value) {
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

void write_bytes(cucore_model_info& info, const LaunchModel& model) {
  info.requested_read = model.requested.read;
  info.requested_written = model.requested.written;
  info.sector_read = model.sectors.read;
  info.sector_written = model.sectors.written;
  info.compulsory_read = model.compulsory.read;
  info.compulsory_written = model.compulsory.written;
  const bool is_known = model.source != ByteSource::UNKNOWN;
  info.bytes_read = or_nan(is_known ? std::optional(model.moved.read) : std::nullopt);
  info.bytes_written = or_nan(is_known ? std::optional(model.moved.written) : std::nullopt);
}

void write_operations(cucore_model_info& info, const LaunchModel& model) {
  const auto of = [&](Unit unit) { return model.operations[static_cast<size_t>(unit)]; };
  info.operations_f16 = of(Unit::F16);
  info.operations_f32 = of(Unit::F32);
  info.operations_f64 = of(Unit::F64);
  info.operations_integer = of(Unit::INTEGER);
  info.operations_matrix = of(Unit::MATRIX);
  info.intensity = or_nan(model.intensity());
  info.warp_instructions = model.warp_instructions;
  info.thread_instructions = model.thread_instructions;
  info.divergent_branches = model.divergent_branches;
  info.barriers = model.barriers;
  info.shared_wavefronts = model.shared_wavefronts;
  info.shared_bank_conflicts = model.shared_bank_conflicts;
  info.local_bytes = model.local_bytes;
}

void write_prediction(cucore_model_info& info, const LaunchModel& model, const Roof* roof,
                      const Datasheet* sheet) {
  info.device = "";
  info.least_seconds = or_nan(std::nullopt);
  info.is_measured = roof != nullptr;
  if (!roof && !sheet) return;
  const Prediction prediction = roof ? predict(model, *roof) : predict(model, *sheet);
  info.device = roof ? roof->machine.device.c_str() : sheet->device;
  info.least_seconds = prediction.seconds;
  info.bound = static_cast<cucore_model_bound>(prediction.bound);
}

cucore_model_info info_of(const LaunchModel& model, const PtxFacts& facts, const Roof* roof,
                          const Datasheet* sheet) {
  cucore_model_info info{};
  info.quality = static_cast<cucore_model_quality>(model.quality);
  info.source = static_cast<cucore_model_source>(model.source);
  info.reason = model.reason;
  info.file = "";
  if (facts.dependence) {
    info.file = facts.dependence_place.file.c_str();
    info.line = facts.dependence_place.line;
    info.ptx_line = facts.dependence_place.ptx_line;
  }
  info.blocks = model.blocks;
  info.blocks_run = model.blocks_run;
  write_bytes(info, model);
  write_operations(info, model);
  write_prediction(info, model, roof, sheet);
  return info;
}

}  // namespace

extern "C" {

CUCORE_PERF_API cucore_status cucore_analysis_model(const cucore_analysis* analysis, size_t kernel,
                                                    const cucore_launch_options* launch,
                                                    const cucore_argument* arguments, size_t count,
                                                    cucore_model_info* out, cucore_error** error) {
  return guard(error, [&] {
    clear_info(require(out, "out"), FIRST_MODEL_INFO);
    const Analysis& self = use(analysis, "analysis");
    if (kernel >= self.kernels().size())
      throw Error(Status::INVALID_ARGUMENT,
                  concat("kernel is ", kernel, "; expected less than ", self.kernels().size()));
    const Kernel& modelled = self.kernels()[kernel];
    const auto given =
        read_options(require(launch, "launch"), FIRST_LAUNCH_OPTIONS, "cucore_launch_options");
    const PtxFacts& facts = ptx_of(self, modelled);
    const Datasheet* const sheet = find_datasheet(self.model_arch(modelled));
    ModelledLaunch input;
    input.ptx = *facts.text;
    input.kernel = modelled.name;
    input.grid = extent_of(given.grid, "grid");
    input.block = extent_of(given.block, "block");
    input.cluster = extent_of(given.cluster, nullptr);
    input.dynamic_shared = given.dynamic_shared;
    input.parameters = parameters_of(facts, require_array(arguments, count, "arguments"));
    input.l2_bytes = sheet ? sheet->l2_bytes : 0;
    input.mode = self.model_mode();
    input.dependence = facts.dependence;
    write_info(out, info_of(model_launch(input), facts, self.roof(), sheet), FIRST_MODEL_INFO,
               "cucore_model_info");
  });
}

}  // extern "C"
