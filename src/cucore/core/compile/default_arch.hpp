// SPDX-License-Identifier: Apache-2.0
// The architecture of a compile if the user names none.
#pragma once

#include "image/arch.hpp"
#include "image/image.hpp"

namespace cucore::core {

// Returns device 0's architecture, or the virtual one if it runs PTX. Without a driver it is the
// lowest that NVRTC supports, as a virtual one. CUBIN requires a real one: INVALID_ARGUMENT names
// the option to set.
image::Arch default_arch(image::CodeType target);

}  // namespace cucore::core
