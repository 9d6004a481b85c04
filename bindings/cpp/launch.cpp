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

void read_arguments(const char* from, size_t size, cucore_argument* out, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    uint32_t length = 0;
    if (size < 8) refuse();
    std::memcpy(&length, from, sizeof length);
    const size_t padded = 8 + (size_t{length} + 7) / 8 * 8;
    if (padded > size) refuse();
    out[i] = {from + 8, length};
    from += padded;
    size -= padded;
  }
  if (size != 0) refuse();
}

}  // namespace

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

void launch(const cucore_kernel* kernel, const cucore_stream* stream, const void* data,
            size_t size) {
  LaunchHead head;
  if (size < sizeof head) refuse();
  std::memcpy(&head, data, sizeof head);
  const size_t rest = size - sizeof head;
  if (head.argument_count > rest / 8) refuse();
  cucore_argument few[FEW];
  std::vector<cucore_argument> many(head.argument_count > FEW ? head.argument_count : 0);
  cucore_argument* arguments = many.empty() ? few : many.data();
  read_arguments(static_cast<const char*>(data) + sizeof head, rest, arguments,
                 head.argument_count);
  const cucore_launch_options options = launch_options(head);
  ok(cucore_kernel_launch, kernel, stream, &options, arguments, head.argument_count);
}

}  // namespace cucore::bind
