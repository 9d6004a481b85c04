// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects: their descriptions, and the object that kernels name.
#pragma once

#include <cuda.h>

#include <memory>

#include "cpu/driver/context.hpp"
#include "cpu/driver/registry.hpp"
#include "cpu/exec/image.hpp"

namespace cucore::cpu {

class TextureObject : public Object {
 public:
  static constexpr ObjectKind KIND = ObjectKind::TEXTURE;
  // Throws INVALID_VALUE, INVALID_HANDLE or NOT_SUPPORTED.
  TextureObject(std::shared_ptr<Context> context, const CUDA_RESOURCE_DESC& resource,
                const CUDA_TEXTURE_DESC& texture);
  ~TextureObject() override { withdraw_image(handle_bits()); }
  void publish() const { publish_image(handle_bits(), image_); }

  Context& context() const { return *context_; }
  const CUDA_RESOURCE_DESC& resource() const { return resource_; }
  const CUDA_TEXTURE_DESC& texture() const { return texture_; }

 private:
  const std::shared_ptr<Context> context_;
  const CUDA_RESOURCE_DESC resource_;
  const CUDA_TEXTURE_DESC texture_;
  std::shared_ptr<const ImageObject> image_;
};

class SurfaceObject : public Object {
 public:
  static constexpr ObjectKind KIND = ObjectKind::SURFACE;
  SurfaceObject(std::shared_ptr<Context> context, const CUDA_RESOURCE_DESC& resource);
  ~SurfaceObject() override { withdraw_image(handle_bits()); }
  void publish() const { publish_image(handle_bits(), image_); }

  Context& context() const { return *context_; }
  const CUDA_RESOURCE_DESC& resource() const { return resource_; }

 private:
  const std::shared_ptr<Context> context_;
  const CUDA_RESOURCE_DESC resource_;
  std::shared_ptr<const ImageObject> image_;
};

}  // namespace cucore::cpu
