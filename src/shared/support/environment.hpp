// SPDX-License-Identifier: Apache-2.0
// The only reader of environment variables, for every library and program. It has no source file,
// so that the CPU device and the remotes, which share nothing else, can include it.
#pragma once

#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace cucore {

// Whether the process has more rights than the user who started it (a set-user-ID program): what
// that user wrote into the environment must not steer it.
inline bool has_more_rights_than_its_user() { return getauxval(AT_SECURE) != 0; }

// The value of a variable; "" if it is unset, or if the process has more rights than its user.
inline std::string environment(const char* name) {
  const char* value = has_more_rights_than_its_user() ? nullptr : std::getenv(name);
  return value ? value : "";
}

// Calls `visit` with every "NAME=value" as it is, whoever wrote it: for what others read.
template <class Visit>
void each_variable(Visit&& visit) {
  for (char** at = environ; at && *at; ++at) visit(*at);
}

}  // namespace cucore
