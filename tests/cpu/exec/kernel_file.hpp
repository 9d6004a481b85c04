// SPDX-License-Identifier: Apache-2.0
// The kernels that the tests share, as PTX.
#pragma once

#include <memory>
#include <string>

#include "device.hpp"

namespace cucore::cpu::test {

inline std::shared_ptr<LoadedModule> load_kernel_file(const std::string& name, int sm) {
  return load_text(
      read_file(std::string(CUCORE_KERNELS) + "/ptx/" + name + "." + std::to_string(sm) + ".ptx"));
}

}  // namespace cucore::cpu::test
