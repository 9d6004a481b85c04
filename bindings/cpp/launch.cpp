// SPDX-License-Identifier: Apache-2.0
// Reads a launch out of its block of bytes.
#include "launch.hpp"

#include <cstring>
#include <vector>

#include "failure.hpp"

namespace cucore::bind {
namespace {

constexpr size_t FEW = 32;  // arguments that need no allocation

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

void launch(const cucore_kernel* kernel, const cucore_stream* stream, const void* data, size_t size,
            BufferNumbers* numbers) {
  const LaunchHead head = launch_head(data, size);
  const size_t rest = size - sizeof head;
  if (head.argument_count > rest / 8) refuse();
  cucore_argument few[FEW];
  std::vector<cucore_argument> many(head.argument_count > FEW ? head.argument_count : 0);
  cucore_argument* arguments = many.empty() ? few : many.data();
  read_arguments(static_cast<const char*>(data) + sizeof head, rest, arguments, head.argument_count,
                 numbers);
  if (numbers) numbers->begin();
  const cucore_launch_options options = launch_options(head);
  ok(cucore_kernel_launch, kernel, stream, &options, arguments, head.argument_count);
}

}  // namespace cucore::bind
