// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/modelled_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "perf/model/array_addresses.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::perf {
namespace {

// Of one run, so that a report does not take long.
constexpr uint64_t MOST_INSTRUCTIONS_OF_RUN = uint64_t{1} << 24;

// An unknown amount counts as 0 once something is added.
void add_amount(double& amount, double more) { amount = (std::isnan(amount) ? 0 : amount) + more; }

using ParameterValues = std::vector<std::vector<std::byte>>;

// Cuts a block of parameters into its parts.
ParameterValues unpacked(const LaunchEntry& entry, const std::vector<std::byte>& block,
                         size_t count) {
  ParameterValues values;
  for (size_t at = 0; at < count; ++at) {
    size_t offset = 0, size = 0;
    client::call("the model reads the parameters of a kernel", cucore_kernel_parameter_at,
                 entry.kernel.get(), at, entry.device.get(), &offset, &size);
    if (offset + size > block.size())
      throw Error(Status::INVALID_ARGUMENT, "its packed arguments are too short");
    values.emplace_back(block.begin() + static_cast<std::ptrdiff_t>(offset),
                        block.begin() + static_cast<std::ptrdiff_t>(offset + size));
  }
  return values;
}

// Returns what is known of the classes of the parameters.
std::vector<cucore_parameter_info> parameters_of(const LaunchEntry& entry, size_t count) {
  std::vector<cucore_parameter_info> infos(count, CUCORE_PARAMETER_INFO_INIT);
  size_t found = 0;
  if (count != 0 && cucore_kernel_parameters(entry.kernel.get(), entry.device.get(), infos.data(),
                                             count, &found, nullptr) != CUCORE_OK)
    infos.assign(count, CUCORE_PARAMETER_INFO_INIT);
  return infos;
}

// Replaces the addresses by those of the model.
void replace_addresses(ParameterValues& values, const std::vector<cucore_parameter_info>& infos) {
  std::vector<LaunchArray> arrays;
  std::vector<size_t> places;  // among the values
  for (size_t at = 0; at < values.size(); ++at) {
    const cucore_parameter_class type = infos[at].parameter_class;
    if (values[at].size() != sizeof(uint64_t)) continue;
    if (type != CUCORE_PARAMETER_CLASS_UNKNOWN && type != CUCORE_PARAMETER_CLASS_POINTER) continue;
    LaunchArray array;
    std::memcpy(&array.address, values[at].data(), sizeof array.address);
    if (!is_address(array.address)) continue;
    arrays.push_back(array);
    places.push_back(at);
  }
  const std::vector<uint64_t> addresses = modelled_addresses(arrays);
  for (size_t index = 0; index < places.size(); ++index)
    std::memcpy(values[places[index]].data(), &addresses[index], sizeof(uint64_t));
}

ParameterValues values_of(const LaunchEntry& entry, const ArgumentList& list,
                          const PtxFacts& facts) {
  const size_t count = facts.parameters.size();
  ParameterValues values =
      list.is_packed ? unpacked(entry, list.values.front(), count) : list.values;
  const bool fits =
      values.size() == count &&
      std::equal(values.begin(), values.end(), facts.parameters.begin(),
                 [](const auto& value, uint32_t size) { return value.size() == size; });
  if (!fits) throw Error(Status::INVALID_ARGUMENT, "the PTX of the kernel has other parameters");
  replace_addresses(values, parameters_of(entry, count));
  return values;
}

ModelledLaunch launch_of(const LaunchEntry& entry, const PtxFacts& facts) {
  ModelledLaunch launch;
  launch.ptx = *facts.text;
  launch.kernel = cucore_kernel_name(entry.kernel.get());
  std::copy_n(entry.geometry.grid, 3, launch.grid.begin());
  std::copy_n(entry.geometry.block, 3, launch.block.begin());
  std::copy_n(entry.geometry.cluster, 3, launch.cluster.begin());
  launch.dynamic_shared = entry.geometry.dynamic_shared;
  launch.most_instructions = MOST_INSTRUCTIONS_OF_RUN;
  launch.dependence = facts.dependence;
  return launch;
}

void add_modelled_bytes(ReportBytes& bytes, const LaunchModel& model, double calls) {
  add_amount(bytes.requested, calls * model.requested.total());
  add_amount(bytes.sector, calls * model.sectors.total());
  add_amount(bytes.compulsory, calls * model.compulsory.total());
  bytes.is_reuse_unknown |= model.source == ByteSource::UNKNOWN;
  bytes.is_lower_bound |= model.quality == ModelQuality::LOWER_BOUND;
  add_amount(bytes.read, calls * model.moved.read);
  add_amount(bytes.written, calls * model.moved.written);
}

// Takes what the row does not have from a better source.
void merge_bytes(ReportBytes& bytes, const ReportBytes& modelled) {
  for (const auto field : {&ReportBytes::requested, &ReportBytes::sector, &ReportBytes::compulsory})
    if (std::isnan(bytes.*field)) bytes.*field = modelled.*field;
  if (bytes.source != AmountSource::NONE) return;
  bytes.source = AmountSource::MODEL;
  bytes.is_reuse_unknown = modelled.is_reuse_unknown;
  bytes.is_lower_bound = modelled.is_lower_bound;
  if (bytes.is_reuse_unknown) return;
  bytes.read = modelled.read;
  bytes.written = modelled.written;
}

void add_modelled_operations(ReportOperations& operations, const LaunchModel& model, double calls) {
  constexpr std::pair<double ReportOperations::*, Unit> TYPES[] = {
      {&ReportOperations::f16, Unit::F16},
      {&ReportOperations::f32, Unit::F32},
      {&ReportOperations::f64, Unit::F64},
      {&ReportOperations::integer, Unit::INTEGER},
      {&ReportOperations::matrix, Unit::MATRIX}};
  for (const auto& [field, unit] : TYPES) {
    const double count = calls * model.operations[static_cast<size_t>(unit)];
    add_amount(operations.*field, count);
    add_amount(operations.total, count);
  }
}

void add_modelled_counters(KernelRow& row, const LaunchModel& model, double calls) {
  const auto add_to = [&](const char* name, double value) { row.counters[name] += calls * value; };
  add_to("model.instructions", model.thread_instructions);
  add_to("model.warp_instructions", model.warp_instructions);
  add_to("model.shared_wavefronts", model.shared_wavefronts);
  add_to("model.shared_bank_conflicts", model.shared_bank_conflicts);
  add_to("model.divergent_branches", model.divergent_branches);
  add_to("model.barriers", model.barriers);
  add_to("model.local_bytes", model.local_bytes);
}

std::string place_prefix(const Place& place) {
  if (place.line != 0) return concat(place.file, ":", place.line, ": ");
  return place.ptx_line != 0 ? concat("PTX line ", place.ptx_line, ": ") : std::string();
}

void add_note(KernelRow& row, const std::string& text) {
  if (!row.note.empty()) row.note += row.note.ends_with('.') ? " " : ". ";
  row.note += text;
}

std::string reason_of(const Error& error) {
  const auto* const failed = dynamic_cast<const client::CallFailed*>(&error);
  if (!failed || !failed->cause()) return error.message();
  return concat(error.message(), ": ", cucore_error_message(failed->cause()));
}

}  // namespace

