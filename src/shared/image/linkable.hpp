// SPDX-License-Identifier: Apache-2.0
// Whether a linker would take the device code of an image: what is linked already it leaves out.
#pragma once

#include "image/image.hpp"

namespace cucore::image {

// The machine code that a link for `arch` would take of it is an executable. nvJitLink leaves such
// code out without a word. `lto`: LTOIR inside is taken before machine code.
bool is_linked_already(const Image& image, const Arch& arch, bool lto);

}  // namespace cucore::image
