// SPDX-License-Identifier: Apache-2.0
// Arrays: texels in device memory whose addresses no program receives.
#pragma once

#include <cuda.h>

#include <memory>
#include <vector>

#include "cpu/driver/context.hpp"
#include "cpu/driver/copy.hpp"
#include "cpu/driver/registry.hpp"
#include "cpu/exec/image.hpp"

namespace cucore::cpu {

// Throws INVALID_VALUE for formats and numbers of channels that arrays and textures lack.
void set_format(Image& image, CUarray_format format, unsigned channels);
// Returns the levels of an array without its memory. Throws INVALID_VALUE or NOT_SUPPORTED.
Image image_of(const CUDA_ARRAY3D_DESCRIPTOR& descriptor, unsigned levels, const Device& device);

class Array : public Object {
 public:
  static constexpr ObjectKind KIND = ObjectKind::ARRAY;
  Array(std::shared_ptr<Context> context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor, Image image,
        bool is_level)
      : context_(std::move(context)),
        descriptor_(descriptor),
        image_(std::move(image)),
        is_level_(is_level) {}

  Context& context() const { return *context_; }
  const CUDA_ARRAY3D_DESCRIPTOR& descriptor() const { return descriptor_; }
  const Image& image() const { return image_; }
  bool is_level() const { return is_level_; }  // a mipmapped array owns it
  // Returns the side of a copy that starts at this byte, row and plane. Throws INVALID_VALUE if the
  // box exceeds the array.
  Side side(size_t byte, size_t row, size_t plane, const Box& box) const;

 private:
  const std::shared_ptr<Context> context_;
  const CUDA_ARRAY3D_DESCRIPTOR descriptor_;
  const Image image_;
  const bool is_level_;
};

class MipmappedArray : public Object {
 public:
  static constexpr ObjectKind KIND = ObjectKind::MIPMAPPED_ARRAY;
  MipmappedArray(std::shared_ptr<Context> context, const CUDA_ARRAY3D_DESCRIPTOR& descriptor,
                 Image image);
  ~MipmappedArray() override;  // ends the handles of the levels

  Context& context() const { return *context_; }
  const Image& image() const { return image_; }
  const std::vector<std::shared_ptr<Array>>& levels() const { return levels_; }

 private:
  const std::shared_ptr<Context> context_;
  const Image image_;
  std::vector<std::shared_ptr<Array>> levels_;
};

// Allocates the memory of an image, which counts as initialised.
void allocate_image(const Context& context, Image& image);
// Waits for the work of the current context, as cuMemFree does, and frees the memory.
void release_image(Context& owner, const Image& image);

}  // namespace cucore::cpu