double ModelledRows::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

LaunchModel ModelledRows::model_of(ModelledLaunch launch) const {
  launch.l2_bytes = l2_bytes_;
  LaunchModel model = model_launch(launch);
  if (model.source != ByteSource::UNKNOWN || use_ != ModelUse::REQUIRED) return model;
  launch.mode = ModelMode::FULL;
  return model_launch(launch);
}

std::vector<ModelledRows::Part> ModelledRows::parts_of(const LaunchEntry& entry,
                                                       const PtxFacts& facts,
                                                       CountedPlaces* places) const {
  std::vector<Part> parts;
  ModelledLaunch launch = launch_of(entry, facts);
  launch.observe = [&](const cucore_cpu_trace_launch& run, size_t row_size) {
    places->add(run, row_size, facts.sources);
  };
  for (const ArgumentList& list : entry.arguments.lists()) {
    if (seconds() > MOST_SECONDS) break;
    launch.parameters = values_of(entry, list, facts);
    parts.push_back({model_of(launch), static_cast<double>(list.calls)});
    launch.observe = {};  // the first arguments have the places
  }
  if (parts.empty())
    throw Error(Status::UNSUPPORTED, concat("the models of other kernels took the ", MOST_SECONDS,
                                            " s that a report has for them"));
  return parts;
}

// Adds the models of all calls to the row.
void ModelledRows::add_parts(KernelRow& row, const LaunchEntry& entry, const PtxFacts& facts) {
  const bool lacks_operations = row.operations.source == AmountSource::NONE;
  ReportBytes bytes;
  CountedPlaces places;
  const std::vector<Part> parts = parts_of(entry, facts, &places);
  if (row.counted_places.empty()) row.counted_places = places.of(row.name);
  double modelled = 0, requests = 0, sectors = 0;
  for (const Part& part : parts) modelled += part.calls;
  const auto calls = static_cast<double>(row.calls);
  const LaunchModel* bounded = nullptr;
  for (const Part& part : parts) {
    const double scaled = part.calls * calls / modelled;
    add_modelled_bytes(bytes, part.model, scaled);
    if (lacks_operations) add_modelled_operations(row.operations, part.model, scaled);
    add_modelled_counters(row, part.model, scaled);
    requests += scaled * part.model.requests;
    sectors += scaled * part.model.sectors_of_requests;
    if (part.model.quality == ModelQuality::LOWER_BOUND && !bounded) bounded = &part.model;
  }
  merge_bytes(row.bytes, bytes);
  if (requests > 0 && std::isnan(row.sectors_per_request))
    row.sectors_per_request = sectors / requests;
  if (lacks_operations) row.operations.source = AmountSource::MODEL;
  if (bounded)
    add_note(row, concat("The model is a lower bound: ",
                         facts.dependence ? place_prefix(facts.dependence_place) : std::string(),
                         bounded->reason, "."));
  if (const auto all = static_cast<double>(entry.arguments.calls()); modelled < all)
    add_note(row, concat("The model has the arguments of ",
                         std::llround(modelled / all * static_cast<double>(entry.calls)), " of ",
                         entry.calls, " calls."));
}

void ModelledRows::add_to(KernelRow& row, const LaunchEntry& entry) {
  if (use_ == ModelUse::OFF) return;
  const bool lacks_amounts =
      row.bytes.source == AmountSource::NONE || row.operations.source == AmountSource::NONE;
  const bool needs_model = lacks_amounts && !entry.arguments.lists().empty();
  if (!needs_model && seconds() > MOST_SECONDS) return;
  try {
    const KernelPtx::Found found = ptx_.find(entry);
    row.places = found.places;
    if (needs_model) add_parts(row, entry, *found.facts);
  } catch (const Error& error) {
    if (error.status() == Status::OUT_OF_MEMORY) throw;
    if (!needs_model) return;
    const std::string reason = reason_of(error);
    add_note(row, concat("No model: ", reason, "."));
    if (use_ == ModelUse::REQUIRED)
      missing_.push_back({"model", concat(row.name, ": ", reason, "."),
                          "Declare bytes and operations with cucore_profiler_declare()."});
  }
}

}  // namespace cucore::perf
