// SPDX-License-Identifier: Apache-2.0
#include "array/run/rounds.hpp"

#include <algorithm>
#include <array>
#include <span>

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

// ---- chains

// Operations of a round, and of the part of a chain that is compared.
constexpr size_t LONGEST_ROUND = 24, COMPARED = 64;

struct Link {
  uint64_t operation;  // a digest of it and of how it reads its operands
  uint64_t exact;      // also of the memory that it reads
};
using Chain = std::array<Link, COMPARED>;

void mix(uint64_t& digest, uint64_t part) noexcept {
  constexpr uint64_t FACTOR = 0x9E3779B97F4A7C15;
  digest = (digest ^ part ^ digest >> BITS) * FACTOR;
}

Link link_of(const Value& value) noexcept {
  Link link{digest_of(value), 0};
  for (const Operand& operand : value.operands()) {
    const bool is_pending = operand.value && operand.value->is_pending();
    mix(link.operation, is_pending ? digest_of(*operand.value) : 0);
    mix(link.operation, static_cast<uint64_t>(operand.view.offset));
    for (const int64_t stride : operand.view.strides)
      mix(link.operation, static_cast<uint64_t>(stride));
    mix(link.exact, is_pending ? 0 : reinterpret_cast<uintptr_t>(operand.value.get()));
  }
  mix(link.exact, link.operation);
  return link;
}

const Value* deepest_operand(const Value& value) noexcept {
  const Value* deepest = nullptr;
  for (const Operand& operand : value.operands())
    if (operand.value && operand.value->is_pending() &&
        (!deepest || operand.value->depth() > deepest->depth()))
      deepest = operand.value.get();
  return deepest;
}

// From the latest operation backwards, along the deepest operands.
std::span<const Link> links_of(const Value& latest, Chain& chain) noexcept {
  size_t count = 0;
  for (const Value* value = &latest; value && count < COMPARED; value = deepest_operand(*value))
    chain[count++] = link_of(*value);
  return std::span(chain).first(count);
}

// The operations of a round; 0 if the links do not repeat. The first round differs from the others,
// because it reads memory. At least a half of another round is compared.
size_t round_of(std::span<const Link> links, uint64_t Link::*digest) noexcept {
  const size_t longest = std::min(LONGEST_ROUND, links.size() * 2 / 5);
  for (size_t length = 1; length <= longest; ++length) {
    const auto equal = [&](const Link& a, const Link& b) { return a.*digest == b.*digest; };
    const std::span<const Link> later = links.first(links.size() - 2 * length);
    if (std::equal(later.begin(), later.end(), links.begin() + static_cast<ptrdiff_t>(length),
                   equal))
      return length;
  }
  return 0;
}

}  // namespace

bool is_end_of_chain(const Value& latest, uint32_t most) noexcept {
  if (latest.depth() < most) return false;
  if (latest.depth() - most >= LONGEST_ROUND) return true;
  Chain chain;
  const std::span<const Link> links = links_of(latest, chain);
  size_t round = round_of(links, &Link::exact);
  if (round == 0) round = round_of(links, &Link::operation);
  return round == 0 || latest.depth() % round == 0;
}

bool Rounds::end_near(const Value& latest, int64_t pending, int64_t most) noexcept {
  recent_ = recent_ << BITS | digest_of(latest);
  if (pending <= most) return false;
  if (pending <= most + LONGEST && place_ != 0 && place_ != recent_) return false;
  place_ = recent_;
  return true;
}

}  // namespace cucore::array
