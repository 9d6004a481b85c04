// SPDX-License-Identifier: Apache-2.0
// Compares a manifest with the present state of the disk.
#pragma once

#include <string>

#include "cache/manifest.hpp"
#include "cache/toolkit.hpp"

namespace cucore::cache {

struct ManifestMatch {
  static constexpr size_t NONE = static_cast<size_t>(-1);
  size_t record = NONE;
  bool refreshed = false;  // stamps were updated, so the manifest should be stored
  std::string reason;      // why the last used record does not fit: "a.h has changed"
};

// `directory` is the current one.
ManifestMatch match(Manifest& manifest, const std::string& directory, FileIndex& index,
                    Toolkits& toolkits);

}  // namespace cucore::cache
