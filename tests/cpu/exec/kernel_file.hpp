// SPDX-License-Identifier: Apache-2.0
// The kernels that the tests share, as PTX.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include "device.hpp"

namespace cucore::cpu::test {

// A program that has moved to another machine finds them by CUCORE_TEST_KERNELS.
inline std::shared_ptr<LoadedModule> load_kernel_file(const std::string& name, int sm) {
  const char* moved = std::getenv("CUCORE_TEST_KERNELS");
  const std::string folder = moved ? moved : CUCORE_KERNELS;
  return load_text(read_file(folder + "/ptx/" + name + "." + std::to_string(sm) + ".ptx"));
}

}  // namespace cucore::cpu::test
