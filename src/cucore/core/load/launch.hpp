// SPDX-License-Identifier: Apache-2.0
// Launches a kernel, after all possible checks, with one call of the driver.
#pragma once

#include <cucore.h>

#include "core/load/buffer_arguments.hpp"
#include "core/load/kernel.hpp"
#include "core/objects/stream.hpp"

namespace cucore::core {

// launch() for a stream that may be captured, and for one that is not.
void launch_capturable(const Kernel& kernel, const Stream& stream,
                       const cucore_launch_options& options, const cucore_argument* arguments,
                       size_t count, const LaunchHandles& handles);
void launch_uncaptured(const Kernel& kernel, const Stream& stream,
                       const cucore_launch_options& options, const cucore_argument* arguments,
                       size_t count, const LaunchHandles& handles);

// `handles` resolves the objects in the arguments and the options.
inline void launch(const Kernel& kernel, const Stream& stream, const cucore_launch_options& options,
                   const cucore_argument* arguments, size_t count, const LaunchHandles& handles) {
  if (stream.may_be_captured()) [[unlikely]]
    return launch_capturable(kernel, stream, options, arguments, count, handles);
  launch_uncaptured(kernel, stream, options, arguments, count, handles);
}

void launch_packed(const Kernel& kernel, const Stream& stream, const cucore_launch_options& options,
                   const void* arguments, size_t size, const LaunchHandles& handles);

// Starts a launch that has been checked: `arguments` point at a value per parameter.
void start(const Kernel& kernel, const KernelImage& image, const Stream& stream,
           const CUlaunchConfig& configuration, void** arguments, BufferArguments* buffers);

// A kernel may use this much dynamic shared memory without a change of its attributes.
inline constexpr uint32_t ALWAYS_ALLOWED_SHARED = 48 * 1024;

// Throws INVALID_ARGUMENT unless the kernel has so many parameters, if they are known.
void require_count(const Kernel& kernel, const KernelImage& image, size_t count);

// Lets launches of the kernel use so much dynamic shared memory. Throws INVALID_ARGUMENT if the
// device has less.
void allow_shared(const Kernel& kernel, const Device& device, uint32_t bytes);

// Returns how many clusters of such a launch fit on the device at a time.
int max_active_clusters(const Kernel& kernel, const Device& device,
                        const cucore_launch_options& options, const LaunchHandles& handles);

}  // namespace cucore::core
