// SPDX-License-Identifier: Apache-2.0
// Whole files as bytes, with errors that name them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cucore::core {

// Throws NOT_FOUND if there is no such file, and IO if it cannot be read, is not a regular file or
// has more than 2 GiB.
std::vector<std::byte> read_file(const std::string& path);

}  // namespace cucore::core
