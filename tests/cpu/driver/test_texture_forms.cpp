// SPDX-License-Identifier: Apache-2.0
// Formatted surface accesses, queries of every attribute, separate samplers, variables of the types
// .texref, .samplerref and .surfref, and misuse of each.
#include <bit>
#include <cstring>

#include "driver.hpp"

namespace cutest {
namespace {

const char* const HEAD_OF_FORMS = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry words(.param .u64 object, .param .u64 out)
{ .reg .b32 %r<8>; .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [object]; ld.param.u64 %rd1, [out]; mov.u32 %r0, %tid.x; add.s32 %r1, %r0, -2;
  mul.wide.u32 %rd2, %r0, 8; add.s64 %rd1, %rd1, %rd2; ld.global.v2.u32 {%r2, %r3}, [%rd1];
  sust.p.1d.v2.b32.zero [%rd0, {%r1}], {%r2, %r3}; ret; }
.visible .entry clamped(.param .u64 object, .param .u64 out)
{ .reg .b32 %r<8>; .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [object]; mov.u32 %r0, 100; mov.u32 %r1, -1; mov.b32 %r2, 0f3F800000;
  sust.p.2d.b32.clamp [%rd0, {%r0, %r1}], {%r2}; ret; }
.visible .entry trapped(.param .u64 object, .param .u64 out)
{ .reg .b32 %r<8>; .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [object]; mov.u32 %r0, 8; sust.p.1d.b32.trap [%rd0, {%r0}], {%r0}; ret; }
.visible .entry smallest(.param .u64 object, .param .u64 out)
{ .reg .b32 %r<8>; .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [object]; mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 3; sub.s32 %r2, 5, %r0;
  sured.p.min.1d.b32.trap [%rd0, {%r1}], %r2; ret; }
.visible .entry added(.param .u64 object, .param .u64 out)
{ .reg .b32 %r<8>; .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [object]; mov.u32 %r0, %tid.x; and.b32 %r1, %r0, 3; mov.u32 %r2, 0;
  sured.p.add.2d.b32.zero [%rd0, {%r1, %r2}], %r0; ret; }
.visible .entry joined(.param .u64 object, .param .u64 out)
{ .reg .b32 %r<8>; .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [object]; mov.u32 %r0, %tid.x; mov.u32 %r1, 1; shl.b32 %r1, %r1, %r0;
  mov.u32 %r2, 9; sured.p.or.1d.b32.clamp [%rd0, {%r2}], %r1; ret; }
)";

class TextureForms : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    OK(cu.cuMemAlloc_v2(&out_, OUT));
    OK(cu.cuMemsetD8_v2(out_, 0, OUT));
  }

  CUDA_RESOURCE_DESC array(size_t width, size_t height, CUarray_format format, unsigned channels,
                           unsigned flags = CUDA_ARRAY3D_SURFACE_LDST, size_t depth = 0) {
    const CUDA_ARRAY3D_DESCRIPTOR shape{width, height, depth, format, channels, flags};
    CUDA_RESOURCE_DESC resource = {};
    EXPECT_CU(0, cu.cuArray3DCreate_v2(&resource.res.array.hArray, &shape));
    return resource;
  }
  CUtexObject texture(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& sampler = {}) {
    CUtexObject made = 0;
    EXPECT_CU(0, cu.cuTexObjectCreate(&made, &resource, &sampler, nullptr));
    return made;
  }
  CUsurfObject surface(const CUDA_RESOURCE_DESC& resource) {
    CUsurfObject made = 0;
    EXPECT_CU(0, cu.cuSurfObjectCreate(&made, &resource));
    return made;
  }
  // A kernel `k` of a text with the body; `before` has variables of the module.
  CUmodule module_of(const std::string& body, const std::string& before = "",
                     const std::string& target = "sm_75") {
    const std::string text =
        ".version 8.0\n.target " + target + "\n.address_size 64\n" + before +
        ".visible .entry k(.param .u64 object, .param .u64 out)\n{ .reg .pred %p<8>; .reg .b32 "
        "%r<32>; .reg .f32 %f<8>; .reg .b64 %rd<8>;\nld.param.u64 %rd0, [object]; ld.param.u64 "
        "%rd1, [out];\n" +
        body + "\nret; }\n";
    CUmodule made = nullptr;
    EXPECT_CU(0, cu.cuModuleLoadData(&made, text.c_str())) << text << log();
    return made;
  }
  std::string log() {
    char text[1024] = {};
    EXPECT_CU(0, cu.control().last_load_log(text, sizeof text, nullptr));
    return text;
  }
  CUresult run(CUmodule module, const char* name, unsigned long long object, unsigned threads = 1) {
    CUfunction f = nullptr;
    EXPECT_CU(0, cu.cuModuleGetFunction(&f, module, name));
    void* parameters[] = {&object, &out_};
    CUresult result = cu.cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, nullptr, parameters, nullptr);
    return result == CUDA_SUCCESS ? cu.cuCtxSynchronize() : result;
  }
  CUmodule forms() {
    CUmodule made = nullptr;
    EXPECT_CU(0, cu.cuModuleLoadData(&made, HEAD_OF_FORMS));
    return made;
  }
  template <class T>
  std::vector<T> line(CUarray array, size_t count) {
    std::vector<T> values(count);
    EXPECT_CU(0, cu.cuMemcpyAtoH_v2(values.data(), array, 0, count * sizeof(T)));
    return values;
  }
  template <class T>
  void fill(CUarray array, const std::vector<T>& values) {
    EXPECT_CU(0, cu.cuMemcpyHtoA_v2(array, 0, values.data(), values.size() * sizeof(T)));
  }
  std::vector<unsigned> results(size_t count) {
    std::vector<unsigned> words(count);
    EXPECT_CU(0, cu.cuMemcpyDtoH_v2(words.data(), out_, count * 4));
    return words;
  }
  void expect_fault(CUresult code, CUresult got, const char* part) {
    EXPECT_CU(code, got);
    EXPECT_NE(fault_text().find(part), std::string::npos) << fault_text();
    EXPECT_NE(fault_text().find("PTX line"), std::string::npos) << fault_text();
  }
  void expect_refused(const std::string& body, const char* part, const std::string& before = "") {
    const std::string text = ".version 8.0\n.target sm_75\n.address_size 64\n" + before +
                             ".visible .entry k()\n{ .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 "
                             "%rd<4>; .reg .pred %p<2>;\n" +
                             body + "\nret; }\n";
    CUmodule made = nullptr;
    EXPECT_CU(CUDA_ERROR_INVALID_PTX, cu.cuModuleLoadData(&made, text.c_str())) << text;
    EXPECT_NE(log().find(part), std::string::npos) << log() << text;
  }

  static constexpr size_t OUT = 4096;
  CUdeviceptr out_ = 0;
};

