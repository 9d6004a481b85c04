// SPDX-License-Identifier: Apache-2.0
// The driver functions that the kernels' tests call, of the library that $CUCORE_CPU_LIBRARY names.
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

// Opens the library, device 0 and its primary context when first called.
const Calls& calls();
void check(CUresult result, const char* what);  // throws std::runtime_error
// After an error that sticks.
void reset();

}  // namespace cucore::cpu::kernels
