// SPDX-License-Identifier: Apache-2.0
#include "array/run/prepared.hpp"

#include <algorithm>

#include "array/plan/traffic.hpp"

namespace cucore::array {
namespace {

// The bits of the addresses that the width of loads depends on.
std::string alignment_of(const Addresses& addresses) {
  constexpr uint64_t LOW_BITS = 15;
  std::string text;
  for (const auto* list : {&addresses.inputs, &addresses.outputs})
    for (const uint64_t address : *list) text += static_cast<char>(address & LOW_BITS);
  return text;
}

bool has_indices_in(const Kernel& kernel) {
  return std::any_of(kernel.nodes.begin(), kernel.nodes.end(),
                     [](const Node& node) { return node.kind == NodeKind::GATHER; }) ||
         std::any_of(kernel.stores.begin(), kernel.stores.end(),
                     [](const Store& store) { return !store.arguments.empty(); });
}

void add_sources(const Kernel& kernel, uint16_t first, OutputSources& sources) {
  std::vector<uint16_t> path{first};
  std::vector<bool> seen(kernel.nodes.size());
  while (!path.empty()) {
    const uint16_t at = path.back();
    path.pop_back();
    if (seen[at]) continue;
    seen[at] = true;
    const Node& node = kernel.nodes[at];
    if (node.kind == NodeKind::LOAD || reads_anywhere(node)) sources.inputs[node.slot] = true;
    if (node.kind == NodeKind::GATHER) sources.reports |= 1U << report_of_node(kernel, at);
    path.insert(path.end(), node.arguments.begin(), node.arguments.end());
  }
}

std::vector<OutputSources> sources_of(const Kernel& kernel) {
  std::vector<OutputSources> all(
      kernel.outputs.size(),
      OutputSources{.inputs = std::vector<bool>(kernel.inputs.size()), .reports = 0});
  for (size_t at = 0; at < kernel.stores.size(); ++at) {
    const Store& store = kernel.stores[at];
    OutputSources& sources = all[store.slot];
    add_sources(kernel, store.node, sources);
    for (const uint16_t argument : store.arguments) add_sources(kernel, argument, sources);
    if (!store.arguments.empty()) sources.reports |= 1U << report_of_store(kernel, at);
  }
  return all;
}

}  // namespace

PreparedKernel::PreparedKernel(const Kernel& kernel)
    : scratch(scratch_of(kernel)),
      has_indices(has_indices_in(kernel)),
      sources(sources_of(kernel)),
      bytes_read(array::bytes_read(kernel)),
      bytes_written(array::bytes_written(kernel)) {}

PreparedKernel& PreparedKernel::of(const Kernel& kernel) {
  if (!kernel.prepared) kernel.prepared = Ref<PreparedKernel>::adopt(new PreparedKernel(kernel));
  return static_cast<PreparedKernel&>(*kernel.prepared);
}

PreparedForm& PreparedKernel::form(const Kernel& kernel, const Target& target,
                                   const Addresses& addresses) {
  const std::string alignment = alignment_of(addresses);
  for (PreparedForm& known : forms_)
    if (known.alignment == alignment) return known;
  Form form = form_of(kernel, target, addresses);
  std::string key = encoded(form, kernel, target);
  return forms_.emplace_back(
      PreparedForm{.alignment = alignment, .form = std::move(form), .key = std::move(key)});
}

}  // namespace cucore::array
