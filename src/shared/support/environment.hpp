// SPDX-License-Identifier: Apache-2.0
// The only reader of environment variables, for every library and program. It has no source file,
// so that the CPU device and the remotes can include it without other shared code.
#pragma once

#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace cucore {

// Returns true if the process has more rights than the user who started it (a set-user-ID program).
// That user's environment variables must not control such a process.
inline bool has_more_rights_than_its_user() { return getauxval(AT_SECURE) != 0; }

// Returns the value of a variable; "" if it is unset, or if the process has more rights than its
// user.
inline std::string environment(const char* name) {
  const char* value = has_more_rights_than_its_user() ? nullptr : std::getenv(name);
  return value ? value : "";
}

// Calls `visit` with every unfiltered "NAME=value", for components that read the environment
// themselves.
template <class Visit>
void each_variable(Visit&& visit) {
  for (char** at = environ; at && *at; ++at) visit(*at);
}

}  // namespace cucore
