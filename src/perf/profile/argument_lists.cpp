// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/argument_lists.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "support/word_hash.hpp"

namespace cucore::perf {
namespace {

constexpr uint64_t ALIGNMENT_BITS = 255;  // of addresses: a whole cache line of each kind

struct ArgumentBytes {
  const void* data;
  size_t size;
};

// Reads an argument. `address` is used for buffers.
ArgumentBytes value_of(const cucore_argument& argument, uint64_t& address) {
  if (argument.size != CUCORE_ARGUMENT_OBJECT) return {argument.data, argument.size};
  address = cucore_buffer_address(static_cast<const cucore_buffer*>(argument.data));
  return {&address, sizeof address};
}

// Depends on the values, and on the alignment of addresses. It depends also on the distance of
// addresses that are too close together for different arrays.
class ArgumentHash {
 public:
  void add_bytes(const ArgumentBytes& value) {
    hash_.mix(value.size);
    const auto* bytes = static_cast<const std::byte*>(value.data);
    for (size_t at = 0; at < value.size; at += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, bytes + at, std::min(sizeof word, value.size - at));
      hash_.mix(word);
    }
  }
  void add_argument(const ArgumentBytes& value) {
    uint64_t word = 0;
    if (value.size == sizeof word) std::memcpy(&word, value.data, sizeof word);
    if (!is_address(word)) return add_bytes(value);
    hash_.mix(value.size);
    hash_.mix(word & ALIGNMENT_BITS);
    add_overlap(word);
  }
  uint64_t value() const { return hash_.value(); }

 private:
  void add_overlap(uint64_t address) {
    for (size_t at = 0; at < count_; ++at)
      if (address - addresses_[at] + ALIGNMENT_BITS <= 2 * ALIGNMENT_BITS) return hash_.mix(at + 1);
    if (count_ < addresses_.size()) addresses_[count_++] = address;
  }

  WordHash hash_;
  std::array<uint64_t, 16> addresses_{};  // the first different ones
  size_t count_ = 0;
};

std::vector<std::byte> copy_of(const ArgumentBytes& value) {
  const auto* bytes = static_cast<const std::byte*>(value.data);
  return {bytes, bytes + value.size};
}

}  // namespace

void ArgumentLists::add(const cucore_operation& launch, uint64_t calls) {
  calls_ += calls;
  const std::span arguments(launch.arguments, launch.arguments ? launch.argument_count : 0);
  const ArgumentBytes packed{launch.packed, launch.packed_size};
  uint64_t address = 0;
  ArgumentHash hash;
  for (const cucore_argument& argument : arguments) hash.add_argument(value_of(argument, address));
  if (packed.data) hash.add_bytes(packed);
  for (ArgumentList& list : lists_)
    if (list.hash == hash.value()) {
      list.calls += calls;
      return;
    }
  if (lists_.size() == MOST) return;
  ArgumentList list{hash.value(), calls, packed.data != nullptr, {}};
  for (const cucore_argument& argument : arguments)
    list.values.push_back(copy_of(value_of(argument, address)));
  if (packed.data) list.values.push_back(copy_of(packed));
  lists_.push_back(std::move(list));
}

}  // namespace cucore::perf
