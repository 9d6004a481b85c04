// SPDX-License-Identifier: Apache-2.0
// The symbols of object code: kernels with their parameters and needs, variables with their size.
#pragma once

#include <cucore.h>

#include <string_view>

#include "report.hpp"

namespace cucore::cli {

Json describe_symbols(const cucore_objectcode* code);

// How the code was made; a list where the value has several lines.
Json describe_metadata(const cucore_objectcode* code);

// The lines of a text, none of which has a line feed.
Json lines_of(std::string_view text);

}  // namespace cucore::cli
