// SPDX-License-Identifier: Apache-2.0
// 02: find a kernel in object code, launch it on a device and read the result back.
#include <cucore.hpp>
#include <iostream>
#include <numeric>
#include <vector>

const char source[] = R"(
extern "C" __global__ void scale(float factor, float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}
)";

int main() try {
  constexpr int count = 1000;
  std::vector<float> data(count);
  std::iota(data.begin(), data.end(), 0.0f);
  const auto code = cucore::Program::create(source).compile();
  if (cucore::Device::count() == 0) {
    std::cout << "compiled; launching needs a device\n";
    return 0;
  }
  // snippet: launch
  const auto device = cucore::Device::open();
  const auto stream = cucore::Stream::create(device);
  const auto buffer = cucore::Buffer::create(device, count * sizeof(float), stream);
  buffer.write(data, stream);
  const auto scale = code.find_kernel("scale");
  scale({(count + 255) / 256, 256}, stream)(3.0f, buffer, count);
  buffer.read(data, stream);
  // end of snippet
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += data[static_cast<std::size_t>(i)] != 3.0f * static_cast<float>(i);

  // snippet: classes
  try {
    scale({1, 256}, stream)(3, buffer, count);  // an int for a float
    ++wrong;
  } catch (const cucore::InvalidArgumentError &error) {
    std::cout << error.what() << '\n';
  }
  const auto typed = scale.as<void(float, float *, int)>();
  typed({1, 256}, stream)(3, buffer, count);  // the compiler converts the int
  // end of snippet
  stream.synchronize();
  std::cout << device.name() << ": " << wrong << " of " << count << " values are wrong\n";
  return wrong != 0;
} catch (const cucore::Error &error) {
  std::cerr << error.what() << '\n' << error.log();
  return 1;
}
