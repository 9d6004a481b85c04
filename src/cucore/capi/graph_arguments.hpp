// SPDX-License-Identifier: Apache-2.0
// Arguments that several functions about graphs have.
#pragma once

#include <span>

#include "capi/guard.hpp"
#include "core/graph/graph.hpp"

namespace cucore::capi {

inline std::span<const cucore_node> after_of(const cucore_node* after, size_t count) {
  return require_array(after, count, "after");
}

}  // namespace cucore::capi
