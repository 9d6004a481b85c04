// SPDX-License-Identifier: Apache-2.0
// Distinguishes executables from relocatable code in every kind of image with machine code.
#include "image/linkable.hpp"

#include <algorithm>

#include "image/elf_file.hpp"
#include "image/fatbin.hpp"
#include "image/host_object.hpp"

namespace cucore::image {

namespace {

bool is_executable(std::span<const std::byte> cubin) {
  return ByteView("CUBIN", cubin).get<ElfHeader>(0).type == TYPE_EXECUTABLE;
}

// A linker takes the entry with machine code that runs on the architecture, else the PTX.
bool picks_executable(const ByteView& fatbin, const Arch& arch, bool lto) {
  const std::vector<FatbinEntry> entries = inspect(CodeType::FATBIN, fatbin.bytes()).entries;
  const auto is_ltoir = [](const FatbinEntry& entry) { return entry.type == CodeType::LTOIR; };
  if (lto && std::any_of(entries.begin(), entries.end(), is_ltoir)) return false;
  bool found = false;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].type != CodeType::CUBIN || !entries[i].arch.runs_on(arch.number)) continue;
    const auto cubin = read_fatbin_entry(fatbin, i).bytes;
    if (cubin.empty()) continue;
    if (!is_executable(cubin)) return false;
    found = true;
  }
  return found;
}

}  // namespace

bool is_linked_already(const Image& image, const Arch& arch, bool lto) {
  const ByteView view(code_type_name(image.type), image.data());
  switch (image.type) {
    case CodeType::CUBIN:
      return is_executable(image.data());
    case CodeType::FATBIN:
      return picks_executable(view, arch, lto);
    case CodeType::OBJECT:
      return device_code_of_object(view) == DeviceCode::LINKED;
    case CodeType::LIBRARY:
      return device_code_of_library(view) == DeviceCode::LINKED;
    default:
      return false;
  }
}

}  // namespace cucore::image
