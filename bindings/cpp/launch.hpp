// A launch as one block of bytes: what Java and C# hand over in a single argument.
#pragma once

#include <cucore.h>

#include <cstdint>

namespace cucore::bind {

// The block begins with this; then, for each argument, its size as uint32_t, 4 bytes of zero, and
// the value, padded to a multiple of 8.
struct LaunchHead {
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t cluster[3];
  uint32_t dynamic_shared;
  int32_t cooperative;
  int32_t programmatic_serialization;
  int32_t priority;
  uint32_t argument_count;
};
static_assert(sizeof(LaunchHead) == 56);

cucore_launch_options launch_options(const LaunchHead& head);

void launch(const cucore_kernel* kernel, const cucore_stream* stream, const void* data,
            size_t size);

}  // namespace cucore::bind
