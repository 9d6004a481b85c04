// SPDX-License-Identifier: Apache-2.0
// Reading and writing whole files, with messages that name the file and the reason.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cucore::cli {

// Larger than any input of the library; devices have no end, and sparse files have any size.
constexpr std::size_t LARGEST_FILE = std::size_t{1} << 30;

// Returns the bytes of a file; "-" is the standard input. A file without end is a failure.
std::string read_file(const std::string& path, std::size_t most = LARGEST_FILE);

// Replaces a file in one step: a reader sees the old bytes or all the new ones. "-" is the standard
// output.
void write_file(const std::string& path, std::string_view bytes);

// Throws a failure if the file could not be written now. The file does not change.
void require_output(const std::string& path);

// Returns the target of a link, which stays a link even if the target does not exist yet.
std::string real_path(const std::string& path);

// Returns "saxpy.cu" for "kernels/saxpy.cu".
std::string file_name(const std::string& path);

// Returns the file name as a name in object code, which must be UTF-8.
std::string code_name(const std::string& path);

// Returns ".cu" for "kernels/saxpy.cu", in lower case.
std::string file_suffix(const std::string& path);

}  // namespace cucore::cli
