// SPDX-License-Identifier: Apache-2.0
#include "array/text/explain.hpp"

#include <array>
#include <charconv>

#include "array/plan/traffic.hpp"
#include "array/text/formula.hpp"
#include "array/text/graph.hpp"
#include "array/text/names.hpp"
#include "support/concat.hpp"

namespace cucore::array {
namespace {

struct Counts {
  uint64_t kernels = 0, bytes_read = 0, bytes_written = 0, operations = 0;
  Temporaries temporaries = {};
};

bool has_work(const Step& step) { return !step.kernel.stores.empty() && step.kernel.rows() > 0; }

Counts counts_of(const Preview& preview) {
  Counts counts{.temporaries = temporaries_of(preview.plan, preview.results)};
  for (const Step& step : preview.plan.steps) {
    if (!has_work(step)) continue;
    ++counts.kernels;
    counts.bytes_read += bytes_read(step.kernel);
    counts.bytes_written += bytes_written(step.kernel);
    counts.operations += work_of(step.kernel);
  }
  return counts;
}

// "3.00 GiB"
std::string size_text(uint64_t bytes) {
  constexpr std::array<std::string_view, 5> UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};
  constexpr uint64_t KIBI = 1024;
  if (bytes < KIBI) return concat(bytes, " B");
  double size = double(bytes);
  size_t unit = 0;
  while (size >= double(KIBI) && unit + 1 < UNITS.size()) size /= double(KIBI), ++unit;
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), size,
                                 std::chars_format::fixed, 2);
  return concat(std::string_view(digits.data(), size_t(end.ptr - digits.data())), " ", UNITS[unit]);
}

std::string counted_text(uint64_t count, std::string_view noun) {
  return concat(count, " ", noun, count == 1 ? "" : noun == "temporary" ? "" : "s");
}

std::string summary(const Counts& counts) {
  if (counts.kernels == 0) return "plan: nothing to compute\n";
  const std::string temporaries =
      counts.temporaries.count == 0
          ? "no temporaries"
          : concat(counts.temporaries.count,
                   counts.temporaries.count == 1 ? " temporary" : " temporaries", " of ",
                   size_text(counts.temporaries.bytes));
  return concat("plan: ", counted_text(counts.kernels, "kernel"), ", reads ",
                size_text(counts.bytes_read), ", writes ", size_text(counts.bytes_written), ", ",
                temporaries, "\n");
}

std::string space_text(const Kernel& kernel) {
  std::string text;
  for (const Dims* dims : {&kernel.outer, &kernel.inner})
    for (const int64_t size : *dims) text += concat(text.empty() ? "" : ", ", size);
  return text;
}

// "a_map_3fa49c0e77d1b2a4  f32[268435456]  V4 U2 B256 i32  46 registers"
std::string kernel_line(const Kernel& kernel, const Preview::Code& code) {
  const Variant& variant = code.variant;
  std::string text = concat(variant.name, "  ", short_name(kernel.outputs[0]->dtype), "[",
                            space_text(kernel), "]  V", variant.vector, " U", variant.unroll, " B",
                            variant.block, variant.wide ? " i64" : " i32");
  if (code.registers > 0) text += concat("  ", code.registers, " registers");
  return text + (code.is_compiled ? "  in memory\n" : "  not compiled yet\n");
}

std::string plan_text(const Preview& preview) {
  Names names(preview.results);
  std::string text = summary(counts_of(preview));
  for (size_t at = 0; at < preview.plan.steps.size(); ++at) {
    const Step& step = preview.plan.steps[at];
    if (!has_work(step)) continue;
    text += kernel_line(step.kernel, preview.codes[at]);
    for (const std::string& line : formulas_of(step.kernel, names))
      text += concat("  ", line, "\n");
    for (const Output& output : step.outputs)
      if (output.memory == Memory::COPIED)
        text += concat("  into a copy of ", names.of(*output.from),
                       ", whose elements are still needed\n");
  }
  return text;
}

std::string counts_text(const Preview& preview) {
  const Counts counts = counts_of(preview);
  return concat(
      "{\"kernels\": ", counts.kernels, ", \"temporaries\": ", counts.temporaries.count,
      ", \"temporary_bytes\": ", counts.temporaries.bytes, ", \"bytes_read\": ", counts.bytes_read,
      ", \"bytes_written\": ", counts.bytes_written, ", \"flops\": ", counts.operations, "}\n");
}

// The texts of all kernels, each once.
std::vector<Code> codes_of(Context& context, std::span<const Ref<Cell>> cells) {
  std::vector<Code> codes;
  context.preview(cells, [&](const Preview& preview) {
    for (size_t at = 0; at < preview.plan.steps.size(); ++at) {
      if (!has_work(preview.plan.steps[at])) continue;
      Code code =
          code_of(preview.plan.steps[at].kernel, context.target(), preview.codes[at].addresses);
      const bool known = std::any_of(codes.begin(), codes.end(),
                                     [&](const Code& other) { return other.name == code.name; });
      if (!known) codes.push_back(std::move(code));
    }
  });
  return codes;
}

std::string sources_text(Context& context, std::span<const Ref<Cell>> cells, bool ptx) {
  std::string text;
  for (const Code& code : codes_of(context, cells))
    text += concat(text.empty() ? "" : "\n", ptx ? context.ptx(code) : code.source);
  return text;
}

}  // namespace

std::string explained(Context& context, std::span<const Ref<Cell>> cells, Explanation what) {
  if (what == Explanation::SOURCE || what == Explanation::PTX)
    return sources_text(context, cells, what == Explanation::PTX);
  std::string text;
  context.preview(cells, [&](const Preview& preview) {
    text = what == Explanation::PLAN     ? plan_text(preview)
           : what == Explanation::COUNTS ? counts_text(preview)
                                         : graph_text(preview.results);
  });
  return text;
}

}  // namespace cucore::array
