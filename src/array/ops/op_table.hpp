// SPDX-License-Identifier: Apache-2.0
// The generated arrays behind op.hpp.
#pragma once

#include <cstddef>

#include "array/ops/op.hpp"

namespace cucore::array {

struct OpName {
  std::string_view name;
  int32_t number;
};

extern const Op OPS[];           // by number
extern const OpName OP_NAMES[];  // by name
extern const size_t OP_COUNT, OP_NAME_COUNT;

}  // namespace cucore::array
