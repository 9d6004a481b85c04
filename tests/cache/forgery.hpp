// SPDX-License-Identifier: Apache-2.0
// Forged manifests. The readers of the library have an Error and a Status in the namespace of
// cucore.hpp, so this header includes none of theirs.
#pragma once

#include <string>

namespace cache_test {

// The false claim of each record.
enum class Forgery {
  HEADERS_OF_THE_TOOLKIT,
  STAMPS_OF_PRESENT_FILES,
};

// Returns the manifest with forged records.
std::string forge(const std::string& manifest, Forgery forgery);

}  // namespace cache_test
