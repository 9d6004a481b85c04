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
#include "memory_reserve.hpp"

namespace cucore::cli {
namespace {

const char* kind_name(SymbolKind kind) {
  switch (kind) {
    case SymbolKind::kernel:
      return "kernel";
    case SymbolKind::global:
      return "global";
    case SymbolKind::constant:
      return "constant";
    case SymbolKind::managed:
      return "managed";
    case SymbolKind::device_function:
      return "function";
    default:
      return "unknown";
  }
}

// null if the code does not record them.
Json describe_parameters(const ObjectCode& code, std::size_t symbol) {
  Json parameters = Json::array();
  for (const Parameter& each : code.symbol_parameters(symbol))
    parameters.push_back({{"offset", each.offset},
                          {"size", each.size},
                          {"class", parameter_class_name(each.parameter_class)}});
  return parameters;
}

// null for code that is not machine code of a kernel, and for values that it does not record.
Json describe_resources(const ObjectCode& code, std::size_t symbol) {
  ResourceInfo info = CUCORE_RESOURCE_INFO_INIT;
  if (cucore_objectcode_symbol_resources(code.get(), symbol, &info, nullptr) != CUCORE_OK)
    return nullptr;
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

Json describe_symbol(const ObjectCode& code, std::size_t index) {
  require_memory();
  const Symbol info = code.symbol_at(index);
  Json symbol{
      {"name", info.lowered_name}, {"expression", info.expression}, {"kind", kind_name(info.kind)}};
  if (info.kind != SymbolKind::kernel) {
    symbol["size"] = info.size;
    return symbol;
  }
  symbol["parameters"] = info.parameter_count ? describe_parameters(code, index) : Json();
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

Json describe_symbols(const ObjectCode& code) {
  Json symbols = Json::array();
  for (std::size_t i = 0; i < code.symbol_count(); ++i) symbols.push_back(describe_symbol(code, i));
  return symbols;
}

Json describe_metadata(const ObjectCode& code) {
  Json metadata = Json::object();
  for (const auto& [key, value] : code.metadata())
    metadata[std::string(key)] =
        is_list(key) || value.find('\n') != value.npos ? lines_of(value) : Json(value);
  return metadata;
}

}  // namespace cucore::cli
