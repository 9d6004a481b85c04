// SPDX-License-Identifier: Apache-2.0
// Arrays: descriptors, copies of every kind, mipmaps, life time and leaks.
#include <cstring>
#include <random>

#include "driver.hpp"

namespace cutest {
namespace {

class Arrays : public DeviceTest {
 protected:
  CUarray array(size_t width, size_t height = 0, size_t depth = 0, unsigned flags = 0,
                CUarray_format format = CU_AD_FORMAT_UNSIGNED_INT8, unsigned channels = 1) {
    const CUDA_ARRAY3D_DESCRIPTOR shape{width, height, depth, format, channels, flags};
    CUarray made = nullptr;
    EXPECT_CU(0, cu.cuArray3DCreate_v2(&made, &shape));
    return made;
  }
  CUresult created(const CUDA_ARRAY3D_DESCRIPTOR& shape) {
    CUarray made = nullptr;
    const CUresult result = cu.cuArray3DCreate_v2(&made, &shape);
    if (result == CUDA_SUCCESS) cu.cuArrayDestroy(made);
    return result;
  }
  static std::vector<uint8_t> numbered(size_t count) {
    std::vector<uint8_t> bytes(count);
    for (size_t i = 0; i < count; ++i) bytes[i] = uint8_t(i * 7 + i / 256);
    return bytes;
  }
};

TEST_F(Arrays, HaveShapesOfTheirDescriptors) {
  const auto byte = CU_AD_FORMAT_UNSIGNED_INT8;
  const struct {
    CUDA_ARRAY3D_DESCRIPTOR shape;
    CUresult result;
  } rows[] = {
      {{16, 0, 0, byte, 1, 0}, CUDA_SUCCESS},
      {{16, 4, 0, byte, 2, CUDA_ARRAY3D_TEXTURE_GATHER}, CUDA_SUCCESS},
      {{16, 4, 3, CU_AD_FORMAT_HALF, 4, CUDA_ARRAY3D_SURFACE_LDST}, CUDA_SUCCESS},
      {{16, 0, 3, byte, 1, CUDA_ARRAY3D_LAYERED}, CUDA_SUCCESS},
      {{16, 4, 3, byte, 1, CUDA_ARRAY3D_LAYERED}, CUDA_SUCCESS},
      {{8, 8, 6, byte, 1, CUDA_ARRAY3D_CUBEMAP}, CUDA_SUCCESS},
      {{8, 8, 12, byte, 1, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED}, CUDA_SUCCESS},
      {{0, 0, 0, byte, 1, 0}, CUDA_ERROR_INVALID_VALUE},
      {{16, 0, 3, byte, 1, 0}, CUDA_ERROR_INVALID_VALUE},
      {{16, 0, 0, byte, 3, 0}, CUDA_ERROR_INVALID_VALUE},
      {{16, 0, 0, byte, 0, 0}, CUDA_ERROR_INVALID_VALUE},
      {{16, 0, 0, CUarray_format(7), 1, 0}, CUDA_ERROR_INVALID_VALUE},
      {{16, 0, 0, byte, 1, CUDA_ARRAY3D_LAYERED}, CUDA_ERROR_INVALID_VALUE},
      {{16, 0, 0, byte, 1, CUDA_ARRAY3D_TEXTURE_GATHER}, CUDA_ERROR_INVALID_VALUE},
      {{16, 4, 3, byte, 1, CUDA_ARRAY3D_TEXTURE_GATHER | CUDA_ARRAY3D_LAYERED},
       CUDA_ERROR_INVALID_VALUE},
      {{8, 8, 6, byte, 1, CUDA_ARRAY3D_TEXTURE_GATHER | CUDA_ARRAY3D_CUBEMAP},
       CUDA_ERROR_INVALID_VALUE},
      {{8, 4, 6, byte, 1, CUDA_ARRAY3D_CUBEMAP}, CUDA_ERROR_INVALID_VALUE},
      {{8, 8, 12, byte, 1, CUDA_ARRAY3D_CUBEMAP}, CUDA_ERROR_INVALID_VALUE},
      {{8, 8, 7, byte, 1, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED}, CUDA_ERROR_INVALID_VALUE},
      {{size_t{1} << 40, 0, 0, byte, 1, 0}, CUDA_ERROR_INVALID_VALUE},
      {{16, size_t{1} << 32, 0, byte, 1, 0}, CUDA_ERROR_INVALID_VALUE},
      {{16, 16, size_t{1} << 40, byte, 1, CUDA_ARRAY3D_LAYERED}, CUDA_ERROR_INVALID_VALUE},
      {{131072, 65536, 0, CU_AD_FORMAT_FLOAT, 4, 0}, CUDA_ERROR_OUT_OF_MEMORY},
      {{16, 4, 0, byte, 1, CUDA_ARRAY3D_SPARSE}, CUDA_ERROR_NOT_SUPPORTED},
      {{16, 4, 0, byte, 1, 0x10000}, CUDA_ERROR_INVALID_VALUE}};
  for (const auto& row : rows)
    EXPECT_CU(row.result, created(row.shape)) << row.shape.Width << "x" << row.shape.Height << "x"
                                              << row.shape.Depth << " flags " << row.shape.Flags;
  CUarray made = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuArray3DCreate_v2(nullptr, &rows[0].shape));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuArray3DCreate_v2(&made, nullptr));
}

