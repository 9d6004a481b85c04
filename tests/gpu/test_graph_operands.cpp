// SPDX-License-Identifier: Apache-2.0
// Buffers that a captured graph alone refers to. Their memory stays theirs, although many
// allocations of the same size follow.
#include <cstdint>
#include <numeric>
#include <vector>

#include "gpu_testing.hpp"

namespace gpu_test {
namespace {

constexpr char TAKE[] = R"(
extern "C" __global__ void take(int* from, int* to, unsigned n) {
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) to[i] += from[i]++;
})";

class GraphOperands : public OnGpu {
 protected:
  static constexpr uint32_t COUNT = 1 << 14;
  static constexpr size_t BYTES = COUNT * sizeof(int);
  enum class Released { WITHIN_THE_CAPTURE, AFTER_THE_CAPTURE };

  static void write(const cucore_buffer* to, const std::vector<int>& values,
                    const cucore_stream* stream) {
    MUST(cucore_buffer_write, const_cast<cucore_buffer*>(to), 0, values.data(), BYTES, stream);
  }

  // A graph of one kernel, which alone refers to a buffer with these values.
  Graph captured(const Array<int>& to, const std::vector<int>& values, Released released) {
    const Code code = compile(make_program(TAKE), CUCORE_CODE_TYPE_PTX);
    const Kernel take = find_kernel(code, "take");
    Buffer from = make_buffer(device_, BYTES, stream_);
    write(from, values, stream_);
    MUST(cucore_stream_synchronize, stream_);
    address_ = cucore_buffer_address(from);
    const uint64_t target = to.address();
    const uint32_t n = COUNT;
    const cucore_argument arguments[] = {
        {from, CUCORE_ARGUMENT_OBJECT}, CUCORE_ARGUMENT(target), CUCORE_ARGUMENT(n)};
    const cucore_launch_options options = grid(1, 256);
    MUST(cucore_stream_begin_capture, stream_, nullptr);
    MUST(cucore_kernel_launch, take, stream_, &options, arguments, 3);
    if (released == Released::WITHIN_THE_CAPTURE) from.reset();
    Graph graph;
    MUST(cucore_stream_end_capture, stream_, graph.out());
    return graph;
  }

  void keep_their_memory(Released released) {
    constexpr int ALLOCATIONS = 1000;
    std::vector<int> values(COUNT), expected(COUNT);
    std::iota(values.begin(), values.end(), 1);
    for (uint32_t i = 0; i < COUNT; ++i) expected[i] = 2 * values[i] + 1;
    const Array<int> to(*this, std::vector<int>(COUNT));
    const Graph graph = captured(to, values, released);
    std::vector<Buffer> others;
    for (int i = 0; i < ALLOCATIONS; ++i) {
      others.push_back(make_buffer(device_, BYTES, stream_));
      const uint64_t other = cucore_buffer_address(others.back());
      EXPECT_TRUE(other + BYTES <= address_ || address_ + BYTES <= other) << "allocation " << i;
      write(others.back(), std::vector<int>(COUNT, -i), stream_);
    }
    const Executable executable = make_executable(graph);
    for (int i = 0; i < 2; ++i) SUCCEEDS(cucore_executable_launch, executable, stream_);
    EXPECT_EQ(to.read(), expected);
    std::vector<int> read(COUNT);
    for (int i = 0; i < ALLOCATIONS; ++i) {
      SUCCEEDS(cucore_buffer_read, others[static_cast<size_t>(i)], 0, read.data(), BYTES, stream_);
      ASSERT_EQ(read, std::vector<int>(COUNT, -i)) << "the graph wrote into another buffer";
    }
  }

 private:
  uint64_t address_ = 0;
};

TEST_F(GraphOperands, KeepTheirMemoryIfReleasedWithinTheCapture) {
  keep_their_memory(Released::WITHIN_THE_CAPTURE);
}

TEST_F(GraphOperands, KeepTheirMemoryIfReleasedAfterTheCapture) {
  keep_their_memory(Released::AFTER_THE_CAPTURE);
}

}  // namespace
}  // namespace gpu_test
