// SPDX-License-Identifier: Apache-2.0
// The folder of a cache: its location, and the check that other users cannot write to it.
#pragma once

#include <string>

#include "cache/descriptor.hpp"

namespace cucore::cache {

// Returns $CUCORE_CACHE_DIR, else $XDG_CACHE_HOME/cucore, else ~/.cache/cucore, else "".
std::string default_directory();

// Returns whether CUCORE_CACHE is "off": an opened cache then stores and finds nothing.
bool is_switched_off();

struct Root {
  Descriptor folder;       // of version 1's entries; closed without a disk tier
  std::string path;        // as passed by the user
  bool read_only = false;  // writes are not possible
  bool is_remote = false;  // on a network file system, whose locks are unreliable
  std::string problem;     // the reason for a missing or read-only disk tier, or ""
};

// Creates the folder if it is missing. A folder that cannot be used is a problem, not a failure:
// the cache then works in memory alone. @throws Error IO for a folder that others can write to, or
// that belongs to another user: object code from there would be theirs
Root open_root(const std::string& directory, bool read_only);
// Does the same with a warning in the log for a problem; uses no folder for "".
Root open_root_or_warn(const std::string& directory, bool read_only);

}  // namespace cucore::cache
