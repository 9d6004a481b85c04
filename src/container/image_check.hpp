// Holds an image that came in a container against what the container says of it.
#pragma once

#include "container/memory_budget.hpp"
#include "container/objectcode.hpp"
#include "container/table.hpp"

namespace cucore::container {

/// Takes from the image the symbols and parameters that the container leaves out.
/// @throws Error INVALID_CODE
void check_image(Image& image, const SectionEntry& entry, const Table& table, const ByteView& file,
                 MemoryBudget& budget);

}  // namespace cucore::container
