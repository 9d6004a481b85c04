// SPDX-License-Identifier: Apache-2.0
// The absolute path of the file that code was loaded from. The loader records the name that it
// received, and a relative name is wrong after a change of the current folder.
#pragma once

#include <string>

namespace cucore {

// Returns the file that is mapped at the address; "" if it cannot be determined.
std::string loaded_file(const void* address);

// Returns the folder of the library or program that contains this function; "" if it cannot be
// determined.
std::string own_folder();

// Resolves a path with a slash against the current folder; returns a bare name unchanged.
std::string absolute_path(std::string path);

}  // namespace cucore
