// SPDX-License-Identifier: Apache-2.0
// The files of device/, which the build puts into the library.
#pragma once

#include <string_view>

namespace cucore::array {

std::string_view device_text(std::string_view name) noexcept;  // "types"; empty: unknown

}  // namespace cucore::array
