// SPDX-License-Identifier: Apache-2.0
// Copies and memsets between all kinds of memory.
#include <cstring>
#include <numeric>

#include "driver.hpp"

namespace cutest {
namespace {

class Copies : public DeviceTest {
 protected:
  CUdeviceptr device(size_t bytes) {
    CUdeviceptr p = 0;
    EXPECT_CU(0, cu.cuMemAlloc_v2(&p, bytes));
    return p;
  }
  std::vector<unsigned char> bytes(size_t n) {
    std::vector<unsigned char> v(n);
    for (size_t i = 0; i < n; ++i) v[i] = static_cast<unsigned char>(i * 37 + 11);
    return v;
  }
};

TEST_F(Copies, ThereAndBack) {
  for (size_t n : {size_t{1}, size_t{511}, size_t{65536}, size_t{3} << 20}) {
    auto source = bytes(n);
    std::vector<unsigned char> back(n);
    CUdeviceptr a = device(n), b = device(n);
    OK(cu.cuMemcpyHtoD_v2(a, source.data(), n));
    OK(cu.cuMemcpyDtoD_v2(b, a, n));
    OK(cu.cuMemcpyDtoH_v2(back.data(), b, n));
    EXPECT_EQ(source, back);
    std::fill(back.begin(), back.end(), 0);
    OK(cu.cuMemcpy(reinterpret_cast<CUdeviceptr>(back.data()), a, n));
    EXPECT_EQ(source, back);
    OK(cu.cuMemFree_v2(a));
    OK(cu.cuMemFree_v2(b));
  }
}

TEST_F(Copies, AreBoundsChecked) {
  CUdeviceptr d = device(100);
  char host[256] = {};
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpyHtoD_v2(d, host, 101));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpyDtoH_v2(host, d + 1, 100));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpyHtoD_v2(d - 1, host, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpyHtoD_v2(0, host, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpyHtoD_v2(d, nullptr, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE,
            cu.cuMemcpyHtoD_v2(reinterpret_cast<CUdeviceptr>(host), host + 1, 1))
      << "host memory is not device memory";
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemsetD8_v2(d, 0, 101));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpyHtoD_v2(d, host, SIZE_MAX));
  OK(cu.cuMemcpyHtoD_v2(d, host, 0));
  OK(cu.cuMemFree_v2(d));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpyHtoD_v2(d, host, 1)) << "use after free";
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpy(reinterpret_cast<CUdeviceptr>(host), d, 1));
  OK(cu.cuCtxSynchronize());
}

TEST_F(Copies, PageableSourceMayChangeAtOnce) {
  CUdeviceptr d = device(1 << 20);
  CUstream s = nullptr;
  OK(cu.cuStreamCreate(&s, 0));
  close_gate(s);
  auto source = bytes(1000), wanted = source;
  OK(cu.cuMemcpyHtoDAsync_v2(d, source.data(), source.size(), s));
  std::fill(source.begin(), source.end(), 0);
  open_gate();
  std::vector<unsigned char> back(1000);
  OK(cu.cuMemcpyDtoHAsync_v2(back.data(), d, back.size(), s));
  EXPECT_EQ(wanted, back) << "a copy to pageable memory is complete at return";
}

TEST_F(Copies, PinnedMemoryIsReadWhenTheStreamGetsThere) {
  CUdeviceptr d = device(4);
  unsigned* pinned = nullptr;
  OK(cu.cuMemAllocHost_v2(reinterpret_cast<void**>(&pinned), 8));
  CUstream s = nullptr;
  OK(cu.cuStreamCreate(&s, 0));
  pinned[0] = 1;
  close_gate(s);
  OK(cu.cuMemcpyHtoDAsync_v2(d, pinned, 4, s));
  OK(cu.cuMemcpyDtoHAsync_v2(pinned + 1, d, 4, s));
  EXPECT_CU(CUDA_ERROR_NOT_READY, cu.cuStreamQuery(s));
  pinned[0] = 2;
  open_gate();
  OK(cu.cuStreamSynchronize(s));
  EXPECT_EQ(2u, pinned[1]);
}

TEST_F(Copies, AStreamBringsItsContext) {
  CUdeviceptr d = device(4);
  CUstream s = nullptr;
  OK(cu.cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  std::thread([&] {
    unsigned value = 5, back = 0;
    EXPECT_CU(0, cu.cuMemcpyHtoDAsync_v2(d, &value, 4, s));
    EXPECT_CU(0, cu.cuMemcpyDtoHAsync_v2(&back, d, 4, s));
    EXPECT_EQ(5u, back);
    EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cu.cuMemcpyHtoDAsync_v2(d, &value, 4, nullptr));
    EXPECT_CU(CUDA_ERROR_INVALID_CONTEXT, cu.cuMemsetD32Async(d, 0, 1, CU_STREAM_PER_THREAD));
  }).join();
}

