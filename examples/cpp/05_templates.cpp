// SPDX-License-Identifier: Apache-2.0
// 05: instantiate templates by name expression; the names remain valid after storing.
#include <cucore.hpp>
#include <iostream>

const char source[] = R"(
template <typename T, int N>
__global__ void fill(T *out, T value) { if (threadIdx.x < N) out[threadIdx.x] = value; }
)";

int main() try {
  const auto program = cucore::Program::create(source);
  const auto code = program.compile(cucore::CodeType::ptx, {"fill<float, 4>", "fill<int, 8>"});
  for (const auto &symbol : code.symbols())
    std::cout << symbol.expression << " is " << symbol.lowered_name << " in the code\n";
  if (cucore::Device::count() == 0) {
    std::cout << "launching needs a device\n";
    return 0;
  }
  int out[8] = {}, wrong = 0;
  const auto device = cucore::Device::open();
  const auto stream = cucore::Stream::create(device);
  const auto buffer = cucore::Buffer::create(device, sizeof out, stream);
  code.find_kernel("fill<int, 8>").launch(stream, {1, 32}, buffer, 42);
  buffer.read(out, stream);
  for (const int value : out) wrong += value != 42;
  std::cout << wrong << " of 8 values are wrong\n";
  return wrong != 0;
} catch (const cucore::Error &error) {
  std::cerr << error.what() << '\n' << error.log();
  return 1;
}
