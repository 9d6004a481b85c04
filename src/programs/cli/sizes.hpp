// SPDX-License-Identifier: Apache-2.0
// Sizes in options: "500M", "2G".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cucore::cli {

// Parses a number with K, M, G or T, or a number of bytes. Throws a usage error for anything else,
// which names the option.
std::uint64_t parse_size(const std::string& text, std::string_view option);

}  // namespace cucore::cli