// Words of thread t go to texel t - 2; a format keeps what fits.
TEST_F(TextureForms, FormattedStoresConvert) {
  const std::vector<unsigned> words = {1, 2,     3,          4,          0,          255,
                                       7, 256,   0xffffffff, 0x7fffffff, 0x80000000, 128,
                                       9, 70000, 0xffff8000, 32768,      0xfffffff0, 100};
  auto stored = [&](CUarray_format format, unsigned channels) {
    EXPECT_CU(0, cu.cuMemcpyHtoD_v2(out_, words.data(), words.size() * 4));
    const CUDA_RESOURCE_DESC resource = array(7, 0, format, channels);
    EXPECT_CU(0, run(forms(), "words", surface(resource), 9));
    return resource.res.array.hArray;
  };
  const auto bytes = line<uint8_t>(stored(CU_AD_FORMAT_UNSIGNED_INT8, 2), 14);
  const auto signs = line<int16_t>(stored(CU_AD_FORMAT_SIGNED_INT16, 2), 14);
  const auto four = line<unsigned>(stored(CU_AD_FORMAT_UNSIGNED_INT32, 4), 28);
  for (size_t k = 0; k < 14; ++k) {
    const unsigned word = words[k + 4];
    EXPECT_EQ(bytes[k], std::min(word, 255u)) << k;
    EXPECT_EQ(signs[k], std::min(std::max(int(word), -32768), 32767)) << k;
    EXPECT_EQ(four[k / 2 * 4 + k % 2], word) << k;
    EXPECT_EQ(four[k / 2 * 4 + 2 + k % 2], 0u) << k;
  }
}

