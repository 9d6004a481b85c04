// SPDX-License-Identifier: Apache-2.0
// The options for the required signature of a container: verify, run, link and bundle.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "image.hpp"
#include "key.hpp"

namespace cucore::cli {

struct TrustFlags {
  KeyFlags keys;
  bool require = false;
  bool allow_unsigned = false;

  // `before` precedes the names of the keys' options: "verify-".
  void add_to(CLI::App& command, const std::string& before = {});
  // Reads the keys. If a key is named, a signature by it is required, unless the command line
  // disables that.
  Trust read() const;
};

}  // namespace cucore::cli
