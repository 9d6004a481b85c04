// SPDX-License-Identifier: Apache-2.0
// A CUDA driver opened by its path: NVIDIA's or the CPU device.
#pragma once

#include <cuda.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace cucore::cpu::ops {

struct DriverError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Driver {
 public:
  explicit Driver(const std::string& path);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  const std::string& device_name() const { return name_; }
  unsigned target() const { return target_; }
  int version() const { return version_; }

  CUmodule load(const std::string& ptx);  // throws DriverError with the log
  void unload(CUmodule module);
  // Runs `kernel` on `threads` threads in blocks of `block`, and returns the results' bytes.
  std::vector<uint64_t> run(CUmodule module, const std::string& kernel,
                            const std::vector<uint64_t>& operands, size_t results, size_t threads,
                            size_t scratch_bytes, unsigned block = 32);
  // For use after an error that sticks to the context.
  void reset();

 private:
  template <typename Function>
  Function symbol(const char* name) const;
  void check(CUresult result, const char* what) const;
  void attach();

  void* library_ = nullptr;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  std::string name_;
  unsigned target_ = 0;
  int version_ = 0;
};

}  // namespace cucore::cpu::ops
