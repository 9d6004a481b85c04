// Strings handed out with the lifetime of the process: each different text is kept once.
#pragma once

#include <string>

namespace cucore::driver {

const char* interned(const std::string& text);

}  // namespace cucore::driver
