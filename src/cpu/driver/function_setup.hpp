// SPDX-License-Identifier: Apache-2.0
// The block and the parameters of the next launch, which the launch functions before CUDA 4 keep in
// a function between calls.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

namespace cucore::cpu {

struct FunctionSetup {
  static constexpr size_t MOST_PARAMETERS = 4096;  // bytes

  std::mutex mutex;  // guards the members below
  unsigned block[3] = {};
  unsigned shared = 0;
  size_t size = 0;
  std::array<std::byte, MOST_PARAMETERS> parameters{};
};

}  // namespace cucore::cpu
