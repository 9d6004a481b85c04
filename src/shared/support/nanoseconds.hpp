// SPDX-License-Identifier: Apache-2.0
// Times of the system as one number.
#pragma once

#include <time.h>

#include <cstdint>

namespace cucore {

inline int64_t nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace cucore
