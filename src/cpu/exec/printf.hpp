// SPDX-License-Identifier: Apache-2.0
// The texts that kernels print; output.hpp holds them until the host waits.
#pragma once

#include <functional>
#include <string>

#include "cpu/exec/warp.hpp"

namespace cucore::cpu {

// Where the arguments of one call and the strings that they point to are read from; both throw for
// memory that is not the thread's to read.
struct PrintfSource {
  std::function<void(uint64_t offset, void* to, uint64_t size)> argument;
  std::function<std::string(uint64_t address)> string;
};

// Appends the text to `out`, as CUDA's printf: 32 arguments at most; widths and precisions may be
// `*`. Returns the number of arguments, or -1 if the format is not valid or the text is longer than
// `capacity`: then `out` has less than that, and no more memory was needed.
int format_printf(const std::string& format, const PrintfSource& source, uint64_t capacity,
                  std::string& out);

}  // namespace cucore::cpu
