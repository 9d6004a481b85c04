// SPDX-License-Identifier: Apache-2.0
// Tensor copies of cuda::ptx with tensor maps of the driver.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "device.hpp"

namespace cucore::cpu::kernels {
namespace {

using Tensors = Kernels;

const char* const TILES = R"cuda(
#include <cuda/ptx>
struct alignas(64) CUtensorMap { unsigned long long opaque[16]; };
namespace ptx = cuda::ptx;
template <int N>
__device__ void load(void* box, const CUtensorMap* map, const int (&at)[N], unsigned long long* bar, unsigned bytes) {
  ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar, bytes);
  ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, map, at, bar);
}
extern "C" __global__ void show(const __grid_constant__ CUtensorMap map, int x, int y, unsigned bytes, unsigned* out) {
  __shared__ alignas(1024) unsigned box[4096];
  __shared__ unsigned long long bar;
  for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) box[i] = 0xAAAAAAAA;
  if (threadIdx.x == 0) { ptx::mbarrier_init(&bar, 1); ptx::fence_proxy_async(ptx::space_shared); }
  __syncthreads();
  if (threadIdx.x == 0) { int at[2] = {x, y}; load(box, &map, at, &bar, bytes); }
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
  for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) out[i] = box[i];
}
// Loads the slices of a tensor with interleave. The wait ends, so that a wrong count of bytes is not endless.
extern "C" __global__ void show_slices(const __grid_constant__ CUtensorMap map, int w, int h, int c, int n, unsigned bytes, unsigned* out) {
  __shared__ alignas(1024) unsigned box[4096];
  __shared__ unsigned long long bar;
  for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) box[i] = 0xAAAAAAAA;
  if (threadIdx.x == 0) { ptx::mbarrier_init(&bar, 1); ptx::fence_proxy_async(ptx::space_shared); }
  __syncthreads();
  if (threadIdx.x == 0) { int at[4] = {w, h, c, n}; load(box, &map, at, &bar, bytes); }
  for (int i = 0; i < 10000 && !ptx::mbarrier_try_wait_parity(&bar, 0); ++i) {}
  for (unsigned i = threadIdx.x; i < 4096; i += blockDim.x) out[i] = box[i];
}
// Transposes a matrix of 64 x 64 tiles by way of swizzled shared memory.
extern "C" __global__ void transpose(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, const __grid_constant__ CUtensorMap sums) {
  __shared__ alignas(1024) unsigned tile[32][32], turned[32][32];
  __shared__ unsigned long long bar;
  if (threadIdx.x == 0) { ptx::mbarrier_init(&bar, 1); ptx::fence_proxy_async(ptx::space_shared); }
  __syncthreads();
  int at[2] = {int(blockIdx.x * 32), int(blockIdx.y * 32)}, back[2] = {at[1], at[0]};
  if (threadIdx.x == 0) load(tile, &from, at, &bar, sizeof tile);
  while (!ptx::mbarrier_try_wait_parity(&bar, 0)) {}
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) {
    unsigned r = i / 32, c = i % 32;
    turned[c][r ^ (c % 8) << 2] = tile[r][c ^ (r % 8) << 2];
  }
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, back, turned);
    ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &sums, back, turned);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
})cuda";

struct Box {
  cuuint32_t width, height;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
  cuuint32_t step = 1;
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_UINT32;
  CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
};

CUtensorMap map_of(CUdeviceptr address, unsigned width, unsigned height, const Box& box) {
  alignas(64) CUtensorMap map;
  const cuuint64_t sizes[] = {width, height}, strides[] = {width * 4};
  const cuuint32_t extent[] = {box.width, box.height}, steps[] = {1, box.step};
  check(calls().cuTensorMapEncodeTiled(&map, box.type, 2, reinterpret_cast<void*>(address), sizes,
                                       strides, extent, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                       box.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, box.fill),
        "cuTensorMapEncodeTiled");
  return map;
}

TEST_P(Tensors, LoadTiles) {
  const auto program = compiled(TILES);
  constexpr int WIDTH = 64, HEIGHT = 50;
  std::vector<unsigned> values(size_t{WIDTH} * HEIGHT);
  for (unsigned i = 0; i < values.size(); ++i) values[i] = 1000 + i;
  const Buffer<unsigned> in(values), out(4096);
  const struct {
    Box box;
    int shift;  // of the row in the XOR of chunks; the number of its bits
  } cases[] = {{{32, 16}, 0},
               {{8, 40, CU_TENSOR_MAP_SWIZZLE_32B}, 1},
               {{16, 40, CU_TENSOR_MAP_SWIZZLE_64B}, 2},
               {{32, 40, CU_TENSOR_MAP_SWIZZLE_128B}, 3},
               {{16, 40, CU_TENSOR_MAP_SWIZZLE_128B}, 3},  // rows shorter than the swizzle
               {{32, 24, CU_TENSOR_MAP_SWIZZLE_128B, 3}, 3}};
  for (const auto& c : cases)
    for (const auto& [x, y] : {std::pair{4, 2}, {-4, -3}, {40, 30}, {60, 49}}) {
      const CUtensorMap map = map_of(in.address(), WIDTH, HEIGHT, c.box);
      const auto rows = (c.box.height + c.box.step - 1) / c.box.step;
      program->run("show", {1, 128}, map, x, y, c.box.width * rows * 4, out);
      const auto got = out.read();
      for (unsigned i = 0; i < c.box.width * rows; ++i) {
        const int column = x + int(i % c.box.width), row = y + int(i / c.box.width * c.box.step);
        const bool inside = column >= 0 && column < WIDTH && row >= 0 && row < HEIGHT;
        // A row that is shorter than the swizzle takes the space of the whole swizzle.
        const unsigned pitch = std::max(c.box.width, c.shift ? 4u << c.shift : 0);
        const unsigned at = i / c.box.width * pitch + i % c.box.width;
        const unsigned place = at ^ (at / 32 & ((1u << c.shift) - 1)) << 2;
        ASSERT_EQ(got[place], inside ? values[size_t(row * WIDTH + column)] : 0)
            << c.box.width << " swizzle " << c.box.swizzle << " at " << x << "," << y << ": " << i;
      }
    }
  Box box{16, 4};
  box.type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  box.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
  program->run("show", {1, 128}, map_of(in.address(), 64, 8, box), 56, 6, 16u * 4 * 4, out);
  const auto got = out.read();
  for (unsigned i = 0; i < 64; ++i) {
    const bool is_nan = (got[i] & 0x7f800000) == 0x7f800000 && (got[i] & 0x7fffff) != 0;
    EXPECT_EQ(is_nan, i % 16 >= 8 || i >= 32) << i << ": " << std::hex << got[i];
  }
}

