// SPDX-License-Identifier: Apache-2.0
// The rates of a usual device of each architecture, by its datasheet.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace cucore::perf {

// The types of operations that devices execute in separate units.
enum class Unit : uint8_t { F16, F32, F64, INTEGER, MATRIX, COUNT };
inline constexpr size_t UNITS = static_cast<size_t>(Unit::COUNT);

struct Datasheet {
  uint16_t arch;       // 90
  const char* device;  // "H100 SXM"
  uint32_t multiprocessors;
  double l2_bytes;
  double bytes_per_second;                          // of its memory
  std::array<double, UNITS> operations_per_second;  // an fma is two
};

std::span<const Datasheet> all_datasheets();
// Returns nullptr for an architecture without one.
const Datasheet* find_datasheet(uint16_t arch);

}  // namespace cucore::perf
