// SPDX-License-Identifier: Apache-2.0
#include "driver/imports.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>

namespace cucore::driver {
namespace {

// The relocation types that store a function's address in memory.
#if defined(__aarch64__)
constexpr uint32_t ADDRESSES[] = {R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_ABS64};
#else
constexpr uint32_t ADDRESSES[] = {R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_64};
#endif

bool leaves_address(uint32_t kind) {
  for (const uint32_t known : ADDRESSES)
    if (kind == known) return true;
  return false;
}

struct Relocations {
  const ElfW(Rela) * first = nullptr;
  size_t count = 0;
};

// The loader's view of a library.
class Loaded {
 public:
  explicit Loaded(const link_map& map) : base_(map.l_addr) {
    for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) read(*entry);
  }

  template <class Action>
  void each_import(Action action) const {
    if (!symbols_ || !names_) return;
    for (const Relocations& table : {calls_, data_})
      for (size_t i = 0; i < table.count; ++i) {
        const ElfW(Rela)& relocation = table.first[i];
        const auto kind = static_cast<uint32_t>(ELF64_R_TYPE(relocation.r_info));
        const size_t index = ELF64_R_SYM(relocation.r_info);
        if (index == 0 || relocation.r_addend != 0 || !leaves_address(kind)) continue;
        if (symbols_[index].st_shndx != SHN_UNDEF) continue;
        action(names_ + symbols_[index].st_name,
               reinterpret_cast<void**>(base_ + relocation.r_offset));
      }
  }

 private:
  void read(const ElfW(Dyn) & entry) {
    switch (entry.d_tag) {
      case DT_SYMTAB:
        symbols_ = at<const ElfW(Sym)*>(entry);
        break;
      case DT_STRTAB:
        names_ = at<const char*>(entry);
        break;
      case DT_JMPREL:
        calls_.first = at<const ElfW(Rela)*>(entry);
        break;
      case DT_PLTRELSZ:
        calls_.count = entry.d_un.d_val / sizeof(ElfW(Rela));
        break;
      case DT_RELA:
        data_.first = at<const ElfW(Rela)*>(entry);
        break;
      case DT_RELASZ:
        data_.count = entry.d_un.d_val / sizeof(ElfW(Rela));
        break;
      default:
        break;
    }
  }

  // Some loaders do not relocate the addresses in this table.
  template <class Pointer>
  Pointer at(const ElfW(Dyn) & entry) const {
    const ElfW(Addr) address = entry.d_un.d_ptr;
    return reinterpret_cast<Pointer>(address < base_ ? base_ + address : address);
  }

  const ElfW(Addr) base_;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* names_ = nullptr;
  Relocations calls_, data_;
};

bool is_read_only(const void* address) {
  struct Search {
    uintptr_t address;
    bool found;
  } search{reinterpret_cast<uintptr_t>(address), false};
  const auto look = [](dl_phdr_info* library, size_t, void* data) {
    auto& wanted = *static_cast<Search*>(data);
    for (int i = 0; i < library->dlpi_phnum; ++i) {
      const auto& part = library->dlpi_phdr[i];
      const uintptr_t begin = library->dlpi_addr + part.p_vaddr;
      if (part.p_type == PT_GNU_RELRO && wanted.address >= begin &&
          wanted.address - begin < part.p_memsz)
        wanted.found = true;
    }
    return wanted.found ? 1 : 0;
  };
  dl_iterate_phdr(look, &search);
  return search.found;
}

// The loader makes some of these addresses read-only after it fills them in.
bool store(void** slot, void* value) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  void* const start = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(slot) & ~(page - 1));
  const bool locked = is_read_only(slot);
  if (locked && mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return false;
  std::atomic_ref(*slot).store(value, std::memory_order_release);
  if (locked) mprotect(start, page, PROT_READ);
  return true;
}

}  // namespace

size_t replace_imports(void* library, std::span<const Import> imports) noexcept {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || !map) return 0;
  size_t replaced = 0;
  Loaded(*map).each_import([&](const char* name, void** slot) {
    for (const Import& import : imports) {
      if (std::strcmp(name, import.name) != 0) continue;
      const void* now = std::atomic_ref(*slot).load(std::memory_order_acquire);
      if (now == import.replacement || store(slot, import.replacement)) ++replaced;
      return;
    }
  });
  return replaced;
}

}  // namespace cucore::driver
