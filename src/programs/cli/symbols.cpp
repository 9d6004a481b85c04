// SPDX-License-Identifier: Apache-2.0
// The symbols of object code: kernels with their parameters and resources, variables with their
// size.
#include "symbols.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "argument_check.hpp"

namespace cucore::cli {
namespace {

const char* kind_name(cucore_symbol_kind kind) {
  switch (kind) {
    case CUCORE_SYMBOL_KERNEL:
      return "kernel";
    case CUCORE_SYMBOL_GLOBAL:
      return "global";
    case CUCORE_SYMBOL_CONSTANT:
      return "constant";
    case CUCORE_SYMBOL_MANAGED:
      return "managed";
    case CUCORE_SYMBOL_DEVICE_FUNCTION:
      return "function";
    default:
      return "unknown";
  }
}

// null if the code does not record them.
Json describe_parameters(const cucore_objectcode* code, std::size_t symbol, std::size_t count) {
  if (count == SIZE_MAX) return nullptr;
  std::vector<cucore_parameter_info> infos(count, CUCORE_PARAMETER_INFO_INIT);
  call(cucore_objectcode_symbol_parameters, code, symbol, infos.data(), count, &count);
  Json parameters = Json::array();
  for (const cucore_parameter_info& info : infos)
    parameters.push_back({{"offset", info.offset},
                          {"size", info.size},
                          {"class", parameter_class_name(info.parameter_class)}});
  return parameters;
}

// null for code that is not machine code of a kernel, and for values that it does not record.
Json describe_resources(const cucore_objectcode* code, std::size_t symbol) {
  cucore_resource_info info = CUCORE_RESOURCE_INFO_INIT;
  if (cucore_objectcode_symbol_resources(code, symbol, &info, nullptr) != CUCORE_OK) return nullptr;
  const auto figure = [](std::int32_t value) { return value < 0 ? Json(nullptr) : Json(value); };
  return {{"registers", figure(info.registers)},
          {"static_shared", figure(info.static_shared)},
          {"stack", figure(info.stack)},
          {"spill_stores", figure(info.spill_stores)},
          {"spill_loads", figure(info.spill_loads)},
          {"max_threads", figure(info.max_threads)},
          {"constant", figure(info.constant)},
          {"code_size", figure(info.code_size)}};
}

Json describe_symbol(const cucore_objectcode* code, std::size_t index) {
  cucore_symbol_info info = CUCORE_SYMBOL_INFO_INIT;
  call(cucore_objectcode_symbol_at, code, index, &info);
  Json symbol{
      {"name", info.lowered_name}, {"expression", info.expression}, {"kind", kind_name(info.kind)}};
  if (info.kind != CUCORE_SYMBOL_KERNEL) {
    symbol["size"] = info.size;
    return symbol;
  }
  symbol["parameters"] = describe_parameters(code, index, info.parameter_count);
  symbol["resources"] = describe_resources(code, index);
  return symbol;
}

// The library returns values as text, in which a list of one element looks like a word. Scripts
// need a fixed type.
bool is_list(std::string_view key) {
  constexpr std::string_view LISTS[] = {"inputs", "name_expressions", "options"};
  return std::find(std::begin(LISTS), std::end(LISTS), key) != std::end(LISTS);
}

}  // namespace

Json lines_of(std::string_view text) {
  Json lines = Json::array();
  for (std::size_t at = 0; !text.empty() && at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

Json describe_symbols(const cucore_objectcode* code) {
  Json symbols = Json::array();
  for (std::size_t i = 0; i < cucore_objectcode_symbol_count(code); ++i)
    symbols.push_back(describe_symbol(code, i));
  return symbols;
}

Json describe_metadata(const cucore_objectcode* code) {
  Json metadata = Json::object();
  for (std::size_t i = 0; i < cucore_objectcode_metadata_count(code); ++i) {
    const std::string_view key = cucore_objectcode_metadata_key(code, i);
    const std::string_view value = cucore_objectcode_metadata_value(code, i);
    metadata[std::string(key)] =
        is_list(key) || value.find('\n') != value.npos ? lines_of(value) : Json(value);
  }
  return metadata;
}

}  // namespace cucore::cli
