// SPDX-License-Identifier: Apache-2.0
// Returns whether a linker takes the device code of an image; it skips code that is already linked.
#pragma once

#include "image/image.hpp"

namespace cucore::image {

// Returns true if the machine code that a link for `arch` takes is an executable. nvJitLink skips
// such code silently. With `lto`, LTOIR has priority over machine code.
bool is_linked_already(const Image& image, const Arch& arch, bool lto);

}  // namespace cucore::image
