// SPDX-License-Identifier: Apache-2.0
// The driver functions for the kernels' tests, from the library in $CUCORE_CPU_LIBRARY.
#pragma once

#include <cuda.h>

#include <stdexcept>
#include <string>

namespace cucore::cpu::kernels {

struct Calls {
#define CALL(name) decltype(&::name) name = nullptr;
#include "driver_calls.inc"
#undef CALL
};

// The first call opens the library, device 0 and its primary context.
const Calls& calls();
void check(CUresult result, const char* what);  // throws std::runtime_error
// For use after an error that sticks.
void reset();

}  // namespace cucore::cpu::kernels
