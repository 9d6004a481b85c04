// SPDX-License-Identifier: Apache-2.0
// Collects errors until there are enough of them.
#pragma once

#include <string>

#include "ptx/parser.hpp"

namespace cucore::ptx {

inline constexpr size_t MAX_ERRORS = 20;

// Thrown when the log is full; parsing then stops.
struct TooManyErrors {};

inline void log_error(Diagnostics& log, uint32_t line, std::string text) {
  log.errors.push_back({line, std::move(text)});
  if (log.errors.size() >= MAX_ERRORS) throw TooManyErrors{};
}

}  // namespace cucore::ptx
