// SPDX-License-Identifier: Apache-2.0
// Strings with the lifetime of the process: each different text is stored once.
#pragma once

#include <string>

namespace cucore {

const char* interned(const std::string& text);

}  // namespace cucore
