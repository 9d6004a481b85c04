// SPDX-License-Identifier: Apache-2.0
#include <cucore.h>

#define TEXT_OF(number) #number
#define DOTTED(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

extern "C" {

CUCORE_API uint32_t cucore_version(void) { return CUCORE_VERSION; }

CUCORE_API const char* cucore_version_string(void) {
  return DOTTED(CUCORE_VERSION_MAJOR, CUCORE_VERSION_MINOR, CUCORE_VERSION_PATCH);
}

}  // extern "C"
