// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects: descriptions, accesses of kernels to surfaces, and faults.
#include <cstring>
#include <random>
#include <thread>

#include "driver.hpp"

namespace cutest {
namespace {

const char* const KERNELS = R"(.version 7.8
.target sm_75
.address_size 64
.visible .entry sample(.param .u64 object, .param .u64 out)
{ .reg .b32 %r<5>; .reg .f32 %f<3>; .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [object]; ld.param.u64 %rd1, [out]; mov.f32 %f0, 0f3F000000;
  tex.2d.v4.u32.f32 {%r0, _, _, _}, [%rd0, {%f0, %f0}]; st.global.u32 [%rd1], %r0; ret; }
.visible .entry load(.param .u64 object, .param .u64 out)
{ .reg .b32 %r<5>; .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [object]; ld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2;
  add.s32 %r2, %r1, -16; suld.b.1d.b32.clamp {%r3}, [%rd0, {%r2}];
  suld.b.1d.b32.zero {%r4}, [%rd0, {%r2}]; mad.wide.u32 %rd2, %r0, 8, %rd1;
  st.global.v2.u32 [%rd2], {%r3, %r4}; ret; }
.visible .entry store(.param .u64 object, .param .u64 out)
{ .reg .b16 %h<2>; .reg .b32 %r<5>; .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [object]; mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 7; shr.u32 %r2, %r0, 3;
  and.b32 %r3, %r2, 3; shr.u32 %r2, %r2, 2; shl.b32 %r1, %r1, 1; add.s32 %r4, %r0, 100;
  cvt.u16.u32 %h0, %r4; sust.b.a2d.b16.zero [%rd0, {%r2, %r1, %r3, %r3}], {%h0}; ret; }
.visible .entry reduce(.param .u64 object, .param .u64 out)
{ .reg .b32 %r<5>; .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [object]; mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 3; shl.b32 %r1, %r1, 2;
  mov.u32 %r2, 1; sured.b.add.2d.u32.trap [%rd0, {%r1, %r2}], %r0; ret; }
.visible .entry stray(.param .u64 object, .param .u64 out)
{ .reg .b32 %r<5>; .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [object]; mov.u32 %r0, %tid.x; shl.b32 %r1, %r0, 2;
  sust.b.1d.b32.trap [%rd0, {%r1}], %r0; ret; }
.visible .entry askew(.param .u64 object, .param .u64 out)
{ .reg .b32 %r<5>; .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [object]; mov.u32 %r0, 2; sust.b.1d.b32.zero [%rd0, {%r0}], %r0; ret; }
.visible .entry query(.param .u64 object, .param .u64 out)
{ .reg .b32 %r<8>; .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [object]; ld.param.u64 %rd1, [out];
  txq.width.b32 %r0, [%rd0]; txq.height.b32 %r1, [%rd0]; txq.depth.b32 %r2, [%rd0];
  txq.level.width.b32 %r3, [%rd0], 1; st.global.v4.u32 [%rd1], {%r0, %r1, %r2, %r3}; ret; }
)";

class Textures : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    OK(cu.cuModuleLoadData(&kernels_, KERNELS));
    OK(cu.cuMemAlloc_v2(&out_, OUT));
    OK(cu.cuMemsetD8_v2(out_, 0, OUT));
  }

  CUDA_RESOURCE_DESC array(size_t width, size_t height, size_t depth, unsigned flags,
                           CUarray_format format = CU_AD_FORMAT_UNSIGNED_INT32) {
    const CUDA_ARRAY3D_DESCRIPTOR shape{width, height, depth, format, 1, flags};
    CUDA_RESOURCE_DESC resource = {};
    EXPECT_CU(0, cu.cuArray3DCreate_v2(&resource.res.array.hArray, &shape));
    return resource;
  }
  CUtexObject texture(const CUDA_RESOURCE_DESC& resource) {
    CUtexObject made = 0;
    const CUDA_TEXTURE_DESC sampler = {};
    EXPECT_CU(0, cu.cuTexObjectCreate(&made, &resource, &sampler, nullptr));
    return made;
  }
  CUsurfObject surface(const CUDA_RESOURCE_DESC& resource) {
    CUsurfObject made = 0;
    EXPECT_CU(0, cu.cuSurfObjectCreate(&made, &resource));
    return made;
  }
  CUresult run(const char* name, unsigned long long object, unsigned threads = 1) {
    CUfunction f = nullptr;
    EXPECT_CU(0, cu.cuModuleGetFunction(&f, kernels_, name));
    void* parameters[] = {&object, &out_};
    CUresult result = cu.cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, nullptr, parameters, nullptr);
    return result == CUDA_SUCCESS ? cu.cuCtxSynchronize() : result;
  }
  std::vector<unsigned> results(size_t count) {
    std::vector<unsigned> words(count);
    EXPECT_CU(0, cu.cuMemcpyDtoH_v2(words.data(), out_, count * 4));
    return words;
  }
  void expect_fault(CUresult code, const char* kernel, unsigned long long object, const char* part,
                    unsigned threads = 1) {
    EXPECT_CU(code, run(kernel, object, threads));
    EXPECT_NE(fault_text().find(part), std::string::npos) << fault_text();
  }

  static constexpr size_t OUT = 4096;
  CUmodule kernels_ = nullptr;
  CUdeviceptr out_ = 0;
};

