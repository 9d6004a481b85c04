// SPDX-License-Identifier: Apache-2.0
// The folder of a cache: where it is, and that nobody else can write to it.
#pragma once

#include <string>

#include "cache/descriptor.hpp"

namespace cucore::cache {

// $CUCORE_CACHE_DIR, else $XDG_CACHE_HOME/cucore, else ~/.cache/cucore; "" where there is none.
std::string default_directory();

// CUCORE_CACHE=off: an opened cache keeps nothing and finds nothing.
bool is_switched_off();

struct Root {
  Descriptor folder;       // of version 1's entries; none where there is no disk tier
  std::string path;        // as given
  bool read_only = false;  // nothing can be written
  bool is_remote = false;  // on a network file system: locks cannot be relied on
  std::string problem;     // why there is no disk tier, or why it is read-only; else ""
};

// Makes the folder where it does not exist. What cannot be had is a problem, not a failure: the
// cache then works in memory alone. @throws Error IO for a folder that others can write to, or
// that belongs to somebody else: object code from there would be theirs.
Root open_root(const std::string& directory, bool read_only);
// The same with a warning in the log for a problem; without a folder for "".
Root open_root_or_warn(const std::string& directory, bool read_only);

}  // namespace cucore::cache
