// SPDX-License-Identifier: Apache-2.0
// 06: a complete job: compile, serialize, restore, find, launch, time with two events, check.
#include <chrono>
#include <cucore.hpp>
#include <iostream>
#include <numeric>

const char source[] = R"(
extern "C" __global__ void scale(float a, float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= a;
}
)";

// Prints the time that a step takes, and returns its result.
template <class Step>
auto timed(const char *name, Step &&step) {
  struct Timer {
    const char *name;
    std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
    ~Timer() {
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
      std::cout << "  " << name << ": " << took.count() << " ms\n";
    }
  } timer{name};
  return step();
}

int main() try {
  constexpr int n = 1 << 20;
  std::vector<float> host(n);
  std::iota(host.begin(), host.end(), 0.0f);
  const auto program = timed("create", [] { return cucore::Program::create(source); });
  const auto code = timed("compile", [&] { return program.compile(); });
  const auto stored = timed("serialize", [&] { return code.serialize(); });
  const auto copy = timed("deserialize", [&] { return cucore::ObjectCode::deserialize(stored); });
  if (cucore::Device::count() == 0) {
    std::cout << "compiled, stored and restored; launching needs a device\n";
    return 0;
  }
  const auto device = timed("open", [] { return cucore::Device::open(); });
  const auto stream = timed("stream", [&] { return cucore::Stream::create(device); });
  cucore::EventOptions with_times;
  with_times.timing = true;
  const auto start = cucore::Event::create(device, with_times), end = cucore::Event::create(device, with_times);
  const auto scale = timed("find_kernel", [&] { return copy.find_kernel("scale").as<void(float, float *, int)>(); });
  const auto data = timed("buffer", [&] { return cucore::Buffer::create(device, n * sizeof(float), stream); });
  timed("write", [&] { data.write(host, stream); });
  start.record(stream);
  timed("launch", [&] { scale({n / 256, 256}, stream)(2, data, n); });
  end.record(stream);
  timed("read", [&] { data.read(host, stream); });
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += host[static_cast<std::size_t>(i)] != 2 * static_cast<float>(i);
  std::cout << device.name() << ": kernel " << start.elapsed(end).count() << " ms, " << wrong << " of " << n
            << " wrong\n";
  return wrong != 0;
} catch (const cucore::Error &error) {
  std::cerr << error.what() << '\n' << error.log();
  return 1;
}
