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

}  // namespace

PreparedKernel::PreparedKernel(const Kernel& kernel)
    : scratch(scratch_of(kernel)),
      has_indices(has_indices_in(kernel)),
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
