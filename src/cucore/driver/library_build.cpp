// SPDX-License-Identifier: Apache-2.0
#include "driver/library_build.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/stat.h>

#include <cstdint>
#include <cstring>

namespace cucore::driver {
namespace {

struct BuildIdSearch {
  uintptr_t address;
  std::string id;
};

std::string hex_digits(const unsigned char* bytes, size_t size) {
  static constexpr char DIGITS[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    text += DIGITS[bytes[i] >> 4];
    text += DIGITS[bytes[i] & 15];
  }
  return text;
}

std::string id_in_notes(const unsigned char* notes, size_t size) {
  const auto aligned = [](size_t n) { return (n + 3) / 4 * 4; };
  for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes + at, sizeof head);
    const size_t name = at + sizeof head;
    const size_t value = name + aligned(head.n_namesz);
    if (value + head.n_descsz > size) break;
    if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 &&
        std::memcmp(notes + name, "GNU", 4) == 0)
      return hex_digits(notes + value, head.n_descsz);
    at = value + aligned(head.n_descsz);
  }
  return {};
}

bool holds(const dl_phdr_info& library, uintptr_t address) {
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const auto& part = library.dlpi_phdr[i];
    const uintptr_t begin = library.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && address >= begin && address - begin < part.p_memsz) return true;
  }
  return false;
}

int look(dl_phdr_info* library, size_t, void* data) {
  auto& search = *static_cast<BuildIdSearch*>(data);
  if (!holds(*library, search.address)) return 0;
  for (int i = 0; i < library->dlpi_phnum && search.id.empty(); ++i) {
    const auto& part = library->dlpi_phdr[i];
    if (part.p_type == PT_NOTE)
      search.id = id_in_notes(
          reinterpret_cast<const unsigned char*>(library->dlpi_addr + part.p_vaddr), part.p_memsz);
  }
  return 1;
}

std::string file_identity(const void* function) {
  Dl_info info{};
  struct stat status {};
  if (!dladdr(function, &info) || !info.dli_fname || stat(info.dli_fname, &status) != 0) return {};
  return std::to_string(status.st_size) + "@" + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec);
}

}  // namespace

std::string library_build(const void* function) {
  BuildIdSearch search{reinterpret_cast<uintptr_t>(function), {}};
  dl_iterate_phdr(look, &search);
  return search.id.empty() ? file_identity(function) : search.id;
}

}  // namespace cucore::driver
