// SPDX-License-Identifier: Apache-2.0
// The kernels of one text as each reader reports them, and whether two readers agree.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "image/image.hpp"
#include "ptx/parser.hpp"
#include "support/error.hpp"

namespace cucore::fuzz {

using image::Parameter;
using Kernels = std::map<std::string, std::vector<Parameter>>;

// Returns nullopt if the reader of object code refuses.
inline std::optional<Kernels> read_image(image::CodeType type, std::span<const std::byte> bytes) {
  try {
    Kernels kernels;
    for (const auto& symbol : image::inspect(type, bytes).symbols)
      if (symbol.kind == image::SymbolKind::KERNEL)
        kernels[symbol.lowered_name] = symbol.parameters.value_or(std::vector<Parameter>());
    return kernels;
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Does the same for the CPU device.
inline std::optional<Kernels> read_on_cpu(std::string_view text) {
  cucore::ptx::Diagnostics log;
  const auto module = cucore::ptx::parse(text, log);
  if (!module) return std::nullopt;
  Kernels kernels;
  for (const cucore::ptx::Function& function : module->functions) {
    if (!function.is_entry || function.is_declaration) continue;
    auto& parameters = kernels[std::string(function.name)];
    for (const cucore::ptx::Variable& input : function.inputs())
      parameters.push_back(
          {static_cast<uint32_t>(input.offset), static_cast<uint32_t>(input.size)});
  }
  return kernels;
}

// Offsets after a larger alignment than this depend on the architecture.
inline constexpr uint32_t COMMON_ALIGNMENT = 16;

inline bool is_same(const std::vector<Parameter>& ours, const std::vector<Parameter>& theirs) {
  bool is_common = true;
  return std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                    [&](const Parameter& a, const Parameter& b) {
                      is_common = is_common && a.alignment <= COMMON_ALIGNMENT;
                      return a.size == b.size && (a.offset == b.offset || !is_common);
                    });
}

// `ours` come from the reader of object code, which reports alignments.
inline bool agree(const Kernels& ours, const Kernels& theirs) {
  return std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                    [](const auto& a, const auto& b) {
                      return a.first == b.first && is_same(a.second, b.second);
                    });
}

}  // namespace cucore::fuzz