TEST_F(TextureForms, FormattedStoresRoundFloats) {
  const CUDA_RESOURCE_DESC plane = array(5, 3, CU_AD_FORMAT_HALF, 1);
  OK(run(forms(), "clamped", surface(plane)));
  std::vector<uint16_t> row(5);
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = plane.res.array.hArray;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = row.data();
  copy.dstPitch = copy.WidthInBytes = 10;
  copy.Height = 1;
  OK(cu.cuMemcpy2D_v2(&copy));
  EXPECT_EQ(row[4], 0x3c00) << "100 and -1 are clamped to the last texel of the first row";
}

TEST_F(TextureForms, FormattedReductionsHaveTheSignOfTheFormat) {
  for (const bool is_signed : {false, true}) {
    const CUDA_RESOURCE_DESC resource =
        array(4, 0, is_signed ? CU_AD_FORMAT_SIGNED_INT32 : CU_AD_FORMAT_UNSIGNED_INT32, 1);
    fill<unsigned>(resource.res.array.hArray, {100, 100, 100, 100});
    OK(run(forms(), "smallest", surface(resource), 32));
    const auto got = line<int>(resource.res.array.hArray, 4);
    for (int k = 0; k < 4; ++k)  // the values of the texel are 5 - k, 1 - k, ... 5 - 28 - k
      EXPECT_EQ(got[size_t(k)], is_signed ? -23 - k : k < 2 ? 1 - k : 5 - k) << k << is_signed;
  }
  const CUDA_RESOURCE_DESC plane = array(4, 1, CU_AD_FORMAT_UNSIGNED_INT32, 1);
  std::vector<unsigned> zeros(4), sums(4);
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = zeros.data();
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = plane.res.array.hArray;
  copy.srcPitch = copy.dstPitch = copy.WidthInBytes = 16;
  copy.Height = 1;
  OK(cu.cuMemcpy2D_v2(&copy));
  OK(run(forms(), "added", surface(plane), 64));
  std::swap(copy.srcMemoryType, copy.dstMemoryType);
  copy.srcArray = plane.res.array.hArray;
  copy.dstHost = sums.data();
  OK(cu.cuMemcpy2D_v2(&copy));
  for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(sums[k], 16 * k + 4 * (15 * 16 / 2));
  const CUDA_RESOURCE_DESC bits = array(4, 0, CU_AD_FORMAT_SIGNED_INT32, 1);
  fill<unsigned>(bits.res.array.hArray, {0, 0, 0, 0});
  OK(run(forms(), "joined", surface(bits), 32));
  EXPECT_EQ(line<unsigned>(bits.res.array.hArray, 4), (std::vector<unsigned>{0, 0, 0, ~0u}));
}

TEST_F(TextureForms, FormattedMistakesFault) {
  const CUmodule module = forms();
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS,
               run(module, "trapped", surface(array(8, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1))),
               "at byte 32, row 0, plane 0 of a surface with 32 bytes");
}
TEST_F(TextureForms, ReductionsNeedWords) {
  expect_fault(CUDA_ERROR_ILLEGAL_INSTRUCTION,
               run(forms(), "smallest", surface(array(8, 0, CU_AD_FORMAT_UNSIGNED_INT16, 1))),
               "expected one channel of 32-bit integers");
}
TEST_F(TextureForms, FormattedAccessesNeedSurfaces) {
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS,
               run(forms(), "words", texture(array(8, 0, CU_AD_FORMAT_UNSIGNED_INT32, 2))),
               "no surface object");
}

// ---- queries

TEST_F(TextureForms, QueriesOfTextures) {
  CUDA_RESOURCE_DESC resource = {};
  const CUDA_ARRAY3D_DESCRIPTOR shape{16, 8, 4, CU_AD_FORMAT_SIGNED_INT16, 2, 0};
  resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  OK(cu.cuMipmappedArrayCreate(&resource.res.mipmap.hMipmappedArray, &shape, 3));
  const CUmodule module = module_of(
      "txq.width.b32 %r0, [%rd0]; txq.height.b32 %r1, [%rd0]; txq.depth.b32 %r2, [%rd0];"
      "mov.u32 %r4, 2; txq.level.width.b32 %r3, [%rd0], %r4; st.global.v4.u32 [%rd1], {%r0, %r1, "
      "%r2, %r3};"
      "txq.level.height.b32 %r0, [%rd0], %r4; txq.level.depth.b32 %r1, [%rd0], 1;"
      "txq.level.width.b32 %r2, [%rd0], 3; suq.width.b32 %r3, [%rd0]; st.global.v4.u32 [%rd1+16], "
      "{%r0, %r1, %r2, %r3};"
      "suq.height.b32 %r0, [%rd0]; suq.depth.b32 %r1, [%rd0]; st.global.v2.u32 [%rd1+32], {%r0, "
      "%r1};");
  OK(run(module, "k", texture(resource)));
  EXPECT_EQ(results(10), (std::vector<unsigned>{16, 8, 4, 4, 2, 2, 0, 16, 8, 4}));
}

