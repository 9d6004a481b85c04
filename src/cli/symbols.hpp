// The symbols of object code: kernels with their parameters and needs, variables with their size.
#pragma once

#include <cucore.h>

#include "report.hpp"

namespace cucore::cli {

Json describe_symbols(const cucore_objectcode* code);

/// How the code was made; a list where the value has several lines.
Json describe_metadata(const cucore_objectcode* code);

}  // namespace cucore::cli
