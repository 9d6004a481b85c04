// SPDX-License-Identifier: Apache-2.0
// Which image of a bundle a device gets.
#pragma once

#include <functional>
#include <optional>

#include "container/objectcode.hpp"

namespace cucore::container {

struct Target {
  uint16_t device = 0;          // compute capability, 90
  uint16_t ptx_isa = 0;         // the newest that the driver reads, 90 for 9.0; 0: any
  bool ptx_only = false;        // a device that runs PTX: machine code is of no use
  bool can_link_ltoir = false;  // nvJitLink is there
  uint16_t nvjitlink = 0;       // its toolkit, 130 for 13.0; 0: any
};

// Index into bundle.images of the best one that is taken; none: nothing fits.
std::optional<size_t> find(const Code& bundle, const Target& target,
                           const std::function<bool(const image::Image&)>& is_taken);

// Index into bundle.images of the best one.
// @throws Error INVALID_CODE naming what there is and what was needed
size_t select(const Code& bundle, const Target& target);

}  // namespace cucore::container
