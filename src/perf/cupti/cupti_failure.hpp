// SPDX-License-Identifier: Apache-2.0
// The reason in a report for a result of CUPTI that could not be had.
#pragma once

#include <string>

#include "support/error.hpp"

namespace cucore::perf {

struct CuptiFailure {
  std::string why;     // a sentence
  std::string remedy;  // a sentence
};

CuptiFailure explain(const Error& error);

}  // namespace cucore::perf
