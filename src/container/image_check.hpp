// Holds an image that came in a container against what the container says of it.
#pragma once

#include "container/objectcode.hpp"
#include "container/table.hpp"

namespace cucore::container {

/// @throws Error INVALID_CODE
void check_image(const Image& image, const SectionEntry& entry, const Table& table,
                 const ByteView& file);

}  // namespace cucore::container