TEST_F(Textures, ReturnTheirDescriptions) {
  const CUDA_RESOURCE_DESC resource = array(8, 4, 0, 0);
  CUDA_TEXTURE_DESC sampler = {};
  sampler.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER;
  sampler.borderColor[2] = 5;
  CUtexObject made = 0;
  OK(cu.cuTexObjectCreate(&made, &resource, &sampler, nullptr));
  CUDA_RESOURCE_DESC r = {};
  CUDA_TEXTURE_DESC t = {};
  OK(cu.cuTexObjectGetResourceDesc(&r, made));
  OK(cu.cuTexObjectGetTextureDesc(&t, made));
  EXPECT_EQ(r.res.array.hArray, resource.res.array.hArray);
  EXPECT_EQ(t.addressMode[1], CU_TR_ADDRESS_MODE_BORDER);
  EXPECT_EQ(t.borderColor[2], 5);
  OK(cu.cuTexObjectDestroy(made));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuTexObjectDestroy(made));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuTexObjectGetTextureDesc(&t, made));
  EXPECT_CU(CUDA_ERROR_INVALID_HANDLE, cu.cuSurfObjectDestroy(made));
}

TEST_F(Textures, RefuseWrongDescriptions) {
  CUtexObject made = 0;
  CUDA_TEXTURE_DESC sampler = {};
  const CUDA_RESOURCE_DESC good = array(8, 4, 0, 0);
  auto expect = [&](CUresult code, const CUDA_RESOURCE_DESC& r, const CUDA_TEXTURE_DESC& t) {
    EXPECT_CU(code, cu.cuTexObjectCreate(&made, &r, &t, nullptr));
  };
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuTexObjectCreate(nullptr, &good, &sampler, nullptr));
  EXPECT_CU(CUDA_ERROR_INVALID_VALUE, cu.cuTexObjectCreate(&made, nullptr, &sampler, nullptr));
  const CUDA_RESOURCE_VIEW_DESC view = {};
  EXPECT_CU(CUDA_ERROR_NOT_SUPPORTED, cu.cuTexObjectCreate(&made, &good, &sampler, &view));
  sampler.filterMode = CU_TR_FILTER_MODE_LINEAR;
  expect(CUDA_SUCCESS, good, sampler);  // integers have no filter
  sampler = {};
  sampler.addressMode[2] = CUaddress_mode(9);
  expect(CUDA_SUCCESS, good, sampler);  // a plane does not use it
  sampler.addressMode[1] = CUaddress_mode(9);
  expect(CUDA_ERROR_INVALID_VALUE, good, sampler);
  sampler = {};
  sampler.reserved[11] = 1;
  expect(CUDA_ERROR_INVALID_VALUE, good, sampler);
  sampler = {};
  sampler.flags = 0x80;
  expect(CUDA_ERROR_INVALID_VALUE, good, sampler);
  sampler.flags = CU_TRSF_SEAMLESS_CUBEMAP;
  expect(CUDA_ERROR_NOT_SUPPORTED, good, sampler);
  sampler = {};
  CUDA_RESOURCE_DESC r = good;
  r.flags = 1;
  expect(CUDA_ERROR_INVALID_VALUE, r, sampler);
  r = {};
  expect(CUDA_ERROR_INVALID_VALUE, r, sampler);
  r.resType = CUresourcetype(17);
  expect(CUDA_ERROR_INVALID_VALUE, r, sampler);
  r.resType = CU_RESOURCE_TYPE_LINEAR;
  r.res.linear = {out_, CU_AD_FORMAT_FLOAT, 1, OUT + 1};
  expect(CUDA_ERROR_INVALID_VALUE, r, sampler);
  r.res.linear = {out_ + 4, CU_AD_FORMAT_FLOAT, 1, 64};
  expect(CUDA_ERROR_INVALID_VALUE, r, sampler);
  r.res.linear = {0, CU_AD_FORMAT_FLOAT, 1, 64};
  expect(CUDA_ERROR_INVALID_VALUE, r, sampler);
  r.resType = CU_RESOURCE_TYPE_PITCH2D;
  r.res.pitch2D = {out_, CU_AD_FORMAT_FLOAT, 1, 16, 65, 64};
  expect(CUDA_ERROR_INVALID_VALUE, r, sampler);
  r.res.pitch2D = {out_, CU_AD_FORMAT_FLOAT, 1, 16, 4, 33};
  expect(CUDA_ERROR_INVALID_VALUE, r, sampler);
  CUsurfObject s = 0;
  OK(cu.cuSurfObjectCreate(&s, &good)) << "without SURFACE_LDST";
}

