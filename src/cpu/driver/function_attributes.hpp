// SPDX-License-Identifier: Apache-2.0
// Attributes and parameters of kernels, common to CUkernel and CUfunction.
#pragma once

#include <cuda.h>

#include "cpu/driver/library.hpp"
#include "cpu/driver/profile.hpp"

namespace cucore::cpu {

int function_attribute(const KernelInfo& info, const FunctionAttributes& attributes,
                       const Profile& profile, CUfunction_attribute which);
void set_function_attribute(const KernelInfo& info, FunctionAttributes& attributes,
                            const Profile& profile, CUfunction_attribute which, int value);
CUresult give_parameter(const KernelInfo& info, size_t index, size_t* offset, size_t* size);

}  // namespace cucore::cpu
