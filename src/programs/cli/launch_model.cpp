// SPDX-License-Identifier: Apache-2.0
#include "launch_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "failure.hpp"
#include "support/counted.hpp"

namespace cucore::cli {
namespace {

constexpr const char* FORM = "write grid=X[,Y[,Z]],block=X[,Y[,Z]][,cluster=X[,Y[,Z]]][,shared=N]";

// Splits "grid=4,4,block=32" into {"grid", "4,4"} and {"block", "32"}.
std::vector<std::pair<std::string, std::string>> parts_of_launch(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> parts;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::size_t equals = word.find('=');
    if (equals != word.npos)
      parts.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    else if (!parts.empty())
      parts.back().second.append(",").append(word);
    else
      throw usage(fmt::format("--launch {}: no '='; {}", word, FORM));
  }
  return parts;
}

// An array has an address of its own, and needs no content.
Argument parse_modelled_argument(const std::string& text) {
  if (text != "buf" && !text.starts_with("buf:")) return parse_argument(text);
  Argument argument;
  argument.is_array = true;
  return argument;
}

std::string kernel_name_at(const cucore_analysis* analysis, std::size_t index) {
  cucore_analysis_info info = CUCORE_ANALYSIS_INFO_INIT;
  call(cucore_analysis_kernel_at, analysis, index, &info);
  return info.name;
}

// Whole numbers are written as such.
Json number_json(double value) {
  constexpr double LARGEST = 9007199254740992;  // 2^53
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::abs(value) < LARGEST)
    return static_cast<std::int64_t>(value);
  return value;
}

const char* quality_name(cucore_model_quality quality) {
  if (quality == CUCORE_MODEL_QUALITY_EXACT) return "exact";
  return quality == CUCORE_MODEL_QUALITY_SCALED ? "scaled" : "lower_bound";
}

const char* source_name(cucore_model_source source) {
  if (source == CUCORE_MODEL_SOURCE_COMPULSORY) return "compulsory";
  return source == CUCORE_MODEL_SOURCE_CACHE ? "cache" : "unknown";
}

Json bound_json(cucore_model_bound bound) {
  constexpr const char* NAMES[] = {"memory", "f16", "f32", "f64", "integer", "matrix"};
  if (bound < CUCORE_MODEL_BOUND_MEMORY || bound > CUCORE_MODEL_BOUND_MATRIX) return nullptr;
  return NAMES[bound - CUCORE_MODEL_BOUND_MEMORY];
}

// 12.5 MiB
std::string bytes_text(double bytes) {
  constexpr const char* UNITS[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(UNITS); ++unit) bytes /= 1024;
  return unit == 0 ? fmt::format("{:.0f} bytes", bytes)
                   : fmt::format("{:.1f} {}", bytes, UNITS[unit]);
}

std::string time_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2f} us", seconds * 1e6);
  return seconds < 1 ? fmt::format("{:.2f} ms", seconds * 1e3) : fmt::format("{:.2f} s", seconds);
}

// The part of the lanes of its warps that do nothing. Blocks that are not of whole warps count too.
double waiting_threads(const cucore_model_info& info) {
  constexpr double WARP = 32;
  return info.warp_instructions > 0 ? 1 - info.thread_instructions / (WARP * info.warp_instructions)
                                    : 0;
}

std::string memory_text(const cucore_model_info& info) {
  if (info.source == CUCORE_MODEL_SOURCE_UNKNOWN)
    return fmt::format("reuse unknown: between {} and {}",
                       bytes_text(info.compulsory_read + info.compulsory_written),
                       bytes_text(info.sector_read + info.sector_written));
  return fmt::format("{} read, {} written{}", bytes_text(info.bytes_read),
                     bytes_text(info.bytes_written),
                     info.source == CUCORE_MODEL_SOURCE_CACHE ? ", through the L2 cache" : "");
}

std::string operations_text(const cucore_model_info& info) {
  std::string text;
  const auto add = [&](double count, const char* type) {
    if (count != 0) text += fmt::format("{}{:.0f} {}", text.empty() ? "" : ", ", count, type);
  };
  add(info.operations_f16, "f16");
  add(info.operations_f32, "f32");
  add(info.operations_f64, "f64");
  add(info.operations_matrix, "matrix");
  add(info.operations_integer, "integer");
  return text.empty() ? "none" : text;
}