// Random bytes in place of descriptions never crash.
TEST_F(Textures, RandomDescriptionsAreRefused) {
  std::mt19937_64 random(11);
  const CUDA_RESOURCE_DESC good = array(8, 4, 0, CUDA_ARRAY3D_SURFACE_LDST);
  for (int i = 0; i < 20000; ++i) {
    CUDA_RESOURCE_DESC resource = good;
    CUDA_TEXTURE_DESC sampler = {};
    auto scatter = [&](void* at, size_t size) {
      for (unsigned k = 0; k < random() % 6; ++k)
        static_cast<unsigned char*>(at)[random() % size] = static_cast<unsigned char>(random());
    };
    resource.resType = CUresourcetype(random() % 5);
    if (random() % 2) resource.res.linear = {out_, CU_AD_FORMAT_FLOAT, 1, 64};
    scatter(&resource, sizeof resource);
    scatter(&sampler, sizeof sampler);
    CUtexObject made = 0;
    if (cu.cuTexObjectCreate(&made, &resource, &sampler, nullptr) == CUDA_SUCCESS) {
      EXPECT_CU(0, cu.cuTexObjectDestroy(made));
    }
    if (cu.cuSurfObjectCreate(&made, &resource) == CUDA_SUCCESS) {
      EXPECT_CU(0, cu.cuSurfObjectDestroy(made));
    }
  }
}

TEST_F(Textures, LoadsOfSurfacesClampOrAreZero) {
  const CUDA_RESOURCE_DESC line = array(16, 0, 0, CUDA_ARRAY3D_SURFACE_LDST);
  std::vector<unsigned> values(16);
  for (unsigned i = 0; i < 16; ++i) values[i] = 1000 + i;
  OK(cu.cuMemcpyHtoA_v2(line.res.array.hArray, 0, values.data(), 64));
  OK(run("load", surface(line), 24));
  const auto got = results(48);
  for (int i = 0; i < 24; ++i) {
    const int at = i - 4;
    EXPECT_EQ(got[size_t(2 * i)], 1000u + unsigned(std::min(std::max(at, 0), 15))) << i;
    EXPECT_EQ(got[size_t(2 * i + 1)], at < 0 || at > 15 ? 0u : 1000u + unsigned(at)) << i;
  }
}

TEST_F(Textures, StoresReachTheirLayer) {
  const CUDA_RESOURCE_DESC layers =
      array(8, 4, 2, CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_LAYERED, CU_AD_FORMAT_UNSIGNED_INT16);
  OK(run("store", surface(layers), 96));  // the last 32 have layer 2, which does not exist
  std::vector<uint16_t> back(64);
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = layers.res.array.hArray;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = back.data();
  copy.dstPitch = copy.WidthInBytes = 16;
  copy.dstHeight = copy.Height = 4;
  copy.Depth = 2;
  OK(cu.cuMemcpy3D_v2(&copy));
  for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(back[i], 100 + i);
}

