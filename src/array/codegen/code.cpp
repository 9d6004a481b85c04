// SPDX-License-Identifier: Apache-2.0
#include "array/codegen/code.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

#include "array/codegen/chunked.hpp"
#include "array/codegen/map.hpp"
#include "array/codegen/matmul.hpp"
#include "array/codegen/outer.hpp"
#include "array/codegen/rows.hpp"
#include "array/codegen/scan.hpp"
#include "array/codegen/sort.hpp"
#include "array/codegen/statements.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"
#include "support/sha256.hpp"

namespace cucore::array {
namespace {

struct FamilyText {
  KernelFamily family;
  std::string_view name;
  void (*add_fields)(Fields& fields, const Kernel& kernel, const Form& form,
                     const Addresses& addresses);
  std::string (*body)(const Kernel& kernel, const Form& form, const std::string& name);
  LaunchPlan (*launch)(const Kernel& kernel, const Form& form);
};

constexpr FamilyText FAMILIES[] = {
    {KernelFamily::MAP, "map", add_map_fields, map_body, map_launch},
    {KernelFamily::ROWS, "rows", add_rows_fields, rows_body, rows_launch},
    {KernelFamily::CHUNKED, "chunked", add_chunked_fields, chunked_body, chunked_launch},
    {KernelFamily::SCAN, "scan", add_scan_fields, scan_body, scan_launch},
    {KernelFamily::MATMUL, "matmul", add_matmul_fields, matmul_body, matmul_launch},
    {KernelFamily::SORT, "sort", add_sort_fields, sort_body, sort_launch},
    {KernelFamily::OUTER, "outer", add_outer_fields, outer_body, outer_launch},
};

const FamilyText& family_of(const Kernel& kernel) {
  for (const FamilyText& family : FAMILIES)
    if (family.family == kernel.family) return family;
  throw Error(Status::INTERNAL, "a kernel of an unknown family was planned");
}

std::string digest_of(const std::string& key) {
  constexpr std::string_view DIGITS = "0123456789abcdef";
  constexpr size_t BYTES = 8;
  const Sha256Digest digest = sha256(key);
  std::string text;
  for (const std::byte byte : std::span(digest).first(BYTES)) {
    text += DIGITS[std::to_integer<size_t>(byte >> 4)];
    text += DIGITS[std::to_integer<size_t>(byte & std::byte{15})];
  }
  return text;
}

// The launches of a kernel that is launched several times, and has a parameter "phase".
struct Phases {
  int32_t first = 0, last = 0;
};
std::optional<Phases> phases_of(const Kernel& kernel) {
  if (kernel.family == KernelFamily::SCAN)
    return scan_needs_totals(kernel) ? Phases{1, 2} : Phases{};
  if (kernel.family == KernelFamily::SORT) return Phases{0, sort_launches(kernel) - 1};
  if (kernel.family == KernelFamily::MAP && map_is_ordered(kernel)) return Phases{0, 2};
  return {};
}

void check_blocks(int64_t blocks) {
  constexpr int64_t MOST_BLOCKS = std::numeric_limits<int32_t>::max();
  if (blocks > MOST_BLOCKS)
    throw Error(Status::UNSUPPORTED, concat("compute an array: its kernel needs ", blocks,
                                            " blocks, and a launch has at most ", MOST_BLOCKS,
                                            "; divide the array into parts"));
}

std::string name_of(const FamilyText& family, const Form& form, const Kernel& kernel,
                    const Target& target) {
  return concat("a_", family.name, "_", digest_of(encoded(form, kernel, target)));
}

}  // namespace

Scratch scratch_of(const Kernel& kernel) {
  if (kernel.family == KernelFamily::MAP) return map_scratch(kernel);
  if (kernel.family == KernelFamily::CHUNKED) return chunked_scratch(kernel);
  if (kernel.family == KernelFamily::SORT) return sort_scratch(kernel);
  if (kernel.family == KernelFamily::SCAN) return scan_scratch(kernel);
  return kernel.family == KernelFamily::OUTER ? outer_scratch(kernel) : Scratch{};
}

size_t report_of_node(const Kernel& kernel, size_t node) {
  const auto gathers =
      std::count_if(kernel.nodes.begin(), kernel.nodes.begin() + static_cast<ptrdiff_t>(node),
                    [](const Node& each) { return each.kind == NodeKind::GATHER; });
  return std::min(static_cast<size_t>(gathers), INDEX_REPORTS - 1);
}

size_t report_of_store(const Kernel& kernel, size_t store) {
  const auto gathers =
      std::count_if(kernel.nodes.begin(), kernel.nodes.end(),
                    [](const Node& each) { return each.kind == NodeKind::GATHER; });
  const auto writes =
      std::count_if(kernel.stores.begin(), kernel.stores.begin() + static_cast<ptrdiff_t>(store),
                    [](const Store& each) { return !each.arguments.empty(); });
  return std::min(static_cast<size_t>(gathers + writes), INDEX_REPORTS - 1);
}

std::string key_of(const Kernel& kernel, const Target& target, const Addresses& addresses) {
  return encoded(form_of(kernel, target, addresses), kernel, target);
}

Variant variant_of(const Kernel& kernel, const Target& target, const Addresses& addresses) {
  const Form form = form_of(kernel, target, addresses);
  const FamilyText& family = family_of(kernel);
  return {.name = name_of(family, form, kernel, target),
          .vector = form.vector,
          .unroll = form.unroll,
          .block = static_cast<int>(family.launch(kernel, form).block),
          .wide = form.wide};
}

Code code_of(const Kernel& kernel, const Target& target, const Addresses& addresses) {
  const Form form = form_of(kernel, target, addresses);
  const FamilyText& family = family_of(kernel);
  const std::string name = name_of(family, form, kernel, target);
  Fields fields(Fields::What::DECLARATIONS);
  family.add_fields(fields, kernel, form, addresses);
  if (phases_of(kernel)) fields.add("i32", "phase", int32_t{0});
  const std::string body =
      concat("typedef ", form.wide ? "i64" : "i32", " I;\nstruct Parameters {\n", fields.text(),
             "};\n", family.body(kernel, form, name));
  return {.name = name, .source = with_device_texts(body)};
}

std::vector<std::string> compile_options(const Target& target) {
  std::vector<std::string> options = {"--std=c++17", "--minimal",
                                      "--device-as-default-execution-space"};
  options.emplace_back(target.math == Math::ACCURATE ? "--fmad=false" : "--fmad=true");
  if (target.math == Math::FAST) options.emplace_back("--use_fast_math");
  return options;
}

std::vector<LaunchPlan> launches_of(const Kernel& kernel, const Target& target,
                                    const Addresses& addresses) {
  return launches_of(kernel, form_of(kernel, target, addresses), addresses);
}

std::vector<LaunchPlan> launches_of(const Kernel& kernel, const Form& form,
                                    const Addresses& addresses) {
  const FamilyText& family = family_of(kernel);
  const std::optional<Phases> phases = phases_of(kernel);
  const auto [first, last] = phases.value_or(Phases{});
  std::vector<LaunchPlan> launches;
  for (int32_t phase = first; phase <= last; ++phase) {
    LaunchPlan launch = family.launch(kernel, form);
    check_blocks(launch.grid);
    Fields fields(Fields::What::BYTES);
    family.add_fields(fields, kernel, form, addresses);
    if (phases) fields.add("i32", "phase", phase);
    launch.parameters = std::move(fields).bytes();
    launches.push_back(std::move(launch));
  }
  return launches;
}

}  // namespace cucore::array
