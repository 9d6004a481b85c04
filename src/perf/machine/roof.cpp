// SPDX-License-Identifier: Apache-2.0
#include "perf/machine/roof.hpp"

namespace cucore::perf {
namespace {

struct RoofRow {
  RoofKind kind;
  const char* name;
  RoofUnit unit;
};

constexpr RoofRow ROOF_ROWS[] = {
#define ROOF_KIND(number, kind, name, unit) {RoofKind::kind, name, RoofUnit::unit},
#include "perf/machine/roof_kinds.inc"
#undef ROOF_KIND
};
static_assert(std::size(ROOF_ROWS) == ROOF_KINDS);

const RoofRow& row_of(RoofKind kind) { return ROOF_ROWS[static_cast<size_t>(kind) - 1]; }

}  // namespace

const char* roof_name(RoofKind kind) { return row_of(kind).name; }

RoofUnit roof_unit(RoofKind kind) { return row_of(kind).unit; }

std::optional<RoofKind> roof_kind_of(std::string_view name) {
  for (const RoofRow& row : ROOF_ROWS)
    if (name == row.name) return row.kind;
  return std::nullopt;
}

bool RoofMachine::is_same_device(const RoofMachine& other) const {
  return uuid == other.uuid && arch == other.arch && driver == other.driver &&
         clock_limit_mhz == other.clock_limit_mhz && memory_clock_mhz == other.memory_clock_mhz &&
         is_emulated == other.is_emulated && threads == other.threads;
}

}  // namespace cucore::perf
