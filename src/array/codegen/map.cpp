// SPDX-License-Identifier: Apache-2.0
#include "array/codegen/map.hpp"

#include "array/codegen/map_text.hpp"
#include "array/codegen/statements.hpp"
#include "array/codegen/tiled.hpp"
#include "support/concat.hpp"

namespace cucore::array {
namespace {

struct Units {
  int64_t last;   // elements of the last axis
  int64_t each;   // vectors that hold them
  int64_t count;  // vectors of the kernel
};

Units units_of(const Kernel& kernel, const Form& form) {
  Units units{.last = kernel.outer.empty() ? 1 : kernel.outer[kernel.outer.size() - 1],
              .each = 0,
              .count = 0};
  units.each = (units.last + form.vector - 1) / form.vector;
  units.count = units.each;
  for (size_t axis = 0; axis + 1 < kernel.outer.size(); ++axis) units.count *= kernel.outer[axis];
  return units;
}

}  // namespace

void add_map_fields(Fields& fields, const Kernel& kernel, const Form& form,
                    const Addresses& addresses) {
  if (form.side > 0) {
    add_tile_fields(fields, kernel, form);
    return add_nodes(fields, kernel, form, addresses);
  }
  const Units units = units_of(kernel, form);
  const auto name = [&](const std::string& text) {
    return fields.declares() ? text : std::string();
  };
  const auto number = [&](std::string_view field, int64_t value) {
    if (form.wide)
      fields.add("i64", field, value);
    else
      fields.add("i32", field, static_cast<int32_t>(value));
  };
  number("last", units.last);
  if (kernel.outer.size() > 1) {
    number("units", units.count);
    number("whole", units.last % form.vector == 0);
    add_divisor(fields, form.wide, "each", units.each);
    for (size_t axis = 1; axis + 1 < kernel.outer.size(); ++axis)
      add_divisor(fields, form.wide, name(concat("n", axis)), kernel.outer[axis]);
  }
  if (map_is_ordered(kernel)) {  // the marks begin at the element that index 0 finds
    const int64_t offset =
        int64_t(address_of(0, kernel.stores[0].access, kernel.stores[0].part, Dtype::UINT8)) *
        (form.wide ? 8 : 4);
    fields.add("u64", "winners", addresses.partials + uint64_t(offset));
  }
  add_nodes(fields, kernel, form, addresses);
}

bool map_is_ordered(const Kernel& kernel) noexcept {
  return !kernel.stores.empty() && kernel.stores[0].ordered;
}

Scratch map_scratch(const Kernel& kernel) {
  if (!map_is_ordered(kernel)) return {};
  const int64_t elements =
      kernel.outputs[kernel.stores[0].slot]->count * (kernel.stores[0].part == Part::WHOLE ? 1 : 2);
  return {.partial_bytes = elements * (needs_wide(kernel) ? 8 : 4)};
}

std::string map_body(const Kernel& kernel, const Form& form, const std::string& name) {
  return form.side > 0 ? tiled_body(kernel, form, name) : MapText(kernel, form).body(name);
}

LaunchPlan map_launch(const Kernel& kernel, const Form& form) {
  if (form.side > 0)
    return {.grid = tile_count(kernel, form), .block = uint32_t{MAP_THREADS}, .parameters = {}};
  const int64_t per_block = MAP_THREADS * form.unroll;
  const Units units = units_of(kernel, form);
  return {.grid = (units.count + per_block - 1) / per_block,
          .block = uint32_t{MAP_THREADS},
          .parameters = {}};
}

}  // namespace cucore::array
