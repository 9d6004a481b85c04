// SPDX-License-Identifier: Apache-2.0
#include "perf/machine/limits.hpp"

#include <algorithm>
#include <string>

#include "image/arch.hpp"
#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::perf {
namespace {

constexpr Limits ROWS[] = {
#define LIMITS(arch, warps, blocks, kibibytes, unit, reserved) \
  {arch, warps, blocks, kibibytes * 1024, unit, reserved},
#include "perf/machine/limits.inc"
#undef LIMITS
};

std::string known_names() {
  std::string names;
  for (const Limits& row : ROWS) names += concat(names.empty() ? "sm_" : ", sm_", row.arch);
  return names;
}

}  // namespace

std::span<const Limits> all_limits() { return ROWS; }

const Limits* find_limits(uint16_t arch) {
  const auto* const found = std::ranges::find(ROWS, arch, &Limits::arch);
  return found == std::end(ROWS) ? nullptr : found;
}

const Limits& limits_of(std::string_view arch) {
  const auto parsed = image::Arch::parse(arch);
  if (!parsed)
    throw Error(Status::INVALID_ARGUMENT,
                concat("arch is '", arch, "'; expected the name of an architecture, as sm_90"));
  if (const Limits* limits = find_limits(parsed->number)) return *limits;
  throw Error(Status::UNSUPPORTED, concat("arch is ", arch, "; expected one of ", known_names()));
}

}  // namespace cucore::perf