TEST_F(Arrays, ReturnTheirDescriptors) {
  const CUDA_ARRAY_DESCRIPTOR shape{20, 10, CU_AD_FORMAT_FLOAT, 2};
  CUarray made = nullptr;
  OK(cu.cuArrayCreate_v2(&made, &shape));
  CUDA_ARRAY_DESCRIPTOR plane = {};
  CUDA_ARRAY3D_DESCRIPTOR space = {};
  OK(cu.cuArrayGetDescriptor_v2(&plane, made));
  OK(cu.cuArray3DGetDescriptor_v2(&space, made));
  EXPECT_EQ(plane.Width, 20u);
  EXPECT_EQ(plane.Height, 10u);
  EXPECT_EQ(space.NumChannels, 2u);
  EXPECT_EQ(space.Depth, 0u);
  EXPECT_EQ(space.Format, CU_AD_FORMAT_FLOAT);
  OK(cu.cuArrayDestroy(made));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuArrayDestroy(made));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuArrayGetDescriptor_v2(&plane, made));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuArrayDestroy(nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuArrayDestroy(reinterpret_cast<CUarray>(context)));
}

TEST_F(Arrays, AreCopiedAlongARow) {
  CUarray a = array(100), b = array(100);
  const auto source = numbered(100);
  std::vector<uint8_t> back(100);
  CUdeviceptr memory = 0;
  CUstream stream = nullptr;
  OK(cu.cuMemAlloc_v2(&memory, 100));
  OK(cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(cu.cuMemcpyHtoA_v2(a, 10, source.data(), 90));
  OK(cu.cuMemcpyAtoA_v2(b, 20, a, 10, 80));
  OK(cu.cuMemcpyAtoD_v2(memory, b, 20, 80));
  OK(cu.cuMemcpyDtoA_v2(a, 0, memory, 80));
  OK(cu.cuMemcpyAtoH_v2(back.data(), a, 0, 80));
  EXPECT_EQ(std::memcmp(back.data(), source.data(), 80), 0);
  OK(cu.cuMemcpyHtoAAsync_v2(b, 0, source.data(), 100, stream));
  OK(cu.cuMemcpyAtoHAsync_v2(back.data(), b, 0, 100, stream));
  OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(back, source);
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpyHtoA_v2(a, 10, source.data(), 91));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpyAtoH_v2(back.data(), a, SIZE_MAX, 1));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuMemcpyHtoA_v2(nullptr, 0, source.data(), 1));
  for (CUarray made : {a, b}) OK(cu.cuArrayDestroy(made));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuMemcpyHtoA_v2(a, 0, source.data(), 1));
}

