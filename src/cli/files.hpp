// Reading and writing whole files, with messages that name the file and the reason.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cucore::cli {

/// The bytes of a file, "-" being the standard input.
std::string read_file(const std::string& path);

/// Replaces a file in one step: a reader sees the old bytes or all the new ones. "-" is the
/// standard output.
void write_file(const std::string& path, std::string_view bytes);

/// Refuses an output that is one of the inputs, under whatever name.
void require_other_file(const std::string& output, const std::vector<std::string>& inputs);

/// "saxpy.cu" of "kernels/saxpy.cu".
std::string file_name(const std::string& path);

/// The same as the name of what is in the file: object code has names in UTF-8 alone.
std::string code_name(const std::string& path);

/// ".cu" of "kernels/saxpy.cu", in lower case.
std::string file_suffix(const std::string& path);

}  // namespace cucore::cli