// Why the launch may do more.
std::string bound_reason_text(const cucore_model_info& info) {
  std::string place;
  if (info.line != 0)
    place = fmt::format("{}:{}: ", info.file, info.line);
  else if (info.ptx_line != 0)
    place = fmt::format("PTX line {}: ", info.ptx_line);
  return place + info.reason;
}

}  // namespace

void ModelRequest::add_to(CLI::App& command) {
  command
      .add_option("--launch", launch,
                  "model this launch: grid=X[,Y[,Z]],block=X[,Y[,Z]], and cluster and shared")
      ->type_name("LAUNCH");
  command
      .add_option("--arg", arguments,
                  "of the launch: TYPE:VALUE, or buf for an array; repeatable, in order")
      ->type_name("ARG")
      ->allow_extra_args(false);
  command.add_option("-k,--kernel", kernel, "of the launch: its name, or a part of it")
      ->type_name("NAME");
  command.add_flag("--full", full,
                   "run all blocks of the launch, through a cache of the size of the L2");
}

LaunchToModel::LaunchToModel(const ModelRequest& request) : kernel_(request.kernel) {
  std::set<std::string> given;
  for (const auto& [key, value] : parts_of_launch(request.launch)) {
    if (!given.insert(key).second)
      throw usage(fmt::format("--launch {}: {} is given twice; {}", request.launch, key, FORM));
    const std::string option = "--launch " + key;
    if (key == "grid")
      shape_.grid = parse_extent(value, option);
    else if (key == "block")
      shape_.block = parse_extent(value, option);
    else if (key == "cluster")
      cluster_ = parse_extent(value, option);
    else if (key == "shared")
      shape_.dynamic_shared = value == "0" ? 0 : parse_side(value, option);
    else
      throw usage(fmt::format("--launch {}: '{}' is not a part of a launch; {}", request.launch,
                              key, FORM));
  }
  for (const char* key : {"grid", "block"})
    if (!given.contains(key))
      throw usage(fmt::format("--launch {}: no {}; {}", request.launch, key, FORM));
  for (const std::string& text : request.arguments)
    arguments_.push_back(parse_modelled_argument(text));
}

std::string LaunchToModel::chosen_kernel(const cucore_analysis* analysis) const {
  std::set<std::string> names, found;
  for (std::size_t at = 0; at < cucore_analysis_kernel_count(analysis); ++at)
    names.insert(kernel_name_at(analysis, at));
  if (names.contains(kernel_)) return kernel_;
  for (const std::string& name : names)
    if (name.find(kernel_) != name.npos) found.insert(name);
  if (found.size() == 1) return *found.begin();
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  throw failed(
      fmt::format("the launch needs one kernel, and {} '{}'; choose one with --kernel: {}",
                  found.empty() ? "none has the name" : "several names contain", kernel_, list),
      found.empty() ? Status::not_found : Status::invalid_argument);
}

std::vector<LaunchToModel::Modelled> LaunchToModel::run(const cucore_analysis* analysis) const {
  const std::string wanted = chosen_kernel(analysis);
  LaunchConfig config = config_of(shape_);
  std::copy(cluster_.begin(), cluster_.end(), config.cluster);
  std::vector<cucore_argument> arguments;
  for (const Argument& each : arguments_)
    arguments.push_back(each.is_array ? cucore_argument{nullptr, CUCORE_ARGUMENT_OBJECT}
                                      : cucore_argument{each.bytes.data(), each.bytes.size()});
  std::vector<Modelled> models;
  for (std::size_t at = 0; at < cucore_analysis_kernel_count(analysis); ++at) {
    if (kernel_name_at(analysis, at) != wanted) continue;
    cucore_model_info info = CUCORE_MODEL_INFO_INIT;
    call(cucore_analysis_model, analysis, at, &config, arguments.data(), arguments.size(), &info);
    models.push_back({at, wanted, info});
  }
  return models;
}

