// SPDX-License-Identifier: Apache-2.0
// A compiler's log as a person reads it best: colours, and the source lines that it speaks of.
#pragma once

#include <string>
#include <vector>

#include "failure.hpp"

namespace cucore::cli {

// The whole log, line by line: nothing is left out. Lines that hold a diagnostic have their place
// and severity painted; under those whose source line the compiler did not repeat, it is shown
// with a mark under its column. `source` is read where a diagnostic names no file that exists.
std::string annotated_log(const std::string& log, const std::vector<Diagnostic>& diagnostics,
                          const std::string& source, bool color);

}  // namespace cucore::cli
