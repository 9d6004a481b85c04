// SPDX-License-Identifier: Apache-2.0
// Called by the exports of functions that the CPU device does not implement. It uses no CUDA type,
// because the file of those exports must not contain cuda.h's declarations of them.
#pragma once

namespace cucore::cpu {
int unsupported_call(unsigned index_of_other) noexcept;
}  // namespace cucore::cpu
