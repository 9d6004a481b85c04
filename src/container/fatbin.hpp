// Reads fat binaries: the header, the entries, and inside those what can be read.
#pragma once

#include "container/byte_view.hpp"
#include "container/image.hpp"

namespace cucore::container {

inline constexpr uint32_t kFatbinMagic = 0xBA55ED50;

/// @throws Error INVALID_CODE
ImageInfo read_fatbin(ByteView image);

}  // namespace cucore::container
