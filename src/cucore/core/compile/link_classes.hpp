// SPDX-License-Identifier: Apache-2.0
// Classes of parameters after link-time optimisation: a CUBIN records sizes only, and PTX for
// targets below compute_100 does not mark pointers.
#pragma once

#include <vector>

#include "core/compile/link_job.hpp"
#include "image/image.hpp"

namespace cucore::core {

// Completes the classes of the kernels that `job` linked. If one is UNKNOWN and an input may be
// LTOIR, links the inputs once more, to PTX that marks pointers. A failure leaves the classes as
// they are.
void complete_classes(std::vector<image::Symbol>& symbols, const LinkJob& job);

}  // namespace cucore::core
