// SPDX-License-Identifier: Apache-2.0
// The calls of the library that a capture of a stream forbids. Such a call breaks the capture, and
// the end of the capture names it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "driver/cuda.hpp"

namespace cucore::driver {

// Notes a failed call if its result means that it has broken a capture.
void note_capture_failure(CUresult result, std::string_view what) noexcept;

// Returns how many have been noted.
uint64_t capture_failures() noexcept;

// Returns "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, in the attempt to fill 16 bytes of a buffer on
// device 0" of the first call after that number, if it is still known, else "".
std::string capture_failure_since(uint64_t number);

}  // namespace cucore::driver
