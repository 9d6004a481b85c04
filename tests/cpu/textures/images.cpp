// SPDX-License-Identifier: Apache-2.0
// Makes the arrays, buffers and texture objects of rows.
#include "images.hpp"

#include <dlfcn.h>

#include <algorithm>

#define TEXT_OF(name) #name
#define EXPORTED(name) TEXT_OF(name)
#define IMAGE_CALL(function, ...) \
  check(symbol<decltype(&function)>(EXPORTED(function))(__VA_ARGS__), #function)

namespace cucore::cpu::textures {
namespace {

constexpr size_t ROW_ALIGNMENT = 512;

CUDA_TEXTURE_DESC sampler_of(const Case& row) {
  CUDA_TEXTURE_DESC sampler = {};
  std::fill_n(sampler.addressMode, 3, row.addressing);
  sampler.filterMode = row.filter;
  sampler.flags = row.flags;
  sampler.mipmapFilterMode = row.level_filter;
  sampler.mipmapLevelBias = row.bias;
  sampler.minMipmapLevelClamp = row.least_level;
  sampler.maxMipmapLevelClamp = row.most_level;
  std::copy_n(BORDER, 4, sampler.borderColor);
  return sampler;
}

CUDA_ARRAY3D_DESCRIPTOR shape_of(const Case& row) {
  CUDA_ARRAY3D_DESCRIPTOR shape = {};
  shape.Width = row.width;
  shape.Height = row.axes() > 1 ? row.height : 0;
  if (row.geometry == Geometry::SPACE || row.is_layered() || row.is_cube())
    shape.Depth = row.extent(2, 0);
  shape.Format = row.format->format;
  shape.NumChannels = row.channels;
  if (row.is_layered()) shape.Flags |= CUDA_ARRAY3D_LAYERED;
  if (row.is_cube()) shape.Flags |= CUDA_ARRAY3D_CUBEMAP;
  if (row.is_surface()) shape.Flags |= CUDA_ARRAY3D_SURFACE_LDST;
  // A driver refuses the flag for other arrays.
  if (row.read == Read::GATHER && row.geometry == Geometry::PLANE)
    shape.Flags |= CUDA_ARRAY3D_TEXTURE_GATHER;
  return shape;
}

}  // namespace

template <class Function>
Function Image::symbol(const char* name) const {
  void* found = dlsym(library_, name);
  if (found == nullptr) throw ops::DriverError(std::string("the driver lacks ") + name);
  return reinterpret_cast<Function>(found);
}

void Image::check(CUresult result, const char* what) const {
  if (result == CUDA_SUCCESS) return;
  throw ops::DriverError(std::string(what) + ": error " + std::to_string(result));
}

Image::Image(const std::string& driver_path, const Case& row, const Texels& texels) {
  library_ = dlopen(driver_path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw ops::DriverError(dlerror());
  const bool buffer = row.geometry == Geometry::BUFFER || row.geometry == Geometry::PITCHED;
  buffer ? make_buffer(row, texels) : make_array(row, texels);
  if (row.is_surface()) {
    IMAGE_CALL(cuSurfObjectCreate, &surface_, &resource_);
    return;
  }
  const CUDA_TEXTURE_DESC sampler = sampler_of(row);
  IMAGE_CALL(cuTexObjectCreate, &texture_, &resource_, &sampler, nullptr);
}

Image::~Image() {
  if (texture_) symbol<decltype(&cuTexObjectDestroy)>("cuTexObjectDestroy")(texture_);
  if (surface_) symbol<decltype(&cuSurfObjectDestroy)>("cuSurfObjectDestroy")(surface_);
  if (array_) symbol<decltype(&cuArrayDestroy)>("cuArrayDestroy")(array_);
  if (levels_) symbol<decltype(&cuMipmappedArrayDestroy)>("cuMipmappedArrayDestroy")(levels_);
  if (memory_) symbol<decltype(&cuMemFree)>(EXPORTED(cuMemFree))(memory_);
}

void Image::fill(CUarray array, const Case& row, unsigned level,
                 const std::vector<uint8_t>& texels) {
  CUDA_MEMCPY3D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = texels.data();
  copy.WidthInBytes = size_t{row.extent(0, level)} * row.channels * row.format->bytes;
  copy.srcPitch = copy.WidthInBytes;
  copy.Height = copy.srcHeight = row.extent(1, level);
  copy.Depth = row.extent(2, level);
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  IMAGE_CALL(cuMemcpy3D, &copy);
}

void Image::make_array(const Case& row, const Texels& texels) {
  const CUDA_ARRAY3D_DESCRIPTOR shape = shape_of(row);
  if (row.levels == 1) {
    IMAGE_CALL(cuArray3DCreate, &array_, &shape);
    fill(array_, row, 0, texels[0]);
    resource_.resType = CU_RESOURCE_TYPE_ARRAY;
    resource_.res.array.hArray = array_;
    return;
  }
  IMAGE_CALL(cuMipmappedArrayCreate, &levels_, &shape, row.levels);
  for (unsigned level = 0; level < row.levels; ++level) {
    CUarray one = nullptr;
    IMAGE_CALL(cuMipmappedArrayGetLevel, &one, levels_, level);
    fill(one, row, level, texels[level]);
  }
  resource_.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  resource_.res.mipmap.hMipmappedArray = levels_;
}

void Image::make_buffer(const Case& row, const Texels& texels) {
  const size_t bytes = size_t{row.width} * row.channels * row.format->bytes;
  const unsigned rows = row.extent(1, 0);
  IMAGE_CALL(cuMemAlloc, &memory_, ROW_ALIGNMENT * rows);
  for (unsigned y = 0; y < rows; ++y)
    IMAGE_CALL(cuMemcpyHtoD, memory_ + y * ROW_ALIGNMENT, texels[0].data() + y * bytes, bytes);
  if (row.geometry == Geometry::BUFFER) {
    resource_.resType = CU_RESOURCE_TYPE_LINEAR;
    resource_.res.linear = {memory_, row.format->format, row.channels, bytes};
  } else {
    resource_.resType = CU_RESOURCE_TYPE_PITCH2D;
    resource_.res.pitch2D = {memory_,   row.format->format, row.channels,
                             row.width, row.height,         ROW_ALIGNMENT};
  }
}

}  // namespace cucore::cpu::textures