TEST_F(Textures, ReductionsAreAtomic) {
  const CUDA_RESOURCE_DESC plane = array(4, 3, 0, CUDA_ARRAY3D_SURFACE_LDST);
  unsigned sums[12] = {};
  CUDA_MEMCPY2D copy = {};
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = plane.res.array.hArray;
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = sums;
  copy.srcPitch = copy.WidthInBytes = 16;
  copy.Height = 3;
  OK(cu.cuMemcpy2D_v2(&copy));
  OK(run("reduce", surface(plane), 256));
  std::swap(copy.srcMemoryType, copy.dstMemoryType);
  copy.srcArray = copy.dstArray;
  copy.dstHost = sums;
  copy.dstPitch = 16;
  OK(cu.cuMemcpy2D_v2(&copy));
  for (unsigned x = 0; x < 4; ++x) {
    EXPECT_EQ(sums[x], 0u);
    EXPECT_EQ(sums[4 + x], 64 * x + 4 * (63 * 64 / 2)) << x;
  }
}

TEST_F(Textures, AnswerQueries) {
  CUDA_RESOURCE_DESC resource = {};
  const CUDA_ARRAY3D_DESCRIPTOR shape{16, 8, 4, CU_AD_FORMAT_FLOAT, 1, 0};
  resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  OK(cu.cuMipmappedArrayCreate(&resource.res.mipmap.hMipmappedArray, &shape, 3));
  OK(run("query", texture(resource)));
  EXPECT_EQ(results(4), (std::vector<unsigned>{16, 8, 4, 8}));
}

// Objects come and go while kernels of other threads read theirs.
TEST_F(Textures, ThreadsHaveObjectsOfTheirOwn) {
  CUfunction f = nullptr;
  OK(cu.cuModuleGetFunction(&f, kernels_, "sample"));
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 16; ++t)
    threads.emplace_back([this, f, t] {
      ASSERT_CU(0, cu.cuCtxSetCurrent(context));
      CUstream stream = nullptr;
      ASSERT_CU(0, cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
      CUdeviceptr out = out_ + 4 * t;
      for (unsigned i = 0; i < 20; ++i) {
        const unsigned value = 100 * t + i;
        const CUDA_RESOURCE_DESC resource = array(4, 4, 0, 0);
        ASSERT_CU(0, cu.cuMemcpyHtoA_v2(resource.res.array.hArray, 0, &value, 4));
        CUtexObject object = texture(resource);
        void* parameters[] = {&object, &out};
        ASSERT_CU(0, cu.cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr));
        unsigned got = 0;
        ASSERT_CU(0, cu.cuMemcpyDtoHAsync_v2(&got, out, 4, stream));
        ASSERT_CU(0, cu.cuStreamSynchronize(stream));
        EXPECT_EQ(got, value);
        ASSERT_CU(0, cu.cuTexObjectDestroy(object));
        ASSERT_CU(0, cu.cuArrayDestroy(resource.res.array.hArray));
      }
      ASSERT_CU(0, cu.cuStreamDestroy_v2(stream));
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Textures, DestroyedObjectsFault) {
  const CUtexObject made = texture(array(8, 4, 0, 0));
  OK(run("sample", made));
  OK(cu.cuTexObjectDestroy(made));
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, "sample", made, "no texture object");
}

TEST_F(Textures, DestroyedArraysFault) {
  const CUDA_RESOURCE_DESC resource = array(8, 4, 0, 0);
  const CUtexObject made = texture(resource);
  OK(cu.cuArrayDestroy(resource.res.array.hArray));
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, "sample", made, "illegal address");
}

TEST_F(Textures, InventedHandlesFault) {
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, "sample", 12345, "no texture object");
}
TEST_F(Textures, SurfacesAreNoTextures) {
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, "sample",
               surface(array(8, 4, 0, CUDA_ARRAY3D_SURFACE_LDST)), "no texture object");
}
TEST_F(Textures, OtherGeometriesFault) {
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, "sample", texture(array(8, 0, 0, 0)),
               "another geometry");
}
TEST_F(Textures, StrayStoresFault) {
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, "stray",
               surface(array(8, 0, 0, CUDA_ARRAY3D_SURFACE_LDST)),
               "at byte 32, row 0, plane 0 of a surface with 32 bytes", 9);
}
TEST_F(Textures, MisalignedStoresFault) {
  expect_fault(CUDA_ERROR_MISALIGNED_ADDRESS, "askew",
               surface(array(8, 0, 0, CUDA_ARRAY3D_SURFACE_LDST)), "a multiple of 4");
}
}  // namespace
}  // namespace cutest
