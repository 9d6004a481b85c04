// SPDX-License-Identifier: Apache-2.0
#include "cpu/checks/shared_variables.hpp"

#include <optional>

#include "cpu/exec/fault.hpp"

namespace cucore::cpu {
namespace {

struct Found {
  const ptx::Variable* variable = nullptr;
  uint64_t offset = 0;
};

// Calls `use` for each variable of static shared memory of the kernel, with its offset, until `use`
// returns true. The variables of the module and of functions come before those of the kernel.
template <class Use>
Found find_variable(const DecodedKernel& kernel, Use use) {
  const auto is_static = [](const ptx::Variable& v) {
    return v.space == ptx::Space::shared && !v.is_unsized;
  };
  for (const ptx::Variable& v : kernel.function->source->variables)
    if (is_static(v) && use(v, v.offset)) return {&v, v.offset};
  if (!kernel.has_module_shared) return {};
  const DecodedModule& module = *kernel.function->module;
  for (size_t i = 0; i < module.source->variables.size(); ++i) {
    const ptx::Variable& v = module.source->variables[i];
    if (is_static(v) && use(v, module.addresses[i])) return {&v, module.addresses[i]};
  }
  for (const ptx::Function& f : module.source->functions) {
    if (f.is_entry) continue;
    for (const ptx::Variable& v : f.variables)
      if (is_static(v) && use(v, v.offset)) return {&v, v.offset};
  }
  return {};
}

}  // namespace

std::string shared_place(const LaunchState& launch, uint64_t offset) {
  const DecodedKernel& kernel = *launch.kernel;
  const Found found = find_variable(kernel, [&](const ptx::Variable& v, uint64_t begin) {
    return offset >= begin && offset - begin < v.size;
  });
  if (found.variable)
    return "'" + shown_name(found.variable->name) + "' + " + std::to_string(offset - found.offset);
  const uint64_t dynamic = kernel.static_shared;
  if (offset < dynamic || offset - dynamic >= launch.launch->dynamic_shared) return {};
  return "dynamic shared memory + " + std::to_string(offset - dynamic);
}

std::string shared_name(const LaunchState& launch, uint64_t begin, uint64_t size) {
  const Found found = find_variable(*launch.kernel, [&](const ptx::Variable& v, uint64_t offset) {
    return offset == begin && v.size == size;
  });
  return found.variable ? shown_name(found.variable->name) : std::string();
}

}  // namespace cucore::cpu
