// SPDX-License-Identifier: Apache-2.0
// A CUDA driver opened by its path: NVIDIA's or the CPU device.
#pragma once

#include <cuda.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cucore::cpu::ops {

struct DriverError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A parameter of a kernel. Addresses of arrays stand at offsets of its bytes.
struct Argument {
  std::vector<uint8_t> bytes;
  std::vector<std::pair<size_t, size_t>> arrays;  // offset, number of the array
};

struct LaunchShape {
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared = 0;
  bool cooperative = false;
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
  // The arrays are copied to the device for the launch, and back after it.
  void launch(CUmodule module, const std::string& kernel, const LaunchShape& shape,
              const std::vector<Argument>& arguments, std::vector<std::vector<uint8_t>>& arrays);
  void write_variable(CUmodule module, const std::string& name, const std::vector<uint8_t>& bytes);
  std::vector<uint8_t> read_variable(CUmodule module, const std::string& name);
  // For use after an error that sticks to the context.
  void reset();

 private:
  template <typename Function>
  Function symbol(const char* name) const;
  void check(CUresult result, const char* what) const;
  void attach();
  std::pair<CUdeviceptr, size_t> variable(CUmodule module, const std::string& name) const;

  void* library_ = nullptr;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  std::string name_;
  unsigned target_ = 0;
  int version_ = 0;
};

}  // namespace cucore::cpu::ops
