// SPDX-License-Identifier: Apache-2.0
// What is inside a file that the library has found to be well formed: the sections of a container,
// the entries of a fat binary, the members of an archive.
#pragma once

#include <string_view>

#include "report.hpp"

namespace cucore::cli {

// Each section's type, place, size and SHA-256, as its table has them (docs/format.md).
Json describe_sections(std::string_view container);

// "Ed25519" or "HMAC-SHA256", as the signature's record has it; "" if there is none.
std::string signature_algorithm(std::string_view container);

// Whether an image of it is compressed.
bool is_compressed(std::string_view container);

// Each entry of a fat binary: kind, architecture, size, how it is stored, and its symbols.
Json describe_entries(const cucore_objectcode* fatbin);

// Each member's name, size and kind.
Json describe_members(std::string_view archive);

}  // namespace cucore::cli
