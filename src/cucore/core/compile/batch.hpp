// SPDX-License-Identifier: Apache-2.0
// Many compiles at once: threads that each have a worker process and take one item after another.
#pragma once

#include <chrono>
#include <functional>

#include "core/compile/nvrtc_job.hpp"

namespace cucore::core {

// Does item `index` with that runner; what it throws is the batch's failure, so it should throw
// nothing that belongs to one item.
using BatchWork = std::function<void(size_t index, NvrtcRunner& runner)>;

// `workers`: 0 is one a core. Returns once every item is done.
void run_batch(size_t count, size_t workers, std::chrono::milliseconds time_limit,
               const BatchWork& work);

}  // namespace cucore::core
