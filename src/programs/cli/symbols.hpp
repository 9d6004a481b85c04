// SPDX-License-Identifier: Apache-2.0
// The symbols of object code: kernels with their parameters and resources, variables with their
// size.
#pragma once

#include <string_view>

#include "report.hpp"

namespace cucore::cli {

Json describe_symbols(const ObjectCode& code);

// Returns the origin of the code; values of several lines are lists.
Json describe_metadata(const ObjectCode& code);

// Returns the lines of a text, without line feeds.
Json lines_of(std::string_view text);

}  // namespace cucore::cli
