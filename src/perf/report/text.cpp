// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "perf/report/report.hpp"
#include "support/concat.hpp"
#include "support/counted.hpp"

namespace cucore::perf {
namespace {

constexpr size_t MOST_CLASSES = 6;

// Control characters of names and sources must not reach a terminal.
std::string printable(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  return text;
}

// Compilers record whole paths. Those of files in the current folder become short.
std::string short_name(const std::string& file) {
  std::error_code failure;
  const std::string folder = std::filesystem::current_path(failure).string() + "/";
  return !failure && file.starts_with(folder) ? file.substr(folder.size()) : file;
}

std::string place_text(const Place& place) {
  if (place.line != 0) return concat(short_name(place.file), ":", place.line);
  return place.ptx_line != 0 ? concat("PTX line ", place.ptx_line) : std::string();
}

void add_figure(std::string& line, const std::optional<uint32_t>& value, const char* unit,
                bool even_zero) {
  if (!value || (*value == 0 && !even_zero)) return;
  line += concat(line.empty() ? "" : ", ", *value, " ", unit);
}

std::string resources_text(const Resources& resources) {
  std::string line;
  add_figure(line, resources.registers, "registers", true);
  add_figure(line, resources.shared, "bytes shared", true);
  add_figure(line, resources.local, "bytes local", false);
  add_figure(line, resources.stack, "bytes stack", false);
  add_figure(line, resources.spill_stores, "bytes spill stores", false);
  add_figure(line, resources.spill_loads, "bytes spill loads", false);
  add_figure(line, resources.parameters, "bytes of parameters", true);
  add_figure(line, resources.code_size, "bytes of code", false);
  return line;
}

// The most frequent classes.
std::string mix_text(const Mix& mix, size_t loops) {
  std::vector<InstructionClass> classes;
  for (size_t at = 1; at < CLASSES; ++at)
    if (mix.of(static_cast<InstructionClass>(at)).all != 0)
      classes.push_back(static_cast<InstructionClass>(at));
  std::ranges::sort(classes, [&](InstructionClass a, InstructionClass b) {
    return mix.of(a).all != mix.of(b).all ? mix.of(a).all > mix.of(b).all : a < b;
  });
  const Count& all = mix.of(InstructionClass::ANY);
  std::string line =
      concat(counted(all.all, "instruction"), ", ", all.in_loops, " in ", counted(loops, "loop"));
  for (size_t at = 0; at < std::min(classes.size(), MOST_CLASSES); ++at)
    line += concat(at == 0 ? ": " : ", ", class_name(classes[at]), " ", mix.of(classes[at]).all);
  return line;
}

std::string occupancy_text(const OccupancyRow& row) {
  const Occupancy& occupancy = row.occupancy;
  return concat("blocks of ", row.block, " on ", row.arch.text(), ": ", occupancy.blocks,
                " at a time, ", std::lround(occupancy.fraction * 100),
                " % of the warps, limited by ", limiter_name(occupancy.limiter));
}

void add_kernel_text(std::string& text, const Kernel& kernel) {
  text += concat("kernel ", printable(kernel.name), ", ", level_name(kernel.level), " of ",
                 kernel.arch_name);
  if (kernel.place.line != 0) text += concat(", ", printable(place_text(kernel.place)));
  text += "\n";
  for (const std::string& line :
       {resources_text(kernel.resources), mix_text(kernel.mix, kernel.loops.size())})
    if (!line.empty()) text += concat("  ", line, "\n");
  // The best block, and each that the caller named.
  const OccupancyRow* last = nullptr;
  for (const OccupancyRow& row : kernel.occupancy) {
    const bool begins = !last || !(last->arch == row.arch);
    if (begins || row.occupancy.fraction != last->occupancy.fraction)
      text += concat("  ", occupancy_text(row), "\n");
    last = &row;
  }
  if (!kernel.missing.empty()) text += concat("  incomplete: ", printable(kernel.missing), "\n");
}

// The machine code, below the lines of the source.
void add_disassembly(std::string& text, const Kernel& kernel) {
  if (kernel.disassembly.empty()) return;
  text += concat("\nmachine code of ", printable(kernel.name), " for ", kernel.arch_name, "\n");
  std::string last;
  for (const CodeLine& line : kernel.disassembly) {
    const std::string place = place_text(line.place);
    if (place != last) text += concat(printable(place), "\n");
    last = place;
    char address[24];
    std::snprintf(address, sizeof address, "  %04llx  ",
                  static_cast<unsigned long long>(line.address));
    text += concat(address, printable(line.text), "\n");
  }
}

void add_finding_text(std::string& text, const Finding& finding) {
  const std::string place = place_text(finding.place);
  text += concat(printable(place), place.empty() ? "" : ": ", severity_name(finding.severity), " ",
                 finding.rule->id, " ", finding.rule->name, ": ", printable(finding.message));
  if (finding.count > 1) text += concat(" (", finding.count, " times)");
  text += concat("\n  in ", printable(finding.kernel), " of ", finding.arch, "; ",
                 finding.rule->advice, "\n");
}

}  // namespace

std::string as_text(const Analysis& analysis) {
  std::string text;
  for (const Finding& finding : analysis.findings()) add_finding_text(text, finding);
  if (!text.empty()) text += "\n";
  for (const Kernel& kernel : analysis.kernels()) add_kernel_text(text, kernel);
  for (const Kernel& kernel : analysis.kernels()) add_disassembly(text, kernel);
  const auto of = [&](Severity severity) {
    return static_cast<size_t>(
        std::ranges::count(analysis.findings(), severity, &Finding::severity));
  };
  text += "\n";
  if (const size_t errors = of(Severity::ERROR)) text += concat(counted(errors, "error"), ", ");
  text +=
      concat(counted(of(Severity::WARNING), "warning"), ", ", counted(of(Severity::NOTE), "note"));
  if (analysis.allowed() != 0) text += concat(", ", analysis.allowed(), " allowed");
  return text + concat(" in ", counted(analysis.kernels().size(), "kernel"), "\n");
}

}  // namespace cucore::perf