TEST_F(TextureForms, QueriesOfSurfaces) {
  const CUmodule module = module_of(
      "suq.width.b32 %r0, [%rd0]; suq.height.b32 %r1, [%rd0]; suq.depth.b32 %r2, [%rd0];"
      "st.global.v4.u32 [%rd1], {%r0, %r1, %r2, %r2};");
  OK(run(module, "k",
         surface(array(8, 4, CU_AD_FORMAT_HALF, 4, CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_LAYERED,
                       3))));
  EXPECT_EQ(results(3), (std::vector<unsigned>{8, 4, 3}));
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, run(module, "k", 12345), "no surface object");
}

// ---- separate samplers and variables

const char* const SAMPLED =
    "mov.f32 %f0, 0fC0000000; mov.f32 %f1, 0f3F000000;"  // -2 and 0.5
    "tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%rd0, %rd2, {%f0, %f1}]; st.global.u32 [%rd1], %r0;";

TEST_F(TextureForms, SamplersOfOtherObjects) {
  const CUDA_RESOURCE_DESC plane = array(4, 1, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0);
  fill<unsigned>(plane.res.array.hArray, {11, 12, 13, 14});
  CUDA_TEXTURE_DESC clamps = {}, borders = {};
  clamps.addressMode[0] = clamps.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
  borders.addressMode[0] = borders.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER;
  borders.borderColor[0] = std::bit_cast<float>(77);
  const CUtexObject clamped = texture(plane, clamps), bordered = texture(plane, borders);
  const CUmodule module = module_of(std::string("ld.global.u64 %rd2, [%rd1];") + SAMPLED, "",
                                    "sm_75, texmode_independent");
  for (const auto& [sampler, want] :
       {std::pair{clamped, 11u}, std::pair{bordered, 77u}, std::pair{clamped, 11u}}) {
    OK(cu.cuMemcpyHtoD_v2(out_, &sampler, 8));
    OK(run(module, "k", clamped));
    EXPECT_EQ(results(1)[0], want);
  }
}

// Lanes of one instruction use two textures in turn, with one sampler.
TEST_F(TextureForms, LanesHaveTheirOwnTextures) {
  const CUDA_RESOURCE_DESC small = array(4, 1, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0);
  const CUDA_RESOURCE_DESC large = array(8, 1, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0);
  fill<unsigned>(small.res.array.hArray, {11, 12, 13, 14});
  fill<unsigned>(large.res.array.hArray, {21, 22, 23, 24, 25, 26, 27, 28});
  const CUmodule module = module_of(
      "mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1; mul.wide.u32 %rd2, %r2, 8;"
      "add.s64 %rd2, %rd2, %rd0; ld.global.u64 %rd3, [%rd2]; ld.global.u64 %rd4, [%rd0+16];"
      "mov.f32 %f0, 0f3F000000; tex.2d.v4.u32.f32 {%r4, _, _, _}, [%rd3, %rd4, {%f0, %f0}];"
      "mul.wide.u32 %rd5, %r1, 4; add.s64 %rd5, %rd5, %rd1; st.global.u32 [%rd5], %r4;",
      "", "sm_75, texmode_independent");
  CUdeviceptr handles = 0;
  const CUtexObject objects[] = {texture(small), texture(large), texture(small)};
  OK(cu.cuMemAlloc_v2(&handles, sizeof objects));
  OK(cu.cuMemcpyHtoD_v2(handles, objects, sizeof objects));
  OK(run(module, "k", handles, 32));
  const std::vector<unsigned> seen = results(32);
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(seen[lane], lane % 2 ? 21u : 11u) << lane;
}

