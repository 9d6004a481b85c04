// SPDX-License-Identifier: Apache-2.0
// Checks the descriptions of texture and surface objects.
#include "cpu/driver/image_objects.hpp"

#include <algorithm>
#include <cmath>

#include "cpu/driver/array.hpp"
#include "cpu/driver/device.hpp"
#include "cpu/exec/memory.hpp"

namespace cucore::cpu {
namespace {

constexpr unsigned TEXTURE_FLAGS = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES |
                                   CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION |
                                   CU_TRSF_SEAMLESS_CUBEMAP;

size_t attribute(const Context& context, CUdevice_attribute which) {
  return static_cast<size_t>(std::max(context.device().profile().value(which), 0));
}

// The memory must be an allocation now; a kernel that reads it after its free faults.
void require_memory(const Image& image) {
  require(image.bytes > 0 && image.address != 0);
  require(AddressSpace::instance().host(image.address, image.bytes, Access::READ) != nullptr);
}

Image linear_image(const Context& context, const CUDA_RESOURCE_DESC& r) {
  const auto& linear = r.res.linear;
  Image image;
  set_format(image, linear.format, linear.numChannels);
  image.is_linear = true;
  image.address = linear.devPtr;
  image.bytes = linear.sizeInBytes;
  const size_t texels = image.bytes / image.texel_bytes();
  require(linear.devPtr % attribute(context, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT) == 0);
  require(texels > 0 &&
          texels <= attribute(context, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH));
  require_memory(image);
  ImageLevel level;
  level.width = static_cast<uint32_t>(texels);
  level.pitch = image.bytes;
  image.levels = {level};
  return image;
}

Image pitched_image(const Context& context, const CUDA_RESOURCE_DESC& r) {
  const auto& pitched = r.res.pitch2D;
  Image image;
  set_format(image, pitched.format, pitched.numChannels);
  image.dimensions = 2;
  image.address = pitched.devPtr;
  require(pitched.width > 0 && pitched.height > 0);
  require(pitched.width <= attribute(context, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH));
  require(pitched.height <=
          attribute(context, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT));
  require(pitched.pitchInBytes <=
          attribute(context, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH));
  require(pitched.devPtr % attribute(context, CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT) == 0);
  require(pitched.pitchInBytes % attribute(context, CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT) ==
          0);
  ImageLevel level;
  level.width = static_cast<uint32_t>(pitched.width);
  level.height = static_cast<uint32_t>(pitched.height);
  level.pitch = pitched.pitchInBytes;
  const uint64_t row = uint64_t{level.width} * image.texel_bytes();
  require(level.pitch >= row);
  image.bytes = level.pitch * (level.height - 1) + row;
  require_memory(image);
  image.levels = {level};
  return image;
}

Image resource_image(const Context& context, const CUDA_RESOURCE_DESC& r) {
  require(r.flags == 0);
  switch (r.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      require(r.res.array.hArray != nullptr);
      return lookup<Array>(r.res.array.hArray)->image();
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      return lookup<MipmappedArray>(r.res.mipmap.hMipmappedArray)->image();
    case CU_RESOURCE_TYPE_LINEAR:
      return linear_image(context, r);
    case CU_RESOURCE_TYPE_PITCH2D:
      return pitched_image(context, r);
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
  }
}

bool is_filter(CUfilter_mode mode) {
  return mode == CU_TR_FILTER_MODE_POINT || mode == CU_TR_FILTER_MODE_LINEAR;
}

Sampler sampler_of(const Image& image, const CUDA_TEXTURE_DESC& t) {
  require((t.flags & ~TEXTURE_FLAGS) == 0 && is_filter(t.filterMode) &&
          is_filter(t.mipmapFilterMode));
  require(!(t.flags & CU_TRSF_SEAMLESS_CUBEMAP), CUDA_ERROR_NOT_SUPPORTED);
  Sampler s;
  for (const int word : t.reserved) require(word == 0);
  for (size_t axis = 0; axis < 3; ++axis) {
    const int mode = t.addressMode[axis];
    if (axis >= image.dimensions && mode > CU_TR_ADDRESS_MODE_BORDER) continue;
    require(mode >= CU_TR_ADDRESS_MODE_WRAP && mode <= CU_TR_ADDRESS_MODE_BORDER);
    s.addressing[axis] = static_cast<Addressing>(mode);
  }
  s.reads_integers = t.flags & CU_TRSF_READ_AS_INTEGER;
  s.is_normalized = t.flags & CU_TRSF_NORMALIZED_COORDINATES;
  s.is_srgb = t.flags & CU_TRSF_SRGB && image.format == ChannelFormat::U8;
  s.is_linear = t.filterMode == CU_TR_FILTER_MODE_LINEAR;
  s.mixes_levels = t.mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR && image.levels.size() > 1;
  s.bias = t.mipmapLevelBias;
  s.least_level = t.minMipmapLevelClamp;
  s.most_level = t.maxMipmapLevelClamp;
  std::copy_n(t.borderColor, 4, s.border.begin());
  return s;
}

}  // namespace

TextureObject::TextureObject(std::shared_ptr<Context> context, const CUDA_RESOURCE_DESC& resource,
                             const CUDA_TEXTURE_DESC& texture)
    : context_(std::move(context)), resource_(resource), texture_(texture) {
  auto made = std::make_shared<ImageObject>();
  made->image = resource_image(*context_, resource);
  made->sampler = sampler_of(made->image, texture);
  made->device = context_->device().ordinal();
  image_ = std::move(made);
}

SurfaceObject::SurfaceObject(std::shared_ptr<Context> context, const CUDA_RESOURCE_DESC& resource)
    : context_(std::move(context)), resource_(resource) {
  require(resource.resType == CU_RESOURCE_TYPE_ARRAY && resource.flags == 0);
  auto array = lookup<Array>(resource.res.array.hArray);
  auto made = std::make_shared<ImageObject>();
  made->image = array->image();
  made->is_surface = true;
  made->device = context_->device().ordinal();
  image_ = std::move(made);
}

}  // namespace cucore::cpu
