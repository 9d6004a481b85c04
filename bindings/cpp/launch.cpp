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

const void* read_buffer(const char* from, BufferNumbers* numbers) {
  uint64_t number = 0;
  std::memcpy(&number, from, sizeof number);
  return numbers ? numbers->handle(number) : reinterpret_cast<const void*>(number);
}

void read_arguments(const char* from, size_t size, cucore_argument* out, size_t count,
                    BufferNumbers* numbers) {
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

LaunchHead launch_head(const void* data, size_t size) {
  LaunchHead head;
  if (size < sizeof head) refuse();
  std::memcpy(&head, data, sizeof head);
  return head;
}

cucore_launch_options launch_options(const LaunchHead& head) {
  cucore_launch_options options = CUCORE_LAUNCH_OPTIONS_INIT;
  for (int i = 0; i < 3; ++i) {
    options.grid[i] = head.grid[i];
    options.block[i] = head.block[i];
    options.cluster[i] = head.cluster[i];
  }
  options.dynamic_shared = head.dynamic_shared;
  options.cooperative = head.cooperative;
  options.programmatic_serialization = head.programmatic_serialization;
  options.priority = head.priority;
  return options;
}

Launch::Launch(const void* data, size_t size, BufferNumbers* numbers) {
  const LaunchHead head = launch_head(data, size);
  const size_t rest = size - sizeof head;
  if (head.argument_count > rest / 8) refuse();
  count_ = head.argument_count;
  if (count_ > FEW) many_.resize(count_);
  read_arguments(static_cast<const char*>(data) + sizeof head, rest,
                 many_.empty() ? few_ : many_.data(), count_, numbers);
  if (numbers) numbers->begin();
  options_ = launch_options(head);
}

void launch(const cucore_kernel* kernel, const cucore_stream* stream, const void* data, size_t size,
            BufferNumbers* numbers) {
  const Launch block(data, size, numbers);
  ok(cucore_kernel_launch, kernel, stream, &block.options(), block.arguments(), block.count());
}

cucore_prepared_launch* prepare(const cucore_kernel* kernel, const cucore_stream* stream,
                                const void* data, size_t size, BufferNumbers* numbers) {
  const Launch block(data, size, numbers);
  return made<cucore_prepared_launch*>(cucore_prepared_launch_create, kernel, stream,
                                       &block.options(), block.arguments(), block.count());
}

void update(cucore_prepared_launch* prepared, size_t index, const void* data, size_t size,
            BufferNumbers* numbers) {
  const Launch block(data, size, numbers);
  if (block.count() != 1) refuse();
  ok(cucore_prepared_launch_update, prepared, index, block.arguments());
}

}  // namespace cucore::bind