// A box goes to an array, to another one, and back.
TEST_F(Arrays, AreCopiedInBoxes) {
  CUarray a = array(20, 10, 4, 0, CU_AD_FORMAT_UNSIGNED_INT8, 2), b = array(20, 10, 4, 0);
  const auto source = numbered(size_t{40} * 10 * 4);
  std::vector<uint8_t> back(source.size());
  CUDA_MEMCPY3D in = {};
  in.srcMemoryType = CU_MEMORYTYPE_HOST;
  in.srcHost = source.data();
  in.srcPitch = 40;
  in.srcHeight = 10;
  in.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  in.dstArray = a;
  in.WidthInBytes = 40;
  in.Height = 10;
  in.Depth = 4;
  OK(cu.cuMemcpy3D_v2(&in));
  CUDA_MEMCPY3D across = {};
  across.srcMemoryType = across.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  across.srcArray = a;
  across.dstArray = b;
  across.srcXInBytes = 6;
  across.srcY = 2;
  across.srcZ = 1;
  across.dstXInBytes = 3;
  across.WidthInBytes = 12;
  across.Height = 5;
  across.Depth = 3;
  OK(cu.cuMemcpy3D_v2(&across));
  CUDA_MEMCPY3D out = in;
  std::swap(out.srcMemoryType, out.dstMemoryType);
  out.srcArray = b;
  out.srcXInBytes = 3;
  out.dstHost = back.data();
  out.dstPitch = 12;
  out.dstHeight = 5;
  out.WidthInBytes = 12;
  out.Height = 5;
  out.Depth = 3;
  OK(cu.cuMemcpy3D_v2(&out));
  for (size_t z = 0; z < 3; ++z)
    for (size_t y = 0; y < 5; ++y)
      for (size_t x = 0; x < 12; ++x)
        ASSERT_EQ(back[(z * 5 + y) * 12 + x], source[((z + 1) * 10 + y + 2) * 40 + x + 6]);
  CUDA_MEMCPY3D wrong = in;
  wrong.Depth = 5;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpy3D_v2(&wrong));
  wrong = in;
  wrong.dstXInBytes = 1;  // half a texel
  wrong.WidthInBytes = 2;
  EXPECT_CU(0, cu.cuMemcpy3D_v2(&wrong)) << "copies have no texels";
  wrong = in;
  wrong.dstY = SIZE_MAX;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpy3D_v2(&wrong));
  for (CUarray made : {a, b}) OK(cu.cuArrayDestroy(made));
}

TEST_F(Arrays, AreCopiedInPlanes) {
  CUarray a = array(16, 6);
  const auto source = numbered(16 * 6);
  CUdeviceptr memory = 0;
  std::vector<uint8_t> back(source.size());
  OK(cu.cuMemAlloc_v2(&memory, 32 * 6));
  CUDA_MEMCPY2D in = {};
  in.srcMemoryType = CU_MEMORYTYPE_HOST;
  in.srcHost = source.data();
  in.srcPitch = 16;
  in.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  in.dstArray = a;
  in.WidthInBytes = 16;
  in.Height = 6;
  OK(cu.cuMemcpy2D_v2(&in));
  CUDA_MEMCPY2D out = {};
  out.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  out.srcArray = a;
  out.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  out.dstDevice = memory;
  out.dstPitch = 32;
  out.WidthInBytes = 16;
  out.Height = 6;
  OK(cu.cuMemcpy2DAsync_v2(&out, nullptr));
  out.dstMemoryType = CU_MEMORYTYPE_HOST;
  out.dstHost = back.data();
  out.dstPitch = 16;
  OK(cu.cuMemcpy2DUnaligned_v2(&out));
  EXPECT_EQ(back, source);
  std::vector<uint8_t> pitched(32 * 6);
  OK(cu.cuMemcpyDtoH_v2(pitched.data(), memory, pitched.size()));
  for (size_t y = 0; y < 6; ++y)
    EXPECT_EQ(std::memcmp(&pitched[y * 32], &source[y * 16], 16), 0) << y;
  OK(cu.cuArrayDestroy(a));
}

