// SPDX-License-Identifier: Apache-2.0
// The file that code was loaded from, by an absolute path. The loader keeps the name that it was
// given, and a relative one names another file once the program has changed its folder.
#pragma once

#include <string>

namespace cucore {

// The file that the address is mapped from; "" if there is none or it is not known.
std::string loaded_file(const void* address);

// The folder of the library or program that contains this function; "" if it is not known.
std::string own_folder();

// A path with a slash, as seen from the current folder; a bare name as it is.
std::string absolute_path(std::string path);

}  // namespace cucore
