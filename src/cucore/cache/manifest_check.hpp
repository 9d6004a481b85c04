// SPDX-License-Identifier: Apache-2.0
// Holds a manifest against the disk as it is now.
#pragma once

#include <string>

#include "cache/manifest.hpp"
#include "cache/toolkit.hpp"

namespace cucore::cache {

struct ManifestMatch {
  static constexpr size_t NONE = static_cast<size_t>(-1);
  size_t record = NONE;
  bool refreshed = false;  // stamps were brought up to date: worth storing
  std::string reason;      // why the record used last does not fit: "a.h has changed"
};

// `directory`: the current one.
ManifestMatch match(Manifest& manifest, const std::string& directory, FileIndex& index,
                    Toolkits& toolkits);

}  // namespace cucore::cache
