// SPDX-License-Identifier: Apache-2.0
// The texts that kernels print; output.hpp stores them until the host waits.
#pragma once

#include <functional>
#include <string>

#include "cpu/exec/warp.hpp"

namespace cucore::cpu {

// The source of the arguments of one call and of their strings. Both functions throw for memory
// that the thread may not read.
struct PrintfSource {
  std::function<void(uint64_t offset, void* to, uint64_t size)> argument;
  std::function<std::string(uint64_t address)> string;
};

// Appends the text to `out`, as CUDA's printf: at most 32 arguments; widths and precisions may be
// `*`. Returns the number of arguments. Returns -1 if the format is not valid or the text is longer
// than `capacity`. In that case `out` is shorter than `capacity`, and no more memory was used.
int format_printf(const std::string& format, const PrintfSource& source, uint64_t capacity,
                  std::string& out);

}  // namespace cucore::cpu
