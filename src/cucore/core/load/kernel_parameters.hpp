// SPDX-License-Identifier: Apache-2.0
// The parameters of a kernel: those declared in the code, compared with those of the driver.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/load/loaded_image.hpp"

namespace cucore::core {

class ObjectCode;

struct KernelParameters {
  std::optional<std::vector<image::Parameter>> list;  // nullopt: not in the code or the driver
  bool is_compared = false;
};

// The driver copies the bytes of its own layout from the arguments of a launch, so a difference is
// an error: INVALID_CODE. They are not compared before a context receives the image, because the
// driver would have to load it; a launch needs compared ones.
KernelParameters read_parameters(const ObjectCode& code, const LoadedImage& image,
                                 const std::string& name, CUkernel native, const Device& device);

}  // namespace cucore::core
