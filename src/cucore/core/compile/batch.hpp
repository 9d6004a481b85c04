// SPDX-License-Identifier: Apache-2.0
// Many compiles at once: threads with a worker process each, which take one item after another.
#pragma once

#include <chrono>
#include <functional>

#include "core/compile/nvrtc_job.hpp"

namespace cucore::core {

// Processes item `index` with that runner. An exception is the failure of the whole batch, so
// failures of one item must not be thrown.
using BatchWork = std::function<void(size_t index, NvrtcRunner& runner)>;

// `workers`: 0 is one per core. Returns when every item is done.
void run_batch(size_t count, size_t workers, std::chrono::milliseconds time_limit,
               const BatchWork& work);

}  // namespace cucore::core
