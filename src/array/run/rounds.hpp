// SPDX-License-Identifier: Apache-2.0
// The place in the rounds of a loop at which its pending operations are computed. At the same place
// of each round, they need the same kernels.
#pragma once

#include <cstdint>

#include "array/ir/value.hpp"

namespace cucore::array {

class Rounds {
 public:
  // Whether the pending operations are to be computed after the latest one. They exceed `most`, by
  // as many as the operations of a round.
  bool end(const Value& latest, int64_t pending, int64_t most) noexcept {
    return pending > most - NEAR && end_near(latest, pending, most);
  }

 private:
  // One operation rarely records more values. Before, the digests are not needed.
  static constexpr int64_t NEAR = 16;
  bool end_near(const Value& latest, int64_t pending, int64_t most) noexcept;

  uint64_t recent_ = 0;  // digests of the latest two operations
  uint64_t place_ = 0;   // those at the latest end
};

// Whether the chain of pending operations that ends with the value is to be computed, because its
// depth is `most` or more. A chain that repeats a round grows until it consists of whole rounds.
bool is_end_of_chain(const Value& latest, uint32_t most) noexcept;

}  // namespace cucore::array