TEST_F(TextureForms, SamplersAreVariables) {
  const CUDA_RESOURCE_DESC plane = array(4, 1, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0);
  fill<unsigned>(plane.res.array.hArray, {11, 12, 13, 14});
  const std::string before =
      ".global .samplerref edge = { addr_mode_0 = clamp_to_edge, addr_mode_1 = clamp_to_edge, "
      "filter_mode = linear, force_unnormalized_coords = 1 };\n"
      ".global .samplerref border = { addr_mode_0 = clamp_to_border, addr_mode_1 = "
      "clamp_to_border };\n.global .samplerref plain;\n.global .texref unbound;\n";
  const CUmodule module = module_of(
      "mov.f32 %f0, 0fC0000000; mov.f32 %f1, 0f3F000000; mov.f32 %f2, 0f40200000;"
      "tex.2d.v4.u32.f32 {%r0, _, _, _}, [%rd0, edge, {%f0, %f1}];"
      "tex.2d.v4.u32.f32 {%r1, _, _, _}, [%rd0, border, {%f0, %f1}];"
      "mov.u64 %rd2, border; tex.2d.v4.u32.f32 {%r2, _, _, _}, [%rd0, %rd2, {%f2, %f1}];"
      "mov.u64 %rd3, edge; tex.2d.v4.u32.f32 {%r3, _, _, _}, [%rd0, plain, {%f2, %f1}];"
      "st.global.v4.u32 [%rd1], {%r0, %r1, %r2, %r3};"
      "istypep.samplerref %p0, %rd3; selp.u32 %r0, 1, 0, %p0; istypep.texref %p0, %rd3;"
      "selp.u32 %r1, 1, 0, %p0; mov.u64 %rd3, unbound; istypep.texref %p0, %rd3;"
      "selp.u32 %r2, 1, 0, %p0; istypep.surfref %p0, %rd1; selp.u32 %r3, 1, 0, %p0;"
      "st.global.v4.u32 [%rd1+16], {%r0, %r1, %r2, %r3};",
      before, "sm_75, texmode_independent");
  OK(run(module, "k", texture(plane)));
  EXPECT_EQ(results(8), (std::vector<unsigned>{11, 0, 13, 13, 1, 0, 1, 0}));
}

TEST_F(TextureForms, VariablesWithoutAnObjectFault) {
  const CUmodule module = module_of(
      "mov.f32 %f0, 0f3F000000; tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [unbound, {%f0, %f0}];",
      ".global .texref unbound = { channel_order = 0x10B0, width = 4, normalized_coords = 1 };\n");
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, run(module, "k", 0), "a variable without an object");
}
TEST_F(TextureForms, VariablesContainObjects) {
  const CUDA_RESOURCE_DESC plane = array(4, 1, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0);
  fill<unsigned>(plane.res.array.hArray, {11, 12, 13, 14});
  const CUmodule module = module_of(
      "mov.f32 %f0, 0f3FC00000; mov.f32 %f1, 0f3F000000;"
      "tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [t, {%f0, %f1}];"
      "txq.width.b32 %r1, [t]; txq.height.b32 %r2, [t]; st.global.v4.u32 [%rd1], {%r0, %r1, %r2, "
      "0};",
      ".visible .global .texref t;\n");
  CUdeviceptr place = 0;
  size_t size = 0;
  OK(cu.cuModuleGetGlobal_v2(&place, &size, module, "t"));
  ASSERT_EQ(size, 8u);
  const CUtexObject object = texture(plane);
  OK(cu.cuMemcpyHtoD_v2(place, &object, 8));
  OK(run(module, "k", 0));
  EXPECT_EQ(results(3), (std::vector<unsigned>{12, 4, 1}));
}
TEST_F(TextureForms, InventedSamplersFault) {
  const CUmodule module = module_of(std::string("mov.u64 %rd2, 123;") + SAMPLED);
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS,
               run(module, "k", texture(array(4, 4, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0))),
               "no sampler");
}
TEST_F(TextureForms, VariablesOfOtherTypesFault) {
  const CUmodule module = module_of(std::string("mov.u64 %rd0, s; mov.u64 %rd2, s;") + SAMPLED,
                                    ".global .samplerref s;\n");
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, run(module, "k", 0), "a variable of another type");
}
TEST_F(TextureForms, OldClampingIsNamedAsMissing) {
  const CUmodule module = module_of(std::string("mov.u64 %rd2, s;") + SAMPLED,
                                    ".global .samplerref s = { addr_mode_0 = clamp_ogl };\n");
  expect_fault(CUDA_ERROR_NOT_SUPPORTED,
               run(module, "k", texture(array(4, 4, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0))),
               "clamp_ogl");
}
TEST_F(TextureForms, SamplesNeedImagesThatHaveThem) {
  const CUmodule module = module_of(
      "mov.u32 %r4, 0; tex.2dms.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%rd0, {%r4, %r4, %r4, %r4}];");
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS,
               run(module, "k", texture(array(4, 4, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0))),
               "another geometry");
}

