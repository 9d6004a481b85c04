// SPDX-License-Identifier: Apache-2.0
// Reports of an analysis, for people and for programs.
#pragma once

#include <string>

#include "perf/analyze/analysis.hpp"

namespace cucore::perf {

// Returns the kernels with their resources, and the findings.
std::string as_text(const Analysis& analysis);
// Returns an object of the schema cucore.analysis/1.
std::string as_json(const Analysis& analysis);

}  // namespace cucore::perf
