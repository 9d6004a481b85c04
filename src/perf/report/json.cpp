// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "perf/report/report.hpp"
#include "support/json_writer.hpp"

namespace cucore::perf {
namespace {

// The keys of each object are sorted, except for the schema, which comes first.

void write(JsonWriter& json, const Resources& resources) {
  json.begin_object("resources");
  json.number("code_size", resources.code_size);
  json.number("constant", resources.constant);
  json.number("local", resources.local);
  json.number("parameters", resources.parameters);
  json.number("registers", resources.registers);
  json.number("shared", resources.shared);
  json.number("spill_loads", resources.spill_loads);
  json.number("spill_stores", resources.spill_stores);
  json.number("stack", resources.stack);
  json.end_object();
}

void write(JsonWriter& json, const OccupancyRow& row) {
  json.begin_object();
  json.text("arch", row.arch.text());
  json.count("block", row.block);
  json.count("blocks", row.occupancy.blocks);
  json.real("fraction", row.occupancy.fraction);
  json.text("limiter", limiter_name(row.occupancy.limiter));
  json.number("registers_for_more", row.occupancy.registers_for_more);
  json.number("shared_for_more", row.occupancy.shared_for_more);
  json.count("warps", row.occupancy.warps);
  json.end_object();
}

// The classes that occur, by their names.
std::vector<InstructionClass> classes_of(const Mix& mix) {
  std::vector<InstructionClass> classes;
  for (size_t at = 1; at < CLASSES; ++at)
    if (mix.of(static_cast<InstructionClass>(at)).all != 0)
      classes.push_back(static_cast<InstructionClass>(at));
  std::ranges::sort(classes, {},
                    [](InstructionClass each) { return std::string_view(class_name(each)); });
  return classes;
}

void write_mix(JsonWriter& json, const Mix& mix) {
  json.begin_object("mix");
  for (const InstructionClass each : classes_of(mix)) {
    json.begin_object(class_name(each));
    json.count("count", mix.of(each).all);
    json.count("in_loops", mix.of(each).in_loops);
    json.end_object();
  }
  json.end_object();
}

// Accesses by the bytes of one thread.
void write_widths(JsonWriter& json, const Mix& mix) {
  json.begin_object("widths");
  for (const InstructionClass each : classes_of(mix)) {
    const Count& count = mix.of(each);
    if (std::ranges::all_of(count.widths, [](uint32_t width) { return width == 0; })) continue;
    json.begin_object(class_name(each));
    // "16" and "32" sort before "2".
    for (const size_t width : {0, 4, 1, 5, 2, 3})
      if (count.widths[width] != 0) json.count(std::to_string(1U << width), count.widths[width]);
    json.end_object();
  }
  json.end_object();
}

void write(JsonWriter& json, const Loop& loop) {
  json.begin_object();
  json.text("file", loop.place.file);
  json.count("first", loop.first);
  json.count("last", loop.last);
  json.count("line", loop.place.line);
  json.number("trips", loop.trips);
  json.end_object();
}

void write(JsonWriter& json, const CodeLine& line) {
  json.begin_object();
  json.count("address", line.address);
  json.text("file", line.place.file);
  json.count("line", line.place.line);
  json.text("text", line.text);
  json.end_object();
}

void write(JsonWriter& json, const Finding& finding) {
  json.begin_object();
  json.text("advice", finding.rule->advice);
  json.text("arch", finding.arch);
  json.count("count", finding.count);
  json.text("file", finding.place.file);
  json.text("id", finding.rule->id);
  json.text("kernel", finding.kernel);
  json.count("line", finding.place.line);
  json.text("message", finding.message);
  json.text("name", finding.rule->name);
  json.count("ptx_line", finding.place.ptx_line);
  json.text("severity", severity_name(finding.severity));
  json.end_object();
}

void write_findings(JsonWriter& json, size_t kernel, std::span<const Finding> findings) {
  json.begin_array("findings");
  for (const Finding& finding : findings)
    if (finding.index == kernel) write(json, finding);
  json.end_array();
}

template <class Items>
void write_all(JsonWriter& json, std::string_view name, const Items& items) {
  json.begin_array(name);
  for (const auto& item : items) write(json, item);
  json.end_array();
}

void write(JsonWriter& json, const Kernel& kernel, size_t index,
           std::span<const Finding> findings) {
  json.begin_object();
  json.text("arch", kernel.arch_name);
  if (!kernel.disassembly.empty()) write_all(json, "disassembly", kernel.disassembly);
  json.text("file", kernel.place.file);
  write_findings(json, index, findings);
  json.count("instructions", kernel.mix.of(InstructionClass::ANY).all);
  json.text("level", level_name(kernel.level));
  json.count("line", kernel.place.line);
  write_all(json, "loops", kernel.loops);
  json.count("max_threads", kernel.max_threads);
  json.text("missing", kernel.missing);
  write_mix(json, kernel.mix);
  json.null("model");
  json.text("name", kernel.name);
  write_all(json, "occupancy", kernel.occupancy);
  if (kernel.ptx && kernel.level == Level::MACHINE) {
    json.begin_object("ptx");
    write_all(json, "loops", kernel.ptx->loops);
    write_mix(json, kernel.ptx->mix);
    write_widths(json, kernel.ptx->mix);
    json.end_object();
  }
  write(json, kernel.resources);
  write_widths(json, kernel.mix);
  json.end_object();
}

}  // namespace

std::string as_json(const Analysis& analysis) {
  JsonWriter json;
  json.begin_object();
  json.text("schema", "cucore.analysis/1");
  json.count("allowed", analysis.allowed());
  json.begin_array("kernels");
  for (size_t at = 0; at < analysis.kernels().size(); ++at)
    write(json, analysis.kernels()[at], at, analysis.findings());
  json.end_array();
  json.text("name", analysis.name());
  json.end_object();
  return json.take();
}

}  // namespace cucore::perf
