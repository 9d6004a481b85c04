// SPDX-License-Identifier: Apache-2.0
// The architecture to compile for where the user names none.
#pragma once

#include "image/arch.hpp"
#include "image/image.hpp"

namespace cucore::core {

// Device 0's, or its virtual one where it runs PTX; with no driver the lowest that NVRTC knows,
// as a virtual one. For CUBIN only a real one will do: INVALID_ARGUMENT says what to set.
image::Arch default_arch(image::CodeType target);

}  // namespace cucore::core
