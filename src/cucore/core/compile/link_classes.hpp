// SPDX-License-Identifier: Apache-2.0
// Classes of parameters after link-time optimisation. A CUBIN records only sizes, and PTX for
// targets below compute_100 does not mark pointers.
#pragma once

#include <vector>

#include "core/compile/link_job.hpp"
#include "image/image.hpp"

namespace cucore::core {

// Completes the classes of the kernels that `job` linked. If one is UNKNOWN and an input may be
// LTOIR, it links the inputs again, to PTX that marks pointers. A failure leaves the classes
// unchanged.
void complete_classes(std::vector<image::Symbol>& symbols, const LinkJob& job);

}  // namespace cucore::core
