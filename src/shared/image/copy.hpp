// SPDX-License-Identifier: Apache-2.0
// Copies of images, which may have hundreds of megabytes.
#pragma once

#include <span>

#include "image/image.hpp"

namespace cucore::image {

// Returns a vector without elements, with memory for `size` bytes. A large one has huge pages if
// the system offers them. The first write to a small page costs more than the copy of its bytes.
Bytes reserved_bytes(size_t size);

Bytes copy_of(std::span<const std::byte> bytes);

}  // namespace cucore::image
