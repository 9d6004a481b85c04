// SPDX-License-Identifier: Apache-2.0
// Reads a launch out of its block of bytes.
#include "launch.hpp"

#include <cstring>

#include "failure.hpp"

namespace cucore::bind {
namespace {

[[noreturn]] void refuse() {
  throw Failure(CUCORE_ERROR_INVALID_ARGUMENT, "the block of a launch is not well formed");
}

void* handle_of(uint64_t number, ObjectNumbers* numbers) {
  return numbers ? numbers->handle(number) : reinterpret_cast<void*>(number);
}

const void* read_buffer(const char* from, ObjectNumbers* numbers) {
  uint64_t number = 0;
  std::memcpy(&number, from, sizeof number);
  return handle_of(number, numbers);
}

template <class Handle>
Handle* read_optional(uint64_t number, ObjectNumbers* numbers) {
  return number ? static_cast<Handle*>(handle_of(number, numbers)) : nullptr;
}

void read_arguments(const char* from, size_t size, cucore_argument* out, size_t count,
                    ObjectNumbers* numbers) {
  for (size_t i = 0; i < count; ++i) {
    struct {
      uint32_t size;
      ArgumentKind kind;
    } entry;
    if (size < sizeof entry) refuse();
    std::memcpy(&entry, from, sizeof entry);
    const size_t padded = sizeof entry + (size_t{entry.size} + 7) / 8 * 8;
    if (padded > size) refuse();
    const char* const value = from + sizeof entry;
    if (entry.kind == ArgumentKind::VALUE)
      out[i] = {value, entry.size};
    else if (entry.kind == ArgumentKind::BUFFER && entry.size == sizeof(uint64_t))
      out[i] = {read_buffer(value, numbers), CUCORE_ARGUMENT_OBJECT};
    else
      refuse();
    from += padded;
    size -= padded;
  }
  if (size != 0) refuse();
}

}  // namespace

LaunchOptions::LaunchOptions(const void* data, size_t size, ObjectNumbers* numbers) {
  LaunchHead head;
  if (size < sizeof head) refuse();
  std::memcpy(&head, data, sizeof head);
  for (int i = 0; i < 3; ++i) {
    options_.grid[i] = head.grid[i];
    options_.block[i] = head.block[i];
    options_.cluster[i] = head.cluster[i];
  }
  options_.dynamic_shared = head.dynamic_shared;
  options_.cooperative = head.cooperative;
  options_.programmatic_serialization = head.programmatic_serialization;
  options_.priority = head.priority;
  argument_count_ = head.argument_count & ~HAS_TAIL;
  if (head.argument_count & HAS_TAIL)
    read_tail(static_cast<const char*>(data) + sizeof head, size - sizeof head, numbers);
}

void LaunchOptions::read_tail(const char* data, size_t size, ObjectNumbers* numbers) {
  LaunchTail tail;
  if (size < sizeof tail) refuse();
  std::memcpy(&tail, data, sizeof tail);
  if (tail.attribute_count > (size - sizeof tail) / sizeof(cucore_launch_attribute)) refuse();
  for (int i = 0; i < 3; ++i) options_.preferred_cluster[i] = tail.preferred_cluster[i];
  options_.cluster_scheduling = static_cast<cucore_cluster_scheduling>(tail.cluster_scheduling);
  options_.shared_carveout = tail.shared_carveout;
  options_.memory_domain = tail.memory_domain;
  options_.memory_domain_map = tail.memory_domain_map;
  options_.device_updatable = tail.device_updatable;
  options_.nvlink_scheduling = tail.nvlink_scheduling;
  options_.programmatic_at_start = tail.programmatic_at_start;
  options_.programmatic_event = read_optional<cucore_event>(tail.programmatic_event, numbers);
  options_.completion_event = read_optional<cucore_event>(tail.completion_event, numbers);
  if (tail.buffer) {
    window_ = {read_optional<cucore_buffer>(tail.buffer, numbers),
               static_cast<size_t>(tail.offset),
               static_cast<size_t>(tail.size),
               tail.hit_ratio,
               static_cast<cucore_access_property>(tail.hit),
               static_cast<cucore_access_property>(tail.miss),
               0};
    options_.access_window = &window_;
  }
  attributes_.resize(tail.attribute_count);
  const size_t bytes = attributes_.size() * sizeof(cucore_launch_attribute);
  if (bytes) std::memcpy(attributes_.data(), data + sizeof tail, bytes);
  options_.attributes = attributes_.data();
  options_.attribute_count = attributes_.size();
  size_ += sizeof tail + bytes;
}

Launch::Launch(const void* data, size_t size, ObjectNumbers* numbers)
    : options_(data, size, numbers), count_(options_.argument_count()) {
  const size_t rest = size - options_.size();
  if (count_ > rest / 8) refuse();
  if (count_ > FEW) many_.resize(count_);
  read_arguments(static_cast<const char*>(data) + options_.size(), rest,
                 many_.empty() ? few_ : many_.data(), count_, numbers);
  if (numbers) numbers->begin();
}

void launch_packed(const cucore_kernel* kernel, const cucore_stream* stream, const void* data,
                   size_t size, ObjectNumbers* numbers) {
  const LaunchOptions options(data, size, numbers);
  if (numbers) numbers->begin();
  ok(cucore_kernel_launch_packed, kernel, stream, &options.get(),
     static_cast<const char*>(data) + options.size(), size - options.size());
}

void launch(const cucore_kernel* kernel, const cucore_stream* stream, const void* data, size_t size,
            ObjectNumbers* numbers) {
  const Launch block(data, size, numbers);
  ok(cucore_kernel_launch, kernel, stream, &block.options(), block.arguments(), block.count());
}

cucore_prepared_launch* prepare(const cucore_kernel* kernel, const cucore_stream* stream,
                                const void* data, size_t size, ObjectNumbers* numbers) {
  const Launch block(data, size, numbers);
  return made<cucore_prepared_launch*>(cucore_prepared_launch_create, kernel, stream,
                                       &block.options(), block.arguments(), block.count());
}

void update(cucore_prepared_launch* prepared, size_t index, const void* data, size_t size,
            ObjectNumbers* numbers) {
  const Launch block(data, size, numbers);
  if (block.count() != 1) refuse();
  ok(cucore_prepared_launch_update, prepared, index, block.arguments());
}

}  // namespace cucore::bind