TEST_F(Copies, TwoDimensions) {
  constexpr size_t WIDTH = 30, HEIGHT = 7, HOST_PITCH = 50;
  CUdeviceptr d = 0;
  size_t pitch = 0;
  OK(cu.cuMemAllocPitch_v2(&d, &pitch, 64, 16, 4));
  auto source = bytes(HOST_PITCH * 20);
  CUDA_MEMCPY2D c{};
  c.srcMemoryType = CU_MEMORYTYPE_HOST;
  c.srcHost = source.data();
  c.srcPitch = HOST_PITCH;
  c.srcXInBytes = 3;
  c.srcY = 2;
  c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  c.dstDevice = d;
  c.dstPitch = pitch;
  c.dstXInBytes = 5;
  c.dstY = 4;
  c.WidthInBytes = WIDTH;
  c.Height = HEIGHT;
  OK(cu.cuMemcpy2D_v2(&c));
  std::vector<unsigned char> back(WIDTH * HEIGHT);
  CUDA_MEMCPY2D r{};
  r.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  r.srcDevice = d;
  r.srcPitch = pitch;
  r.srcXInBytes = 5;
  r.srcY = 4;
  r.dstMemoryType = CU_MEMORYTYPE_HOST;
  r.dstHost = back.data();
  r.WidthInBytes = WIDTH;
  r.Height = HEIGHT;
  OK(cu.cuMemcpy2DAsync_v2(&r, nullptr));
  OK(cu.cuStreamSynchronize(nullptr));
  for (size_t y = 0; y < HEIGHT; ++y)
    for (size_t x = 0; x < WIDTH; ++x)
      ASSERT_EQ(source[(y + 2) * HOST_PITCH + x + 3], back[y * WIDTH + x]);
  c.dstPitch = WIDTH + 4;  // shorter than a row
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpy2D_v2(&c));
  c.dstPitch = pitch;
  c.dstY = 10;  // beyond the end
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpy2D_v2(&c));
  c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpy2D_v2(&c)) << "no array";
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpy2D_v2(nullptr));
}

TEST_F(Copies, ThreeDimensions) {
  constexpr size_t X = 12, Y = 5, Z = 4, PITCH = 16, ROWS = 8;
  CUdeviceptr d = device(PITCH * ROWS * 6);
  auto source = bytes(X * Y * Z);
  CUDA_MEMCPY3D c{};
  c.srcMemoryType = CU_MEMORYTYPE_HOST;
  c.srcHost = source.data();
  c.srcPitch = X;
  c.srcHeight = Y;
  c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  c.dstDevice = d;
  c.dstPitch = PITCH;
  c.dstHeight = ROWS;
  c.dstXInBytes = 2;
  c.dstY = 1;
  c.dstZ = 1;
  c.WidthInBytes = X;
  c.Height = Y;
  c.Depth = Z;
  OK(cu.cuMemcpy3D_v2(&c));
  std::vector<unsigned char> all(PITCH * ROWS * 6);
  OK(cu.cuMemcpyDtoH_v2(all.data(), d, all.size()));
  for (size_t z = 0; z < Z; ++z) {
    for (size_t y = 0; y < Y; ++y)
      for (size_t x = 0; x < X; ++x)
        ASSERT_EQ(source[(z * Y + y) * X + x], all[((z + 1) * ROWS + y + 1) * PITCH + x + 2]);
  }
  c.dstZ = 5;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpy3D_v2(&c));
  c.dstZ = SIZE_MAX / 2;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpy3D_v2(&c));
}

TEST_F(Copies, BetweenDevices) {
  CUdeviceptr here = device(256);
  CUcontext other = nullptr, popped = nullptr;
  OK(cu.cuCtxCreate_v4(&other, nullptr, 0, 1));
  CUdeviceptr there = device(256);
  OK(cu.cuCtxPopCurrent_v2(&popped));
  auto source = bytes(256);
  std::vector<unsigned char> back(256);
  OK(cu.cuMemcpyHtoD_v2(here, source.data(), 256));
  OK(cu.cuMemcpyPeerAsync(there, other, here, context, 256, nullptr));
  OK(cu.cuStreamSynchronize(nullptr));
  OK(cu.cuMemcpyDtoH_v2(back.data(), there, 256));
  EXPECT_EQ(source, back);
  OK(cu.cuMemcpyPeer(there, nullptr, here, context, 256));
  OK(cu.cuCtxDestroy_v2(other));
}

TEST_F(Copies, Memsets) {
  CUdeviceptr d = device(64);
  unsigned char all[64];
  auto read = [&] {
    EXPECT_CU(0, cu.cuMemcpyDtoH_v2(all, d, 64));
    return all;
  };
  OK(cu.cuMemsetD8_v2(d, 0xab, 64));
  EXPECT_EQ(0xab, read()[63]);
  OK(cu.cuMemsetD16_v2(d + 2, 0x1234, 3));
  EXPECT_EQ(0xab, read()[1]);
  EXPECT_EQ(0x34, all[2]);
  EXPECT_EQ(0x12, all[7]);
  EXPECT_EQ(0xab, all[8]);
  OK(cu.cuMemsetD32Async(d, 0x01020304, 16, nullptr));
  EXPECT_EQ(0x04, read()[60]);
  OK(cu.cuMemsetD2D8_v2(d, 16, 0xff, 3, 4));
  EXPECT_EQ(0xff, read()[50]);
  EXPECT_EQ(0x01, all[51]);
  OK(cu.cuMemsetD2D32Async(d, 32, 7, 2, 2, nullptr));
  EXPECT_EQ(7, read()[36]);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemsetD32_v2(d + 2, 0, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemsetD16_v2(d + 1, 0, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemsetD2D32_v2(d, 30, 0, 2, 2));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemsetD2D8_v2(d, 2, 0, 3, 2));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemsetD32_v2(d, 0, SIZE_MAX / 2));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemsetD8_v2(reinterpret_cast<CUdeviceptr>(all), 0, 1));
}

TEST_F(Copies, ReadOnlyRegistrationsAreNotWritten) {
  std::vector<char> host(4096, 1);
  OK(cu.cuMemHostRegister_v2(host.data(), host.size(), CU_MEMHOSTREGISTER_READ_ONLY));
  CUdeviceptr d = device(16);
  OK(cu.cuMemcpyHtoD_v2(d, host.data(), 16));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpyDtoH_v2(host.data(), d, 16));
  OK(cu.cuMemHostUnregister(host.data()));
}

}  // namespace
}  // namespace cutest
