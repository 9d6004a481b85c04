// SPDX-License-Identifier: Apache-2.0
// The JIT options of the load functions and of links. Logs, the time and the targeted threads are
// written. The target, the registers and the threads per block have an effect; other options are
// checked and ignored.
#pragma once

#include <cuda.h>

#include <chrono>
#include <string>

namespace cucore::cpu {

class JitOptions {
 public:
  JitOptions(unsigned count, CUjit_option* options, void** values);

  // Returns the compute capability that CU_JIT_TARGET requests; 0 without one.
  int target() const { return target_; }

  // Returns the bound of CU_JIT_MAX_REGISTERS and CU_JIT_THREADS_PER_BLOCK; 0 without one.
  unsigned max_registers() const { return max_registers_; }

  using Clock = std::chrono::steady_clock;
  // Writes the value of CU_JIT_WALL_TIME: the milliseconds since the options were read.
  void write_wall_time() const { write_wall_time(Clock::now() - begin_); }
  void write_wall_time(Clock::duration time) const;

  void write_error_log(const std::string& text) { error_.write(text, values_); }
  // Writes without the last line's end, and counts the text alone.
  void write_link_log(std::string text);
  void write_info_log(const std::string& text) { info_.write(text, values_); }

 private:
  struct Log {
    char* buffer = nullptr;
    unsigned size = 0;
    int size_index = -1;  // index of the option that receives the number of written bytes
    void write(const std::string& text, void** values, bool counts_end = true) const;
  };
  void bound_registers(unsigned most);

  void** values_;
  Clock::time_point begin_ = Clock::now();
  int wall_time_index_ = -1;
  int target_ = 0;
  unsigned max_registers_ = 0;
  Log error_, info_;
};

}  // namespace cucore::cpu
