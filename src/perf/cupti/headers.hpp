// SPDX-License-Identifier: Apache-2.0
// The headers of CUPTI, which include less than they use.
#pragma once

// clang-format off
#include <cstddef>
#include <cstdint>
#include <string>
#include <cuda.h>
#include <cupti_result.h>
#include <cupti_version.h>
#include <cupti_callbacks.h>
#include <cupti_activity.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
// clang-format on
