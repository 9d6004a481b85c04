// SPDX-License-Identifier: Apache-2.0
#include "array/ops/op.hpp"

#include <algorithm>

#include "array/ops/op_table.hpp"

namespace cucore::array {

std::span<const Op> all_ops() noexcept { return {OPS, OP_COUNT}; }

const Op* find_op(int32_t number) noexcept {
  const auto ops = all_ops();
  const auto found = std::ranges::lower_bound(ops, number, {}, &Op::number);
  return found != ops.end() && found->number == number ? &*found : nullptr;
}

const Op* find_op(std::string_view name) noexcept {
  const std::span names(OP_NAMES, OP_NAME_COUNT);
  const auto found = std::ranges::lower_bound(names, name, {}, &OpName::name);
  return found != names.end() && found->name == name ? find_op(found->number) : nullptr;
}

}  // namespace cucore::array
