// The texts that kernels print; output.hpp holds them until the host waits.
#ifndef CUCPU_EXEC_PRINTF_HPP
#define CUCPU_EXEC_PRINTF_HPP

#include <functional>
#include <string>

#include "cpu/exec/warp.hpp"

namespace cucore::cpu {

// Where the arguments of one call and the strings that they point to are read from; both throw for
// memory that is not the thread's to read.
struct PrintfSource {
  std::function<void(u64 offset, void* to, u64 size)> argument;
  std::function<std::string(u64 address)> string;
};

// Appends the text to `out`, as CUDA's printf: 32 arguments at most; widths and precisions may be
// `*`. Returns the number of arguments, or -1 if the format is not valid or the text is longer than
// `capacity`: then `out` has less than that, and no more memory was needed.
int format_printf(const std::string& format, const PrintfSource& source, u64 capacity,
                  std::string& out);

}  // namespace cucore::cpu

#endif