TEST_P(Tensors, TransposeAndReduce) {
  const auto program = compiled(TILES);
  constexpr unsigned SIZE = 128;
  const auto words = random_words(SIZE * SIZE);
  const Buffer<unsigned> in(words), out(SIZE * SIZE), sums(SIZE * SIZE, 5u);
  const Box box{32, 32, CU_TENSOR_MAP_SWIZZLE_128B};
  Shape shape{SIZE / 32, 128};
  shape.grid_y = SIZE / 32;
  program->run("transpose", shape, map_of(in.address(), SIZE, SIZE, box),
               map_of(out.address(), SIZE, SIZE, box), map_of(sums.address(), SIZE, SIZE, box));
  const auto got = out.read(), added = sums.read();
  for (unsigned i = 0; i < SIZE * SIZE; ++i) {
    const unsigned expected = words[i % SIZE * SIZE + i / SIZE];
    ASSERT_EQ(got[i], expected) << i;
    ASSERT_EQ(added[i], expected + 5) << i;
  }
}

// Returns the first word of each slice of 16 bytes.
std::string slices_of(const std::vector<unsigned>& words, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += std::to_string(words[4 * i]) + " ";
  return text;
}

// An array [N][C / slice][H][W][slice]. The first box counts slices of W, and is a multiple of 16
// bytes of elements.
TEST_P(Tensors, LoadSlices) {
  const auto program = compiled(TILES);
  constexpr int N = 2, C = 3, H = 6, W = 10;
  for (const unsigned words : {4u, 8u}) {  // of a slice
    std::vector<unsigned> values(size_t{N} * C * H * W * words);
    for (unsigned i = 0; i < values.size(); ++i) values[i] = 1000 + i;
    const Buffer<unsigned> in(values), out(4096);
    alignas(64) CUtensorMap map;
    const cuuint64_t sizes[] = {W, H, C, N};
    const cuuint64_t strides[] = {W * words * 4, H * W * words * 4, C * H * W * words * 4};
    const cuuint32_t extent[] = {4, 2, words, 1}, steps[] = {1, 1, 1, 1};
    check(calls().cuTensorMapEncodeTiled(
              &map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 4, reinterpret_cast<void*>(in.address()), sizes,
              strides, extent, steps,
              words == 4 ? CU_TENSOR_MAP_INTERLEAVE_16B : CU_TENSOR_MAP_INTERLEAVE_32B,
              words == 4 ? CU_TENSOR_MAP_SWIZZLE_NONE : CU_TENSOR_MAP_SWIZZLE_32B,
              CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
          "cuTensorMapEncodeTiled");
    for (const auto& [w, h, c, n] : {std::array{0, 0, 0, 0}, {3, 2, 1, 1}, {8, 5, 2, 0}}) {
      std::vector<unsigned> expected;
      for (int row = h; row < h + 2; ++row)
        for (int column = w; column < w + 4; ++column)
          for (unsigned k = 0; k < words; ++k) {
            const bool inside = row < H && column < W;
            const int index = ((n * C + c) * H + row) * W + column;
            expected.push_back(inside ? values[unsigned(index) * words + k] : 0);
          }
      if (words == 8)  // the swizzle exchanges the halves of each slice in odd lines
        for (size_t i = 32; i < expected.size(); i += 64)
          for (size_t k = 0; k < 32; k += 8)
            std::swap_ranges(&expected[i + k], &expected[i + k + 4], &expected[i + k + 4]);
      program->run("show_slices", {1, 128}, map, w, h, c, n, unsigned(expected.size() * 4), out);
      auto got = out.read();
      got.resize(expected.size());
      EXPECT_EQ(got, expected) << "slices from " << w << "," << h << "," << c << "," << n << ": "
                               << slices_of(got, expected.size() / 4);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Builds, Tensors, testing::Values(BUILDS[0], BUILDS[5]), name_of);

}  // namespace
}  // namespace cucore::cpu::kernels
