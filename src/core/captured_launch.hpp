// Launches that become nodes of a graph: the graph keeps what it launches loaded.
#pragma once

#include "core/loaded_image.hpp"

namespace cucore::core {

// Before a launch on a stream that may be captured; of a default stream the context must be the
// current one. Costs one quick call of the driver where it is not (11 ns of driver 580). Where it
// is, the graph gets a reference to the image and gives it back when it and all that was
// instantiated from it have gone.
void hold_if_captured(const Stream& stream, const LoadedImage& image);

}  // namespace cucore::core
