// SPDX-License-Identifier: Apache-2.0
// A device through its driver library, and NVRTC, for tests of kernels from source.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "driver_calls.hpp"

namespace cucore::cpu::kernels {

// The options of a user's compile.
struct Build {
  const char* name;
  std::vector<std::string> options;
};
int target_of(const Build& build);  // 90 of -arch=compute_90
std::ostream& operator<<(std::ostream& out, const Build& build);

extern const std::vector<Build> BUILDS;        // all
extern const std::vector<Build> FEW_BUILDS;    // for sources that take long to compile
extern const std::vector<Build> EXACT_BUILDS;  // without options that reduce precision
extern const std::vector<Build> MATH_BUILDS;

struct Shape {
  unsigned grid = 1, block = 1;
  unsigned shared = 0;
  bool cooperative = false;
  unsigned grid_y = 1, block_y = 1, block_z = 1;
  unsigned cluster = 0;  // blocks; 0: not set
};

bool has_compiler();
bool explains_faults();  // true for the CPU device, through its control table

// Memory of the device with a copy on the host.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::vector<T> values) : size_(values.size()) {
    check(calls().cuMemAlloc(&address_, size_ * sizeof(T)), "cuMemAlloc");
    check(calls().cuMemcpyHtoD(address_, values.data(), size_ * sizeof(T)), "cuMemcpyHtoD");
  }
  explicit Buffer(size_t size, T value = T{}) : Buffer(std::vector<T>(size, value)) {}
  ~Buffer() { calls().cuMemFree(address_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  CUdeviceptr address() const { return address_; }
  std::vector<T> read() const {
    std::vector<T> values(size_);
    check(calls().cuMemcpyDtoH(values.data(), address_, size_ * sizeof(T)), "cuMemcpyDtoH");
    return values;
  }

 private:
  size_t size_;
  CUdeviceptr address_ = 0;
};

class Program {
 public:
  // Throws with the compiler's or the driver's log.
  Program(const std::string& source, const std::vector<std::string>& options);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  template <class... A>
  void run(const char* kernel, const Shape& shape, const A&... arguments) const {
    std::vector<std::vector<char>> packed;
    (packed.push_back(bytes_of(arguments)), ...);
    start(kernel, shape, packed);
  }
  // The module ended with its context.
  void forget() { module_ = nullptr; }
  CUdeviceptr global(const char* name) const;
  CUfunction function(const char* kernel) const;

 private:
  template <class T>
  static std::vector<char> bytes_of(const T& value) {
    std::vector<char> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }
  template <class T>
  static std::vector<char> bytes_of(const Buffer<T>& buffer) {
    return bytes_of(buffer.address());
  }
  void start(const char* kernel, const Shape& shape, std::vector<std::vector<char>>& packed) const;

  CUmodule module_ = nullptr;
};

// Each test runs once per build. The kernels are correct, so that a report of the checks, which
// CUCORE_CPU_CHECK enables, fails the test.
class Kernels : public testing::TestWithParam<Build> {
 protected:
  void SetUp() override;
  void TearDown() override;
  std::unique_ptr<Program> compiled(const std::string& source) const {
    return std::make_unique<Program>(source, GetParam().options);
  }
};

std::string name_of(const testing::TestParamInfo<Build>& info);

// Returns numbers for inputs, the same in every run.
std::vector<unsigned> random_words(size_t count, unsigned seed = 1);

}  // namespace cucore::cpu::kernels
