// What the exports of functions that the CPU device does not implement call; knows no CUDA type,
// because their file must not see cuda.h's declarations of them.
#ifndef CUCPU_DRIVER_UNSUPPORTED_HPP
#define CUCPU_DRIVER_UNSUPPORTED_HPP

namespace cucore::cpu {
int unsupported_call(unsigned index_of_other) noexcept;
}  // namespace cucore::cpu

#endif
