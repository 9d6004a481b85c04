// SPDX-License-Identifier: Apache-2.0
#include "array/run/rounds.hpp"

#include "array/ops/op.hpp"

namespace cucore::array {
namespace {

// A loop may repeat an operation in a round, and rarely repeats two that follow each other.
constexpr int BITS = 32;
// The operations of the longest round that has a place of its own.
constexpr int64_t LONGEST = 16;

uint64_t digest_of(const Value& value) noexcept {
  constexpr uint64_t FACTOR = 0x9E3779B97F4A7C15;
  const auto op = static_cast<uint64_t>(value.map.op ? value.map.op->number : 0);
  uint64_t digest = static_cast<uint64_t>(value.count) * FACTOR;
  for (const uint64_t part :
       {op, static_cast<uint64_t>(value.kind), static_cast<uint64_t>(value.dtype),
        static_cast<uint64_t>(value.reduce.op)})
    digest = (digest ^ part) * FACTOR;
  return digest >> (64 - BITS) | 1;
}

}  // namespace

bool Rounds::end_near(const Value& latest, int64_t pending, int64_t most) noexcept {
  recent_ = recent_ << BITS | digest_of(latest);
  if (pending <= most) return false;
  if (pending <= most + LONGEST && place_ != 0 && place_ != recent_) return false;
  place_ = recent_;
  return true;
}

}  // namespace cucore::array
