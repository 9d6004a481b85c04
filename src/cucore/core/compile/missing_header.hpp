// SPDX-License-Identifier: Apache-2.0
// Finds in the log of a compile that a header is missing, and what the caller can do about it.
#pragma once

#include <string>
#include <string_view>

#include "driver/toolkit_headers.hpp"

namespace cucore::core {

// The name of the first header that the compiler did not find; "" if it found all.
std::string_view missing_header(std::string_view log);

// The remedy, a clause for the end of the message. `uses_toolkit`: the compile searched
// `toolkit.folders`; `version` is that of NVRTC, for the names of packages.
std::string header_remedy(std::string_view header, const driver::ToolkitHeaders& toolkit,
                          bool uses_toolkit, int version);

}  // namespace cucore::core
