// SPDX-License-Identifier: Apache-2.0
// The public options of a program as NVRTC's command line.
#pragma once

#include <cucore.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cucore::core {

// In the order of the fields; fields at their default give nothing.
// Throws INVALID_ARGUMENT naming the field that is out of its range.
std::vector<std::string> nvrtc_flags(const cucore_program_options& options);

// The names of the fields that are not at their default.
std::vector<std::string> fields_set(const cucore_program_options& options);

// Throws INVALID_ARGUMENT naming every field that is set and not one of `known`: those are of use
// to programs in `source`, "PTX".
void require_only(const cucore_program_options& options, std::span<const std::string_view> known,
                  std::string_view source);

// A list of the caller's as strings; `field` is its name in messages.
std::vector<std::string> copy_strings(const char* const* strings, size_t count, const char* field);

}  // namespace cucore::core