Json model_json(const cucore_model_info& info) {
  Json bytes{{"compulsory", number_json(info.compulsory_read + info.compulsory_written)},
             {"compulsory_read", number_json(info.compulsory_read)},
             {"compulsory_written", number_json(info.compulsory_written)},
             {"local", number_json(info.local_bytes)},
             {"read", number_json(info.bytes_read)},
             {"requested", number_json(info.requested_read + info.requested_written)},
             {"requested_read", number_json(info.requested_read)},
             {"requested_written", number_json(info.requested_written)},
             {"sector", number_json(info.sector_read + info.sector_written)},
             {"sector_read", number_json(info.sector_read)},
             {"sector_written", number_json(info.sector_written)},
             {"source", source_name(info.source)},
             {"written", number_json(info.bytes_written)}};
  Json operations{{"f16", number_json(info.operations_f16)},
                  {"f32", number_json(info.operations_f32)},
                  {"f64", number_json(info.operations_f64)},
                  {"integer", number_json(info.operations_integer)},
                  {"matrix", number_json(info.operations_matrix)}};
  return {{"barriers", number_json(info.barriers)},
          {"blocks", info.blocks},
          {"blocks_run", info.blocks_run},
          {"bound", bound_json(info.bound)},
          {"bytes", bytes},
          {"device", info.device},
          {"divergent_branches", number_json(info.divergent_branches)},
          {"file", info.file},
          {"intensity", number_json(info.intensity)},
          {"is_measured", info.is_measured != 0},
          {"least_seconds", number_json(info.least_seconds)},
          {"line", info.line},
          {"operations", operations},
          {"ptx_line", info.ptx_line},
          {"quality", quality_name(info.quality)},
          {"reason", info.reason},
          {"shared_bank_conflicts", number_json(info.shared_bank_conflicts)},
          {"shared_wavefronts", number_json(info.shared_wavefronts)},
          {"thread_instructions", number_json(info.thread_instructions)},
          {"warp_instructions", number_json(info.warp_instructions)}};
}

std::string model_text(const std::string& kernel, const cucore_model_info& info) {
  std::string text =
      fmt::format("model of a launch of {}: {}", kernel, counted(info.blocks, "block"));
  if (info.blocks_run != info.blocks) text += fmt::format(", of which {} run", info.blocks_run);
  if (info.quality == CUCORE_MODEL_QUALITY_LOWER_BOUND)
    text += fmt::format("\n  lower bound: {}", bound_reason_text(info));
  text += fmt::format("\n  requested: {} read, {} written; in sectors {} and {}",
                      bytes_text(info.requested_read), bytes_text(info.requested_written),
                      bytes_text(info.sector_read), bytes_text(info.sector_written));
  const double waste =
      (info.sector_read + info.sector_written) / (info.requested_read + info.requested_written);
  if (waste >= 2) text += fmt::format(", {:.1f} times as much", waste);
  text += fmt::format("\n  memory: {}", memory_text(info));
  text += fmt::format("\n  operations: {}", operations_text(info));
  if (std::isfinite(info.intensity))
    text += fmt::format("\n  intensity: {:.3g} operations per byte", info.intensity);
  if (info.local_bytes != 0)
    text += fmt::format("\n  local memory: {} in sectors", bytes_text(info.local_bytes));
  if (const double waiting = waiting_threads(info); waiting >= 0.01)
    text += fmt::format("\n  divergence: {:.0f} % of the threads of its warps wait", 100 * waiting);
  if (info.shared_wavefronts != 0)
    text += fmt::format("\n  shared memory: {:.0f} wavefronts, of which {:.0f} from bank conflicts",
                        info.shared_wavefronts, info.shared_bank_conflicts);
  if (const Json bound = bound_json(info.bound);
      !bound.is_null() && std::isfinite(info.least_seconds))
    text += fmt::format("\n  least time: {} on {} by its {}, bound by {}",
                        time_text(info.least_seconds), info.device,
                        info.is_measured ? "measured roof" : "datasheet", bound.get<std::string>());
  return text + "\n";
}

}  // namespace cucore::cli
