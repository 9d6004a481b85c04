// SPDX-License-Identifier: Apache-2.0
// The roof of a device: the highest rates that kernels of this library have reached on it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "perf/machine/measured_machine.hpp"
#include "support/ref.hpp"

namespace cucore::perf {

// As cucore_roof_kind.
enum class RoofKind : int32_t {
#define ROOF_KIND(number, kind, name, unit) kind = (number),
#include "perf/machine/roof_kinds.inc"
#undef ROOF_KIND
};
inline constexpr size_t ROOF_KINDS = 18;

enum class RoofUnit { BYTES, OPERATIONS, SECONDS };  // bytes and operations per second

const char* roof_name(RoofKind kind);  // "copy"
RoofUnit roof_unit(RoofKind kind);
std::optional<RoofKind> roof_kind_of(std::string_view name);

// A change of the kernels makes older roofs invalid.
inline constexpr uint32_t ROOF_REVISION = 1;

struct RoofMachine : MeasuredMachine {
  double memory_clock_mhz = 0;
  bool is_emulated = false;
  uint32_t threads = 0;  // of the host that run an emulated device; else 0

  // The rates of one such machine are those of another one.
  bool is_same_device(const RoofMachine& other) const;
};

// Never changes once it is made.
class Roof final : public Object {
 public:
  RoofMachine machine;
  uint32_t revision = ROOF_REVISION;
  double seconds = 0;  // that the measurement took

  double value(RoofKind kind) const { return values_[index(kind)]; }  // NaN: unknown
  void set(RoofKind kind, double value) { values_[index(kind)] = value; }

 private:
  static size_t index(RoofKind kind) { return static_cast<size_t>(kind) - 1; }

  std::array<double, ROOF_KINDS> values_ = [] {
    std::array<double, ROOF_KINDS> none{};
    none.fill(std::numeric_limits<double>::quiet_NaN());
    return none;
  }();
};

}  // namespace cucore::perf
