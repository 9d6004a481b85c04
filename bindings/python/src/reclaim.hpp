// SPDX-License-Identifier: Apache-2.0
// Retries allocations that find no device memory, after a collection of dropped buffers.
#pragma once

#include <Python.h>

#include "failure.hpp"

namespace cucore::bind {

// Returns whether the allocation should be tried again, after `tries` repetitions. Otherwise the
// exception is set.
bool reclaim_or_raise(const Failure& failure, int tries);

}  // namespace cucore::bind
