// SPDX-License-Identifier: Apache-2.0
// The content of a checked file: the sections of a container, the entries of a fat binary, the
// members of an archive.
#pragma once

#include <string_view>

#include "report.hpp"

namespace cucore::cli {

// Returns each section's type, offset, size and SHA-256, from the section table (docs/format.md).
Json describe_sections(std::string_view container);

// Returns "Ed25519" or "HMAC-SHA256", from the signature's record; "" without a signature.
std::string signature_algorithm(std::string_view container);

// Returns whether one of its images is compressed.
bool is_compressed(std::string_view container);

// Returns each entry of a fat binary: kind, architecture, size, compression, and its symbols.
Json describe_entries(const ObjectCode& fatbin);

// Returns each member's name, size and kind.
Json describe_members(std::string_view archive);

}  // namespace cucore::cli
