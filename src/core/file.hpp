// Whole files as bytes, with errors that name them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cucore::core {

// Throws NOT_FOUND where there is no such file, IO where it cannot be read.
std::vector<std::byte> read_file(const std::string& path);

}  // namespace cucore::core
