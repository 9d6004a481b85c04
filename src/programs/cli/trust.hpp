// SPDX-License-Identifier: Apache-2.0
// The options that say which signature a container must have: of verify, run, link and bundle.
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

  // `before` comes before the names of the keys' options: "verify-".
  void add_to(CLI::App& command, const std::string& before = {});
  // Reads the keys. A key that is named is there to be held against: a signature by it is required
  // unless the command line says otherwise.
  Trust read() const;
};

}  // namespace cucore::cli
