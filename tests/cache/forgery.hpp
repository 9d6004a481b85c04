// SPDX-License-Identifier: Apache-2.0
// Forged manifests, by the reader of the library itself. Tests see only the public headers.
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
