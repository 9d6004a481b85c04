// SPDX-License-Identifier: Apache-2.0
#include "driver/kept_open.hpp"

namespace cucore::driver {
namespace {

int keep_open(void*) { return 0; }

}  // namespace

std::span<const Import> unload_imports() noexcept {
  static const Import imports[] = {{"dlclose", reinterpret_cast<void*>(keep_open)}};
  return imports;
}

}  // namespace cucore::driver