// A kernel parameter of an opaque type has a handle as its value.
TEST_F(TextureForms, ParametersContainHandles) {
  const std::string text =
      ".version 8.0\n.target sm_75, texmode_independent\n.address_size 64\n.visible .entry "
      "k(.param "
      ".texref t, .param .u64 out, .param .samplerref s)\n{ .reg .b32 %r<4>; .reg .f32 %f<2>; .reg "
      ".b64 %rd<2>; ld.param.u64 %rd1, [out]; mov.f32 %f0, 0f3FC00000; mov.f32 %f1, 0f3F000000;\n"
      "tex.2d.v4.u32.f32 {%r0, _, _, _}, [t, s, {%f0, %f1}]; txq.width.b32 %r1, [t];\n"
      "mov.f32 %f0, 0f40900000; tex.2d.v4.u32.f32 {%r2, _, _, _}, [t, s, {%f0, %f1}];\n"
      "st.global.v4.u32 [%rd1], {%r0, %r1, %r2, 0}; ret; }\n";
  CUmodule made = nullptr;
  OK(cu.cuModuleLoadData(&made, text.c_str()));
  const CUDA_RESOURCE_DESC plane = array(4, 1, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0);
  fill<unsigned>(plane.res.array.hArray, {11, 12, 13, 14});
  CUDA_TEXTURE_DESC borders = {};
  borders.addressMode[0] = borders.addressMode[1] = CU_TR_ADDRESS_MODE_BORDER;
  borders.borderColor[0] = std::bit_cast<float>(77);
  CUtexObject object = texture(plane), sampler = texture(plane, borders);
  CUfunction f = nullptr;
  OK(cu.cuModuleGetFunction(&f, made, "k"));
  void* parameters[] = {&object, &out_, &sampler};
  OK(cu.cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(results(3), (std::vector<unsigned>{12, 4, 77}));
  object = 77;
  OK(cu.cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
  expect_fault(CUDA_ERROR_ILLEGAL_ADDRESS, cu.cuCtxSynchronize(), "no texture object");
}

TEST_F(TextureForms, WrongTextsAreRefused) {
  const char* const four = "tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, ";
  expect_refused(std::string(four) + "[%rd0, %r1, {%f0, %f1}];", "a .samplerref or a 64-bit");
  expect_refused(std::string(four) + "[%rd0, %rd1, %rd1, {%f0, %f1}];", "two samplers");
  expect_refused(std::string(four) + "[t, t, {%f0, %f1}];", "a .samplerref or a 64-bit",
                 ".global .texref t;\n");
  expect_refused(std::string(four) + "[s, {%f0, %f1}];", "a .texref", ".global .surfref s;\n");
  expect_refused(std::string(four) + "[%rd0, {%f0, %f1}], {%r0};", "a vector of 2");
  expect_refused(std::string(four) + "[%rd0, {%f0, %f1}], {%r0, %r1}, %f0, %f1;", "too many");
  expect_refused(std::string(four) + "[%rd0, {%f0, %f1}], {%rd0, %rd1};", "operand");
  expect_refused("tex.3d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%f0, %f1, %f2, %f2}], %f0;",
                 "a depth has no meaning");
  expect_refused(
      "tex.cube.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%rd0, {%f0, %f1, %f2, %f2}], {%r0, "
      "%r1};",
      "operand");
  expect_refused("istypep.texref %p0, t;", "operand", ".global .texref t;\n");
  expect_refused("", "unknown member", ".global .samplerref s = { width = 4 };\n");
  expect_refused("", "an address mode", ".global .samplerref s = { addr_mode_0 = 3 };\n");
  expect_refused("", "a filter", ".global .samplerref s = { filter_mode = cubic };\n");
  expect_refused("", "no initial value", ".global .samplerref s[2] = { filter_mode = linear };\n");
}

}  // namespace
}  // namespace cutest
