// SPDX-License-Identifier: Apache-2.0
// The JIT options of the load functions: log buffers are filled, the rest is checked and ignored.
#pragma once

#include <cuda.h>

#include <string>

namespace cucore::cpu {

class JitOptions {
 public:
  JitOptions(unsigned count, CUjit_option* options, void** values);

  void write_error_log(const std::string& text) { error_.write(text, values_); }
  void write_info_log(const std::string& text) { info_.write(text, values_); }

 private:
  struct Log {
    char* buffer = nullptr;
    unsigned size = 0;
    int size_index = -1;  // of the option that takes back how much was written
    void write(const std::string& text, void** values) const;
  };
  void** values_;
  Log error_, info_;
};

}  // namespace cucore::cpu
