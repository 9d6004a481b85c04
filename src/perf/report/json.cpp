// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <nlohmann/json.hpp>

#include "perf/report/report.hpp"

namespace cucore::perf {
namespace {

using Json = nlohmann::json;

Json number(const std::optional<uint32_t>& value) { return value ? Json(*value) : Json(nullptr); }

Json describe(const Resources& resources) {
  return {{"registers", number(resources.registers)},
          {"shared", number(resources.shared)},
          {"local", number(resources.local)},
          {"stack", number(resources.stack)},
          {"spill_loads", number(resources.spill_loads)},
          {"spill_stores", number(resources.spill_stores)},
          {"constant", number(resources.constant)},
          {"parameters", number(resources.parameters)},
          {"code_size", number(resources.code_size)}};
}

Json describe(const OccupancyRow& row) {
  return {{"arch", row.arch.text()},
          {"block", row.block},
          {"blocks", row.occupancy.blocks},
          {"warps", row.occupancy.warps},
          {"fraction", row.occupancy.fraction},
          {"limiter", limiter_name(row.occupancy.limiter)},
          {"registers_for_more", number(row.occupancy.registers_for_more)},
          {"shared_for_more", number(row.occupancy.shared_for_more)}};
}

template <class Visit>
void for_each_class(const Mix& mix, Visit&& visit) {
  for (size_t at = 1; at < CLASSES; ++at) {
    const auto which = static_cast<InstructionClass>(at);
    if (mix.of(which).all != 0) visit(class_name(which), mix.of(which));
  }
}

Json describe_mix(const Mix& mix) {
  Json result = Json::object();
  for_each_class(mix, [&](const char* name, const Count& count) {
    result[name] = {{"count", count.all}, {"in_loops", count.in_loops}};
  });
  return result;
}

// {"load_global": {"4": 12}}: accesses by the bytes of one thread.
Json describe_widths(const Mix& mix) {
  Json result = Json::object();
  for_each_class(mix, [&](const char* name, const Count& count) {
    for (size_t width = 0; width < WIDTHS; ++width)
      if (count.widths[width] != 0) result[name][std::to_string(1U << width)] = count.widths[width];
  });
  return result;
}

Json describe(const Loop& loop) {
  return {{"first", loop.first},
          {"last", loop.last},
          {"file", loop.place.file},
          {"line", loop.place.line}};
}

Json describe(const Finding& finding) {
  return {{"id", finding.rule->id},
          {"name", finding.rule->name},
          {"severity", severity_name(finding.severity)},
          {"kernel", finding.kernel},
          {"arch", finding.arch},
          {"file", finding.place.file},
          {"line", finding.place.line},
          {"ptx_line", finding.place.ptx_line},
          {"count", finding.count},
          {"message", finding.message},
          {"advice", finding.rule->advice}};
}

template <class Items>
Json list(const Items& items) {
  Json result = Json::array();
  for (const auto& item : items) result.push_back(describe(item));
  return result;
}

Json describe(const Kernel& kernel, std::span<const Finding> findings) {
  Json result{{"name", kernel.name},
              {"file", kernel.place.file},
              {"line", kernel.place.line},
              {"level", level_name(kernel.level)},
              {"arch", kernel.arch_name},
              {"max_threads", kernel.max_threads},
              {"instructions", kernel.mix.of(InstructionClass::ANY).all},
              {"missing", kernel.missing},
              {"resources", describe(kernel.resources)},
              {"occupancy", list(kernel.occupancy)},
              {"mix", describe_mix(kernel.mix)},
              {"widths", describe_widths(kernel.mix)},
              {"loops", list(kernel.loops)},
              {"findings", Json::array()}};
  if (kernel.ptx_mix)
    result["ptx"] = {{"mix", describe_mix(*kernel.ptx_mix)},
                     {"widths", describe_widths(*kernel.ptx_mix)}};
  for (const Finding& finding : findings)
    if (finding.kernel == kernel.name && finding.arch == kernel.arch_name)
      result["findings"].push_back(describe(finding));
  return result;
}

}  // namespace

std::string as_json(const Analysis& analysis) {
  // The schema comes first; the keys of all other objects are sorted.
  nlohmann::ordered_json result{{"schema", "cucore.analysis/1"}, {"allowed", analysis.allowed()}};
  Json kernels = Json::array();
  for (const Kernel& kernel : analysis.kernels())
    kernels.push_back(describe(kernel, analysis.findings()));
  result["kernels"] = kernels;
  result["name"] = analysis.name();
  return result.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace cucore::perf
