// SPDX-License-Identifier: Apache-2.0
// Textures and surfaces of CUDA C++: the functions that NVRTC compiles to tex, tld4, suld and sust.
#include <cmath>

#include "device.hpp"

namespace cucore::cpu::kernels {
namespace {

using Textures = Kernels;

const char* const SOURCE = R"cuda(
extern "C" __global__ void sample(cudaTextureObject_t plane, cudaTextureObject_t space,
                                  cudaTextureObject_t layers, cudaTextureObject_t line, float* out) {
  int x = threadIdx.x, y = threadIdx.y, i = (y * blockDim.x + x) * 8;
  float u = x + .5f, v = y + .5f;
  float4 g = tex2Dgather<float4>(plane, x + 1.f, y + 1.f, 0);
  out[i] = tex2D<float>(plane, u + .25f, v);
  out[i + 1] = g.x - g.y + 2 * g.z - 3 * g.w;
  out[i + 2] = tex3D<float>(space, u, v, .5f + (x + y) % 3);
  out[i + 3] = tex2DLayered<float>(layers, u, v, y % 2);
  out[i + 4] = tex1Dfetch<float>(line, x - 2);
  out[i + 5] = tex2DLod<float>(plane, u, v, 0);
  out[i + 6] = tex2DGrad<float>(plane, u, v, make_float2(1, 0), make_float2(0, 1));
  out[i + 7] = tex2D<float>(plane, -100.f, v);
}
extern "C" __global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
  int x = threadIdx.x, y = threadIdx.y;
  uchar4 texel;
  surf2Dread(&texel, from, x * 4, y);
  surf2Dwrite(make_uchar4(texel.w, texel.z, texel.y, texel.x), to, y * 4, x);
  surf2Dwrite(texel, to, -4, x, cudaBoundaryModeZero);
}
)cuda";

constexpr unsigned WIDTH = 16, HEIGHT = 8, DEPTH = 3;

// An array with its contents, and the objects of it.
class Texels {
 public:
  template <class T>
  Texels(const std::vector<T>& values, CUarray_format format, unsigned channels, unsigned width,
         unsigned height, unsigned depth, unsigned flags) {
    const CUDA_ARRAY3D_DESCRIPTOR shape{width, height, depth, format, channels, flags};
    check(calls().cuArray3DCreate(&array_, &shape), "cuArray3DCreate");
    resource_.resType = CU_RESOURCE_TYPE_ARRAY;
    resource_.res.array.hArray = array_;
    CUDA_MEMCPY3D copy = box(values.size() * sizeof(T), height, depth);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = values.data();
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array_;
    check(calls().cuMemcpy3D(&copy), "cuMemcpy3D");
  }
  ~Texels() {
    for (CUtexObject texture : textures_) calls().cuTexObjectDestroy(texture);
    for (CUsurfObject surface : surfaces_) calls().cuSurfObjectDestroy(surface);
    calls().cuArrayDestroy(array_);
  }
  Texels(const Texels&) = delete;
  Texels& operator=(const Texels&) = delete;

  CUtexObject texture(CUfilter_mode filter, CUaddress_mode addressing) {
    CUDA_TEXTURE_DESC sampler = {};
    sampler.filterMode = filter;
    for (CUaddress_mode& mode : sampler.addressMode) mode = addressing;
    textures_.push_back(0);
    check(calls().cuTexObjectCreate(&textures_.back(), &resource_, &sampler, nullptr),
          "cuTexObjectCreate");
    return textures_.back();
  }
  CUsurfObject surface() {
    surfaces_.push_back(0);
    check(calls().cuSurfObjectCreate(&surfaces_.back(), &resource_), "cuSurfObjectCreate");
    return surfaces_.back();
  }
  template <class T>
  std::vector<T> read(size_t count, unsigned height) const {
    std::vector<T> values(count);
    CUDA_MEMCPY3D copy = box(count * sizeof(T), height, 0);
    copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.srcArray = array_;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = values.data();
    check(calls().cuMemcpy3D(&copy), "cuMemcpy3D");
    return values;
  }

 private:
  static CUDA_MEMCPY3D box(size_t bytes, unsigned height, unsigned depth) {
    CUDA_MEMCPY3D copy = {};
    copy.Height = copy.srcHeight = copy.dstHeight = height;
    copy.Depth = depth ? depth : 1;
    copy.WidthInBytes = copy.srcPitch = copy.dstPitch = bytes / copy.Height / copy.Depth;
    return copy;
  }

  CUarray array_ = nullptr;
  CUDA_RESOURCE_DESC resource_ = {};
  std::vector<CUtexObject> textures_;
  std::vector<CUsurfObject> surfaces_;
};

