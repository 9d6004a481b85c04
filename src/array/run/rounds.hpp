// SPDX-License-Identifier: Apache-2.0
// The place in the rounds of a loop at which its pending operations are computed. At the same place
// of each round, they need the same kernels.
#pragma once

#include <cstdint>

#include "array/ir/value.hpp"

namespace cucore::array {

class Rounds {
 public:
  // An operation has been recorded.
  void add(const Value& latest) noexcept;
  // Whether the pending operations are to be computed after the latest one. They exceed `most`, by
  // as many as the operations of a round.
  bool end(int64_t pending, int64_t most) noexcept;

 private:
  uint64_t recent_ = 0;  // digests of the latest two operations
  uint64_t place_ = 0;   // those at the latest end
};

}  // namespace cucore::array
