// SPDX-License-Identifier: Apache-2.0
// Sizes, formats and memory of arrays.
#include "cpu/driver/array.hpp"

#include <algorithm>
#include <bit>

#include "cpu/checks/transfers.hpp"
#include "cpu/driver/allocations.hpp"
#include "cpu/driver/device.hpp"

namespace cucore::cpu {
namespace {

constexpr uint64_t PITCH = 32;  // alignment of rows, for atomic accesses

struct FormatRow {
  CUarray_format format;
  ChannelFormat channel;
};
constexpr FormatRow FORMATS[] = {{CU_AD_FORMAT_UNSIGNED_INT8, ChannelFormat::U8},
                                 {CU_AD_FORMAT_UNSIGNED_INT16, ChannelFormat::U16},
                                 {CU_AD_FORMAT_UNSIGNED_INT32, ChannelFormat::U32},
                                 {CU_AD_FORMAT_SIGNED_INT8, ChannelFormat::S8},
                                 {CU_AD_FORMAT_SIGNED_INT16, ChannelFormat::S16},
                                 {CU_AD_FORMAT_SIGNED_INT32, ChannelFormat::S32},
                                 {CU_AD_FORMAT_HALF, ChannelFormat::HALF},
                                 {CU_AD_FORMAT_FLOAT, ChannelFormat::FLOAT}};

constexpr unsigned SHAPE_FLAGS = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP;
constexpr unsigned ARRAY_FLAGS =
    SHAPE_FLAGS | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_TEXTURE_GATHER;
constexpr unsigned OTHER_FLAGS = CUDA_ARRAY3D_DEPTH_TEXTURE | CUDA_ARRAY3D_COLOR_ATTACHMENT |
                                 CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING |
                                 CUDA_ARRAY3D_VIDEO_ENCODE_DECODE;

// The attributes with the largest sizes of a shape: width, height, and depth or layers.
#define TEXTURE_LIMIT(name) CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE##name
struct LimitRow {
  unsigned dimensions, shape;
  CUdevice_attribute width, height, planes;
};
constexpr LimitRow LIMITS[] = {
    {1, 0, TEXTURE_LIMIT(1D_WIDTH), {}, {}},
    {2, 0, TEXTURE_LIMIT(2D_WIDTH), TEXTURE_LIMIT(2D_HEIGHT), {}},
    {3, 0, TEXTURE_LIMIT(3D_WIDTH), TEXTURE_LIMIT(3D_HEIGHT), TEXTURE_LIMIT(3D_DEPTH)},
    {1,
     CUDA_ARRAY3D_LAYERED,
     TEXTURE_LIMIT(1D_LAYERED_WIDTH),
     {},
     TEXTURE_LIMIT(1D_LAYERED_LAYERS)},
    {2, CUDA_ARRAY3D_LAYERED, TEXTURE_LIMIT(2D_LAYERED_WIDTH), TEXTURE_LIMIT(2D_LAYERED_HEIGHT),
     TEXTURE_LIMIT(2D_LAYERED_LAYERS)},
    {2, CUDA_ARRAY3D_CUBEMAP, TEXTURE_LIMIT(CUBEMAP_WIDTH), TEXTURE_LIMIT(CUBEMAP_WIDTH), {}},
    {2, SHAPE_FLAGS, TEXTURE_LIMIT(CUBEMAP_LAYERED_WIDTH), TEXTURE_LIMIT(CUBEMAP_LAYERED_WIDTH),
     TEXTURE_LIMIT(CUBEMAP_LAYERED_LAYERS)}};
#undef TEXTURE_LIMIT

bool within(const Device& device, CUdevice_attribute limit, size_t size) {
  return limit == CUdevice_attribute{} ||
         size <= static_cast<size_t>(std::max(device.profile().value(limit), 0));
}

void require_limits(const CUDA_ARRAY3D_DESCRIPTOR& d, unsigned dimensions, const Device& device) {
  for (const LimitRow& row : LIMITS) {
    if (row.dimensions != dimensions || row.shape != (d.Flags & SHAPE_FLAGS)) continue;
    require(within(device, row.width, d.Width) && within(device, row.height, d.Height) &&
            within(device, row.planes, d.Depth));
    return;
  }
  fail(CUDA_ERROR_INVALID_VALUE);
}

// A layered array has layers in place of a depth, a cube has six of them.
unsigned dimensions_of(const CUDA_ARRAY3D_DESCRIPTOR& d) {
  const bool is_cube = d.Flags & CUDA_ARRAY3D_CUBEMAP, is_layered = d.Flags & CUDA_ARRAY3D_LAYERED;
  require(d.Width > 0);
  if (is_cube) {
    require(d.Width == d.Height && d.Depth > 0 && d.Depth % 6 == 0);
    require(is_layered || d.Depth == 6);
  }
  if (is_layered) require(d.Depth > 0);
  if (d.Flags & CUDA_ARRAY3D_TEXTURE_GATHER)
    require(!is_cube && !is_layered && d.Height > 0 && d.Depth == 0);
  if (is_cube || is_layered) return d.Height ? 2 : 1;
  require(d.Depth == 0 || d.Height > 0);
  return d.Depth ? 3 : d.Height ? 2 : 1;
}

void add_level(Image& image, const CUDA_ARRAY3D_DESCRIPTOR& d, unsigned level) {
  auto reduced = [level](size_t size) {
    return static_cast<uint32_t>(std::max<size_t>(size >> level, 1));
  };
  ImageLevel added;
  added.width = reduced(d.Width);
  added.height = reduced(d.Height);
  added.planes = image.dimensions == 3 ? reduced(d.Depth) : std::max(1u, unsigned(d.Depth));
  added.pitch = (uint64_t{added.width} * image.texel_bytes() + PITCH - 1) / PITCH * PITCH;
  added.offset = image.bytes;
  image.bytes += added.plane_bytes() * added.planes;
  image.levels.push_back(added);
}

}  // namespace

void set_format(Image& image, CUarray_format format, unsigned channels) {
  const auto* row =
      std::ranges::find_if(FORMATS, [&](const FormatRow& r) { return r.format == format; });
  require(row != std::end(FORMATS) && (channels == 1 || channels == 2 || channels == 4));
  image.format = row->channel;
  image.channels = static_cast<uint8_t>(channels);
}

Image image_of(const CUDA_ARRAY3D_DESCRIPTOR& d, unsigned levels, const Device& device) {
  require((d.Flags & ~(ARRAY_FLAGS | OTHER_FLAGS)) == 0);
  require((d.Flags & OTHER_FLAGS) == 0, CUDA_ERROR_NOT_SUPPORTED);
  Image image;
  set_format(image, d.Format, d.NumChannels);
  image.dimensions = static_cast<uint8_t>(dimensions_of(d));
  image.is_layered = d.Flags & CUDA_ARRAY3D_LAYERED;
  image.is_cube = d.Flags & CUDA_ARRAY3D_CUBEMAP;
  require(!(d.Flags & CUDA_ARRAY3D_TEXTURE_GATHER) || image.dimensions == 2);
  require_limits(d, image.dimensions, device);
  const size_t largest = std::max({d.Width, d.Height, image.dimensions == 3 ? d.Depth : size_t{1}});
  require(levels > 0 && levels <= unsigned(std::bit_width(largest)));
  for (unsigned level = 0; level < levels; ++level) add_level(image, d, level);
  return image;
}

Side Array::side(size_t byte, size_t row, size_t plane, const Box& box) const {
  const ImageLevel& level = image_.levels[0];
  const size_t width = size_t{level.width} * image_.texel_bytes();
  require(byte <= width && box.width <= width - byte);
  require(row <= level.height && box.height <= level.height - row);
  require(plane <= level.planes && box.depth <= level.planes - plane);
  Side s;
  s.address =
      image_.address + level.offset + plane * level.plane_bytes() + row * level.pitch + byte;
  s.pitch = level.pitch;
  s.slice = level.plane_bytes();
  s.claim = Claim::DEVICE;
  return s;
}

MipmappedArray::MipmappedArray(std::shared_ptr<Context> context,
                               const CUDA_ARRAY3D_DESCRIPTOR& descriptor, Image image)
    : context_(std::move(context)), image_(std::move(image)) {
  for (const ImageLevel& level : image_.levels) {
    Image one = image_;
    one.levels = {level};
    CUDA_ARRAY3D_DESCRIPTOR reduced = descriptor;
    reduced.Width = level.width;
    if (descriptor.Height) reduced.Height = level.height;
    if (image_.dimensions == 3) reduced.Depth = level.planes;
    levels_.push_back(std::make_shared<Array>(context_, reduced, one, true));
    Registry::instance().add(ObjectKind::ARRAY, levels_.back());
  }
}

MipmappedArray::~MipmappedArray() {
  for (const auto& level : levels_)
    Registry::instance().remove(ObjectKind::ARRAY, level->handle_bits());
}

void allocate_image(const Context& context, Image& image) {
  image.address = Allocations::instance().allocate(context, MemoryKind::DEVICE, image.bytes);
  Transfer::initialises(image.address, image.bytes);
}

void release_image(Context& owner, const Image& image) {
  auto context = current_context_unchecked();
  Context& waited = context ? *context : owner;
  if (waited.error() == CUDA_SUCCESS) waited.synchronize();
  require(Allocations::instance().release(image.address), CUDA_ERROR_INVALID_HANDLE);
}

}  // namespace cucore::cpu
