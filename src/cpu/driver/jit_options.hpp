// SPDX-License-Identifier: Apache-2.0
// The JIT options of the load functions. Log buffers are filled. The target and the number of
// registers have an effect; other options are checked and ignored.
#pragma once

#include <cuda.h>

#include <string>

namespace cucore::cpu {

class JitOptions {
 public:
  JitOptions(unsigned count, CUjit_option* options, void** values);

  // Returns the compute capability that CU_JIT_TARGET requests; 0 without one.
  int target() const { return target_; }

  // Returns the bound of CU_JIT_MAX_REGISTERS; 0 without one.
  unsigned max_registers() const { return max_registers_; }

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
  void** values_;
  int target_ = 0;
  unsigned max_registers_ = 0;
  Log error_, info_;
};

}  // namespace cucore::cpu
