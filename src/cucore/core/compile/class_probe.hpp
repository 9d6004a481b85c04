// SPDX-License-Identifier: Apache-2.0
// A second compile for facts that the first leaves open. PTX for targets below compute_100 does not
// mark pointers, but PTX of the same source for later targets does.
#pragma once

#include <optional>
#include <vector>

#include "core/compile/nvrtc_job.hpp"
#include "image/image.hpp"

namespace cucore::core {

// The first architecture whose PTX marks pointers.
constexpr uint16_t FIRST_MARKING_ARCH = 100;

// Completes the classes of kernels that `job` compiled for `arch`. Runs the compiler only if a
// class is UNKNOWN and NVRTC supports a target that marks pointers. A failure leaves the classes
// as they are.
void complete_classes(std::vector<image::Symbol>& symbols, const NvrtcJob& job,
                      const image::Arch& arch, NvrtcRunner& runner);

// Returns the job whose PTX defines the classes of `job`, which is for `arch`; nullopt if the flags
// of `job` are in a file. Its flags write no files, and its macros describe `arch`.
std::optional<NvrtcJob> class_job(const NvrtcJob& job, const image::Arch& arch,
                                  const image::Arch& marking);

}  // namespace cucore::core
