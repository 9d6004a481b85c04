// SPDX-License-Identifier: Apache-2.0
// Shows a compiler's log in colour, with the source lines that it names.
#pragma once

#include <string>
#include <vector>

#include "failure.hpp"

namespace cucore::cli {

// Returns the whole log, line by line. In a line with a diagnostic, position and severity are
// coloured. If the compiler did not print the source line, it is added with a mark under the
// column. `source` is read if a diagnostic names a file that does not exist.
std::string annotated_log(const std::string& log, const std::vector<Diagnostic>& diagnostics,
                          const std::string& source, bool color);

}  // namespace cucore::cli
