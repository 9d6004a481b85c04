// SPDX-License-Identifier: Apache-2.0
// Source lines of the PTX in a CUBIN. ptxas writes that text without .loc and .file.
#pragma once

#include <string>

#include "image/elf_file.hpp"

namespace cucore::cpu {

// Adds .loc and .file to the text. The machine code connects the lines of the text with those of
// the source. No line of the text moves. Without line tables, nothing changes.
void add_source_lines(const image::ElfFile& cubin, std::string& ptx);

}  // namespace cucore::cpu
