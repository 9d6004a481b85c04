// SPDX-License-Identifier: Apache-2.0
// Finds objects by handles, by variables that contain one, and samplers.
#include "cpu/exec/image_access.hpp"

#include <cstring>

#include "cpu/exec/access.hpp"
#include "ptx/ast.hpp"

namespace cucore::cpu {

using ptx::Geometry;
using ptx::Opcode;

namespace {

bool is_surface_op(Opcode op) {
  return op == Opcode::suld_b || op == Opcode::sust_b || op == Opcode::sured_b ||
         op == Opcode::sust_p || op == Opcode::sured_p || op == Opcode::suq;
}

// Surfaces of cubes have layers. No image has samples.
bool fits(Geometry geometry, const ImageObject& object) {
  const Image& image = object.image;
  switch (geometry) {
    case Geometry::d1:
    case Geometry::d2:
    case Geometry::d3:
      return image.dimensions == unsigned(geometry) && !image.is_layered && !image.is_cube;
    case Geometry::a1d:
      return image.dimensions == 1 && image.is_layered;
    case Geometry::a2d:
      return image.dimensions == 2 && (object.is_surface ? image.is_layered || image.is_cube
                                                         : image.is_layered && !image.is_cube);
    case Geometry::cube:
      return image.is_cube && !image.is_layered;
    case Geometry::acube:
      return image.is_cube && image.is_layered;
    case Geometry::none:
      return true;
    default:
      return false;
  }
}

constexpr uint8_t OLD_CLAMP = 4;  // .clamp_ogl

}  // namespace

void NamedImage::fail(int lane, const std::string& what) const {
  raise(w_, op_, lane, CUDA_ERROR_ILLEGAL_ADDRESS, "invalid image object",
        "the handle " + hex_text(handle_) + " is " + what);
}

void NamedImage::check(int lane) const {
  const bool surface = is_surface_op(site_.op);
  const char* kind = surface ? "surface object" : "texture object";
  // Queries of surfaces also have textures.
  if (!object_ || (object_->is_surface != surface && site_.op != Opcode::suq))
    fail(lane, std::string("no ") + kind + "; expected one that has not been destroyed");
  if (object_->device != w_.block->launch.launch->device)
    fail(lane, std::string("a ") + kind + " of device " + std::to_string(object_->device));
  if (!fits(site_.geometry, *object_))
    fail(lane, std::string("a ") + kind + " of another geometry than the instruction");
}

std::byte* NamedImage::content(int lane, uint64_t variable) {
  return resolve_bytes(w_, op_, lane, variable, sizeof(uint64_t), Access::READ, Region::GLOBAL);
}

std::shared_ptr<const ImageObject> NamedImage::find(int lane, uint64_t handle) {
  if (auto object = find_image(handle)) return object;
  const auto kind = find_opaque(handle);
  const auto wanted = is_surface_op(site_.op) ? OpaqueKind::SURFACE : OpaqueKind::TEXTURE;
  if (!kind) return nullptr;
  if (*kind != wanted) fail(lane, "the address of a variable of another type");
  uint64_t contained = 0;
  std::memcpy(&contained, content(lane, handle), sizeof contained);
  if (contained == 0)
    fail(lane,
         "the address of a variable without an object; this device has no texture references, "
         "so pass an object to the kernel");
  return find_image(contained);
}

Sampler NamedImage::sampler_of(int lane, uint64_t handle) {
  if (const auto object = find_image(handle); object && !object->is_surface) return object->sampler;
  const auto kind = find_opaque(handle);
  if (kind == OpaqueKind::TEXTURE)
    if (const auto object = find(lane, handle)) return object->sampler;
  if (kind != OpaqueKind::SAMPLER) {
    handle_ = handle;
    fail(lane, "no sampler; expected a variable of type .samplerref or a texture object");
  }
  ptx::SamplerState state;
  std::memcpy(&state, content(lane, handle), sizeof state);
  Sampler sampler;
  for (size_t axis = 0; axis < 3; ++axis) {
    if (state.modes[axis] >= OLD_CLAMP)
      raise(w_, op_, lane, CUDA_ERROR_NOT_SUPPORTED, "sampler not implemented on the CPU device",
            "the address mode is clamp_ogl");
    sampler.addressing[axis] = Addressing(state.modes[axis]);
  }
  sampler.is_linear = sampler.mixes_levels = state.is_linear != 0;
  sampler.is_normalized = state.force_unnormalized == 0;
  sampler.most_level = 1e6f;
  return sampler;
}

// The texture decides about its format and normalized coordinates, unless the sampler refuses them.
void NamedImage::combine(int lane, uint64_t handle) {
  const Sampler sampler = sampler_of(lane, handle);
  auto combined = std::make_shared<ImageObject>(*object_);
  const Sampler& own = object_->sampler;
  const bool is_variable = find_opaque(handle).has_value();
  combined->sampler = sampler;
  combined->sampler.is_normalized = own.is_normalized && (!is_variable || sampler.is_normalized);
  combined->sampler.reads_integers = own.reads_integers;
  combined->sampler.is_srgb = own.is_srgb;
  combined->sampler.mixes_levels = sampler.mixes_levels && object_->image.levels.size() > 1;
  object_ = std::move(combined);
}

}  // namespace cucore::cpu
