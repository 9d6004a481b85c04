// SPDX-License-Identifier: Apache-2.0
// Messages of the library in the words of the command line.
#pragma once

#include <string>

namespace cucore::cli {

// Replaces members of options, cucore_program_options.include_paths, by the command's options,
// --include-path.
std::string with_option_names(std::string message);

}  // namespace cucore::cli
