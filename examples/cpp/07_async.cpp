// SPDX-License-Identifier: Apache-2.0
// 07: launch a matrix product, do other work, and receive its completion. A future represents the
// work of the stream, and its completion arrives in a queue.
#include <cucore.hpp>
#include <iostream>
#include <optional>
#include <poll.h>
#include <vector>

const char source[] = R"(
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}
)";
constexpr std::size_t n = 256, bytes = n * n * sizeof(float);

int main() try {
  if (cucore::Device::count() == 0) {
    std::cout << "awaiting work needs a device to work\n";
    return 0;
  }
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (std::size_t i = 0; i < n * n; ++i) a[i] = static_cast<float>(i % 7), b[i] = static_cast<float>(i % 5);
  // Other work of the program while the device works: one row of the product on the host.
  const auto other_work = [&](std::size_t column) {
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) sum += static_cast<double>(a[k] * b[k * n + column]);
    return static_cast<float>(sum);
  };

  const auto device = cucore::Device::open();
  const auto stream = cucore::Stream::create(device);
  const auto matmul = cucore::Program::create(source).compile().find_kernel("matmul");
  const auto left = cucore::Buffer::create(device, bytes, stream),
             right = cucore::Buffer::create(device, bytes, stream),
             product = cucore::Buffer::create(device, bytes, stream);
  left.write(a, stream);
  right.write(b, stream);
  // snippet: future
  const auto queue = cucore::Queue::create();
  matmul.launch(stream, {{n / 16, n / 16}, {16, 16}}, left, right, product, static_cast<int>(n));
  const auto future = cucore::Future::from_stream(stream, queue, 7);

  std::size_t columns = 0;
  std::optional<cucore::Completion> completion;
  while (!completion && columns < n) {
    static_cast<void>(other_work(columns++));
    completion = queue.wait(std::chrono::nanoseconds(0));
  }
  while (!completion) {  // no other work: any event loop accepts the descriptor
    pollfd loop = {queue.descriptor(), POLLIN, 0};
    poll(&loop, 1, -1);
    completion = queue.wait(std::chrono::nanoseconds(0));
  }
  if (const cucore::Error error = future.error()) cucore::throw_error(error);
  // end of snippet
  product.read(c, stream);
  int wrong = 0;
  for (std::size_t column = 0; column < n; ++column) wrong += c[column] != other_work(column);
  std::cout << device.name() << ": future " << completion->token << " is complete; " << columns
            << " columns done meanwhile, " << wrong << " wrong\n";
  return wrong != 0;
} catch (const cucore::Error &error) {
  std::cerr << error.what() << '\n' << error.log();
  return 1;
}
