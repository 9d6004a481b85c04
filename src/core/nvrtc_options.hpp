// The public options of a program as NVRTC's command line.
#pragma once

#include <cucore.h>

#include <string>
#include <vector>

namespace cucore::core {

// In the order of the fields; fields at their default give nothing.
// Throws INVALID_ARGUMENT naming the field that is out of its range.
std::vector<std::string> nvrtc_flags(const cucore_program_options& options);

// A list of the caller's as strings; `field` is its name in messages.
std::vector<std::string> copy_strings(const char* const* strings, size_t count, const char* field);

}  // namespace cucore::core
