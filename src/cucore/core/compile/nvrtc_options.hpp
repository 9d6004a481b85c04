// SPDX-License-Identifier: Apache-2.0
// Converts the public options of a program to NVRTC's command line.
#pragma once

#include <cucore.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cucore::core {

// Returns the flags in the order of the fields; fields with their default have none. Throws
// INVALID_ARGUMENT with the field that is out of range.
std::vector<std::string> nvrtc_flags(const cucore_program_options& options);

// Returns the names of the fields that differ from their default.
std::vector<std::string> fields_set(const cucore_program_options& options);

// Throws INVALID_ARGUMENT with every field that is set and not one of `known`, the fields for
// programs in `source`, "PTX".
void require_only(const cucore_program_options& options, std::span<const std::string_view> known,
                  std::string_view source);

// Copies a list of the caller as strings; `field` is its name in messages.
std::vector<std::string> copy_strings(const char* const* strings, size_t count, const char* field);

}  // namespace cucore::core