// Whole numbers, so that sums with a weight of a quarter are exact.
std::vector<float> numbers(size_t count) {
  std::vector<float> values;
  for (unsigned word : random_words(count)) values.push_back(float(word % 1000));
  return values;
}

TEST_P(Textures, AreSampled) {
  const auto program = compiled(SOURCE);
  const auto plane = numbers(WIDTH * HEIGHT), space = numbers(WIDTH * HEIGHT * DEPTH);
  Texels of_plane(plane, CU_AD_FORMAT_FLOAT, 1, WIDTH, HEIGHT, 0, CUDA_ARRAY3D_TEXTURE_GATHER);
  Texels of_space(space, CU_AD_FORMAT_FLOAT, 1, WIDTH, HEIGHT, DEPTH, 0);
  Texels of_layers(space, CU_AD_FORMAT_FLOAT, 1, WIDTH, HEIGHT, DEPTH, CUDA_ARRAY3D_LAYERED);
  const Buffer<float> line(plane), out(size_t{WIDTH} * HEIGHT * 8);
  CUDA_RESOURCE_DESC buffer = {};
  buffer.resType = CU_RESOURCE_TYPE_LINEAR;
  buffer.res.linear = {line.address(), CU_AD_FORMAT_FLOAT, 1, WIDTH * 4};
  const CUDA_TEXTURE_DESC plain = {};
  CUtexObject of_line = 0;
  check(calls().cuTexObjectCreate(&of_line, &buffer, &plain, nullptr), "cuTexObjectCreate");
  Shape shape{1, WIDTH};
  shape.block_y = HEIGHT;
  program->run("sample", shape,
               of_plane.texture(CU_TR_FILTER_MODE_LINEAR, CU_TR_ADDRESS_MODE_CLAMP),
               of_space.texture(CU_TR_FILTER_MODE_POINT, CU_TR_ADDRESS_MODE_CLAMP),
               of_layers.texture(CU_TR_FILTER_MODE_POINT, CU_TR_ADDRESS_MODE_CLAMP), of_line, out);
  const auto got = out.read();
  auto at = [&](int x, int y) {
    return plane[size_t(std::min(y, int(HEIGHT) - 1) * int(WIDTH) + std::min(x, int(WIDTH) - 1))];
  };
  for (int y = 0; y < int(HEIGHT); ++y)
    for (int x = 0; x < int(WIDTH); ++x) {
      const float* row = &got[size_t(y * int(WIDTH) + x) * 8];
      const size_t place = size_t(y * int(WIDTH) + x), slice = WIDTH * HEIGHT;
      EXPECT_EQ(row[0], at(x, y) * .75f + at(x + 1, y) * .25f) << x << "," << y;
      EXPECT_EQ(row[1], at(x, y + 1) - at(x + 1, y + 1) + 2 * at(x + 1, y) - 3 * at(x, y));
      EXPECT_EQ(row[2], space[size_t((x + y) % 3) * slice + place]);
      EXPECT_EQ(row[3], space[size_t(y % 2) * slice + place]);
      EXPECT_EQ(row[4], x < 2 ? 0 : plane[size_t(x) - 2]);
      EXPECT_EQ(row[5], at(x, y));
      EXPECT_EQ(row[6], at(x, y));
      EXPECT_EQ(row[7], at(0, y));
    }
  calls().cuTexObjectDestroy(of_line);
}

TEST_P(Textures, SurfacesAreReadAndWritten) {
  const auto program = compiled(SOURCE);
  const auto words = random_words(WIDTH * HEIGHT);
  Texels from(words, CU_AD_FORMAT_UNSIGNED_INT8, 4, WIDTH, HEIGHT, 0, CUDA_ARRAY3D_SURFACE_LDST);
  Texels to(words, CU_AD_FORMAT_UNSIGNED_INT8, 4, HEIGHT, WIDTH, 0, CUDA_ARRAY3D_SURFACE_LDST);
  Shape shape{1, WIDTH};
  shape.block_y = HEIGHT;
  program->run("turn", shape, from.surface(), to.surface());
  const auto got = to.read<unsigned>(words.size(), WIDTH);
  for (unsigned y = 0; y < HEIGHT; ++y)
    for (unsigned x = 0; x < WIDTH; ++x)
      EXPECT_EQ(got[x * HEIGHT + y], __builtin_bswap32(words[y * WIDTH + x])) << x << "," << y;
}

INSTANTIATE_TEST_SUITE_P(Builds, Textures, testing::ValuesIn(FEW_BUILDS), name_of);

}  // namespace
}  // namespace cucore::cpu::kernels
