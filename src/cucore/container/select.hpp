// SPDX-License-Identifier: Apache-2.0
// Selects the image of a bundle for a device.
#pragma once

#include <functional>
#include <optional>

#include "container/objectcode.hpp"

namespace cucore::container {

struct Target {
  uint16_t device = 0;          // compute capability, 90
  uint16_t ptx_isa = 0;         // the newest that the driver supports, 90 for 9.0; 0: any
  bool ptx_only = false;        // a device that runs PTX and no machine code
  bool can_link_ltoir = false;  // nvJitLink is available
  uint16_t nvjitlink = 0;       // its toolkit, 130 for 13.0; 0: any
};

// Returns the index in bundle.images of the best image; nullopt if none fits.
std::optional<size_t> find(const Code& bundle, const Target& target,
                           const std::function<bool(const image::Image&)>& is_taken);

// Returns the index in bundle.images of the best image.
// @throws Error INVALID_CODE with the images and the requirement
size_t select(const Code& bundle, const Target& target);

}  // namespace cucore::container
