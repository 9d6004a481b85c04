// SPDX-License-Identifier: Apache-2.0
// Compares an image from a container with the container's description of it.
#pragma once

#include "container/objectcode.hpp"
#include "container/table.hpp"
#include "image/memory_budget.hpp"

namespace cucore::container {

// Takes from the image the symbols and parameters that the container leaves out.
// @throws Error INVALID_CODE
void check_image(image::Image& image, const SectionEntry& entry, const Table& table,
                 const image::ByteView& file, image::MemoryBudget& budget);

}  // namespace cucore::container
