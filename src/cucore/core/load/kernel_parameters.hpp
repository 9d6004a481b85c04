// SPDX-License-Identifier: Apache-2.0
// The parameters of a kernel: those declared in the code, compared with those of the driver.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/load/loaded_image.hpp"

namespace cucore::core {

class ObjectCode;

// Returns nullopt if neither the code nor the driver has them. The driver copies the bytes of its
// own layout from the arguments of a launch, so a difference is an error: INVALID_CODE.
std::optional<std::vector<image::Parameter>> read_parameters(const ObjectCode& code,
                                                             const LoadedImage& image,
                                                             const std::string& name,
                                                             CUkernel native, const Device& device);

}  // namespace cucore::core
