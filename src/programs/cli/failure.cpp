// SPDX-License-Identifier: Apache-2.0
// Adds a file's name, or fields for JSON, to a failure.
#include "failure.hpp"

namespace cucore::cli {

Failure Failure::about(const std::string& file) const {
  Failure named = *this;
  const std::string text = what();
  named.text_ = text.find(file) != text.npos ? text : file + ": " + text;
  return named;
}

Failure Failure::with(const Json& details) const {
  Failure more = *this;
  more.details_.update(details);
  return more;
}

}  // namespace cucore::cli