TEST_F(Arrays, OfMipmapsEndTogether) {
  const CUDA_ARRAY3D_DESCRIPTOR shape{20, 9, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  CUmipmappedArray made = nullptr;
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMipmappedArrayCreate(&made, &shape, 0));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMipmappedArrayCreate(&made, &shape, 6));
  OK(cu.cuMipmappedArrayCreate(&made, &shape, 5));
  const size_t widths[] = {20, 10, 5, 2, 1}, heights[] = {9, 4, 2, 1, 1};
  CUarray level = nullptr;
  for (unsigned i = 0; i < 5; ++i) {
    CUDA_ARRAY_DESCRIPTOR d = {};
    OK(cu.cuMipmappedArrayGetLevel(&level, made, i));
    OK(cu.cuArrayGetDescriptor_v2(&d, level));
    EXPECT_EQ(d.Width, widths[i]);
    EXPECT_EQ(d.Height, heights[i]);
  }
  const float value = 2.5f;
  OK(cu.cuMemcpyHtoA_v2(level, 0, &value, 4));
  EXPECT_CU(0, cu.cuArrayDestroy(level)) << "without an effect";
  OK(cu.cuMemcpyHtoA_v2(level, 0, &value, 4));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuMipmappedArrayGetLevel(&level, made, 5));
  OK(cu.cuMipmappedArrayDestroy(made));
  CUDA_ARRAY_DESCRIPTOR d = {};
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuArrayGetDescriptor_v2(&d, level));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuMipmappedArrayDestroy(made));
}

// Descriptors of random bytes never crash, and no call succeeds with a large array.
TEST_F(Arrays, RandomDescriptorsAreRefused) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    CUDA_ARRAY3D_DESCRIPTOR shape = {};
    shape.Width = random() >> random() % 64;
    shape.Height = random() >> random() % 64;
    shape.Depth = random() >> random() % 64;
    shape.Format = CUarray_format(random() % 40);
    shape.NumChannels = unsigned(random() % 6);
    shape.Flags = unsigned(random() % 512);
    if (shape.Width * shape.Height > (1u << 20)) shape.NumChannels = 3;
    created(shape);
    CUmipmappedArray levels = nullptr;
    if (cu.cuMipmappedArrayCreate(&levels, &shape, unsigned(random() % 20)) == CUDA_SUCCESS) {
      EXPECT_CU(0, cu.cuMipmappedArrayDestroy(levels));
    }
  }
}

TEST_F(Arrays, EndWithTheirContextAndAreReported) {
  const auto report = [&] {
    char text[16384] = {};
    EXPECT_CU(0, cu.control().report(text, sizeof text, nullptr));
    return std::string(text);
  };
  OK(cu.control().reset_report());
  CUcontext other = nullptr;
  OK(cu.cuCtxCreate_v4(&other, nullptr, 0, 0));
  CUarray left = array(16, 16);
  const CUDA_ARRAY3D_DESCRIPTOR shape{16, 16, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  CUmipmappedArray levels = nullptr;
  OK(cu.cuMipmappedArrayCreate(&levels, &shape, 2));
  CUarray level = nullptr;
  OK(cu.cuMipmappedArrayGetLevel(&level, levels, 1));
  OK(cu.cuCtxDestroy_v2(other));
  CUDA_ARRAY_DESCRIPTOR d = {};
  for (CUarray ended : {left, level})
    EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuArrayGetDescriptor_v2(&d, ended));
  const std::string text = report();
  const std::string leaks = text.substr(std::min(text.find("leaked"), text.size()));
  EXPECT_NE(leaks.find("\"arrays\":1"), std::string::npos) << text;
  EXPECT_NE(leaks.find("\"mipmapped arrays\":1"), std::string::npos) << text;
  OK(cu.cuCtxSetCurrent(context));
}

}  // namespace
}  // namespace cutest
