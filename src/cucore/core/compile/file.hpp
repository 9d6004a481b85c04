// SPDX-License-Identifier: Apache-2.0
// Whole files as bytes; errors name the file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cucore::core {

// Throws NOT_FOUND if the file does not exist. Throws IO if it cannot be read, is not a regular
// file or has more than 2 GiB.
std::vector<std::byte> read_file(const std::string& path);

}  // namespace cucore::core
