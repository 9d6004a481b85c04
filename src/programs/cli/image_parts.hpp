// SPDX-License-Identifier: Apache-2.0
// The parts of images, from the readers that the library also uses. Their namespace has an Error
// and a Status of its own, so this header includes none of theirs.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cucore::cli {

// Returns whether bytes are a whole header of an ELF file.
bool has_elf_header(std::string_view bytes);

// Returns whether the machine of an ELF file is CUDA.
bool is_cuda_elf(std::string_view bytes);

struct FatbinEntry {
  std::string kind;
  std::string arch;
  std::size_t code_size;
  std::size_t stored_size;
  const char* compression;
};

std::vector<FatbinEntry> fatbin_entries(std::string_view fatbin);

// Calls the function with the name and the bytes of each member.
void each_member(std::string_view archive,
                 const std::function<void(std::string_view, std::string_view)>& member);

}  // namespace cucore::cli
