// SPDX-License-Identifier: Apache-2.0
#include "perf/profile/argument_lists.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

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

// The mixing step of the FNV hash, word by word.
class ArgumentHash {
 public:
  void add_bytes(const ArgumentBytes& value) {
    mix(value.size);
    const auto* bytes = static_cast<const std::byte*>(value.data);
    for (size_t at = 0; at < value.size; at += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, bytes + at, std::min(sizeof word, value.size - at));
      mix(word);
    }
  }
  void add_argument(const ArgumentBytes& value) {
    uint64_t word = 0;
    if (value.size == sizeof word) std::memcpy(&word, value.data, sizeof word);
    if (!is_address(word)) return add_bytes(value);
    mix(value.size);
    mix(word & ALIGNMENT_BITS);
  }
  uint64_t value() const { return hash_ ^ (hash_ >> 32); }

 private:
  void mix(uint64_t word) { hash_ = (hash_ ^ word) * 0x100000001b3u; }

  uint64_t hash_ = 0xcbf29ce484222325u;
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
