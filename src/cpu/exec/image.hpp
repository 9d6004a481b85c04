// SPDX-License-Identifier: Apache-2.0
// Texels in device memory, and the texture and surface objects that kernels name by a handle.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace cucore::cpu {

enum class ChannelFormat : uint8_t { U8, U16, U32, S8, S16, S32, HALF, FLOAT };

uint32_t channel_bytes(ChannelFormat format);
bool is_integer(ChannelFormat format);

// One level of mipmaps. Rows and planes follow each other; layers and faces of cubes are planes.
struct ImageLevel {
  uint32_t width = 1, height = 1, planes = 1;
  uint64_t offset = 0;  // of the first texel, in bytes
  uint64_t pitch = 0;   // bytes from row to row

  uint64_t plane_bytes() const { return pitch * height; }
};

struct Image {
  uint64_t address = 0;
  uint64_t bytes = 0;
  ChannelFormat format = ChannelFormat::U8;
  uint8_t channels = 1;
  uint8_t dimensions = 1;
  bool is_layered = false, is_cube = false;
  bool is_linear = false;  // a buffer: coordinates outside read zero
  std::vector<ImageLevel> levels;

  uint32_t texel_bytes() const { return channel_bytes(format) * channels; }
};

// The values are those of CUaddress_mode.
enum class Addressing : uint8_t { WRAP, CLAMP, MIRROR, BORDER };

struct Sampler {
  std::array<Addressing, 3> addressing{};
  bool is_linear = false;      // filter
  bool is_normalized = false;  // coordinates from 0 to 1
  bool reads_integers = false;
  bool is_srgb = false;
  bool mixes_levels = false;
  float bias = 0, least_level = 0, most_level = 0;
  std::array<float, 4> border{};
};

struct ImageObject {
  Image image;
  Sampler sampler;
  bool is_surface = false;
  int device = 0;
};

enum class OpaqueKind : uint8_t { TEXTURE, SAMPLER, SURFACE };

// The variables of type .texref, .samplerref and .surfref, by their addresses. A texture
// and a surface contain the handle of an object or 0, and a sampler its ptx::SamplerState.
void publish_opaque(uint64_t address, OpaqueKind kind);
void withdraw_opaque(uint64_t address);
std::optional<OpaqueKind> find_opaque(uint64_t address);

// The objects that kernels can name. A handle that is not published is a fault in a kernel.
void publish_image(uint64_t handle, std::shared_ptr<const ImageObject> object);
void withdraw_image(uint64_t handle);
std::shared_ptr<const ImageObject> find_image(uint64_t handle);

}  // namespace cucore::cpu
