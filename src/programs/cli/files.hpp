// SPDX-License-Identifier: Apache-2.0
// Reading and writing whole files, with messages that name the file and the reason.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cucore::cli {

// Above any input that the library takes; devices have no end, and sparse files claim any size.
constexpr std::size_t LARGEST_FILE = std::size_t{1} << 30;

// The bytes of a file, "-" being the standard input. A file without end is a failure.
std::string read_file(const std::string& path, std::size_t most = LARGEST_FILE);

// Replaces a file in one step: a reader sees the old bytes or all the new ones. "-" is the
// standard output.
void write_file(const std::string& path, std::string_view bytes);

// The file behind a link, which stays a link also where the file is still to come.
std::string real_path(const std::string& path);

// "saxpy.cu" of "kernels/saxpy.cu".
std::string file_name(const std::string& path);

// The same as the name of what is in the file: object code has names in UTF-8 alone.
std::string code_name(const std::string& path);

// ".cu" of "kernels/saxpy.cu", in lower case.
std::string file_suffix(const std::string& path);

}  // namespace cucore::cli
