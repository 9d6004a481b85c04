// SPDX-License-Identifier: Apache-2.0
// What the exports of functions that the CPU device does not implement call; knows no CUDA type,
// because their file must not see cuda.h's declarations of them.
#pragma once

namespace cucore::cpu {
int unsupported_call(unsigned index_of_other) noexcept;
}  // namespace cucore::cpu
