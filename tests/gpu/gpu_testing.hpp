// SPDX-License-Identifier: Apache-2.0
// Tools for tests on a real device: kernels by file and name, arrays on the device, typed launches.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "capi/capi_testing.hpp"

namespace gpu_test {

using namespace capi_test;

// Adds 1 to each word `turns` times, or only reads each word.
inline constexpr char ADD_AND_LOOK[] =
    "extern \"C\" __global__ void add(unsigned *x, unsigned n, unsigned turns) {\n"
    "  for (unsigned i = threadIdx.x; i < n; i += blockDim.x)\n"
    "    for (unsigned t = 0; t < turns; ++t) ((volatile unsigned *)x)[i] += 1;\n"
    "}\n"
    "extern \"C\" __global__ void look(unsigned *x, unsigned n, unsigned never) {\n"
    "  for (unsigned i = threadIdx.x; i < n; i += blockDim.x)\n"
    "    if (((volatile unsigned *)x)[i] == never && i >= n) x[i] = 0;\n"
    "}\n";

// Memory of the process; with a sanitizer the allocated memory, because the sanitizer keeps freed
// memory and records.
size_t host_bytes();

class OnGpu : public OnDevice {
 public:
  cucore_device* device() const { return device_; }
  cucore_stream* stream() const { return stream_; }

 protected:
  void SetUp() override;

  Code compile_file(const std::string& name, const std::vector<const char*>& expressions = {},
                    cucore_code_type target = CUCORE_CODE_TYPE_PTX) const;
  Kernel kernel(const std::string& file, const char* name,
                const std::vector<const char*>& expressions = {}) const;
  // Returns a variable of loaded code as a buffer.
  Buffer global(const cucore_objectcode* code, const char* name) const;

  template <class... A>
  void run(const cucore_kernel* kernel, const cucore_launch_options& options, const A&... values);
};

// Elements on the device. As an argument of run(), it is their address.
template <class T>
class Array {
 public:
  Array(const OnGpu& test, const std::vector<T>& values)
      : stream_(test.stream()),
        count_(values.size()),
        buffer_(make_buffer(test.device(), values.size() * sizeof(T), test.stream())) {
    MUST(cucore_buffer_write, buffer_, 0, values.data(), count_ * sizeof(T), stream_);
  }
  uint64_t address() const { return cucore_buffer_address(buffer_); }
  std::vector<T> read() const {
    std::vector<T> values(count_);
    MUST(cucore_buffer_read, buffer_, 0, values.data(), count_ * sizeof(T), stream_);
    return values;
  }

 private:
  cucore_stream* stream_;
  size_t count_;
  Buffer buffer_;
};

template <class T>
T value_of(const T& value) {
  return value;
}
template <class T>
uint64_t value_of(const Array<T>& array) {
  return array.address();
}

template <class... A>
void OnGpu::run(const cucore_kernel* kernel, const cucore_launch_options& options,
                const A&... values) {
  const auto launch = [&](const auto&... plain) {
    const std::vector<cucore_argument> arguments{{&plain, sizeof plain}...};
    MUST(cucore_kernel_launch, kernel, stream_, &options, arguments.data(), arguments.size());
  };
  launch(value_of(values)...);
  MUST(cucore_stream_synchronize, stream_);
}

}  // namespace gpu_test
