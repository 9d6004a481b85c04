// SPDX-License-Identifier: Apache-2.0
#include "cpu/driver/cubin.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cpu/driver/debug_lines.hpp"
#include "image/elf_file.hpp"

namespace cucore::cpu {
namespace {

using image::ElfHeader;
using image::ElfSectionHeader;

constexpr uint64_t MAX_CUBIN_BYTES = uint64_t{1} << 31;
constexpr size_t COPIED_AT_ONCE = size_t{4} << 20;
constexpr unsigned char IDENT[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
// Value of EI_OSABI up to ABI 7 of CUDA, and from ABI 8 on.
constexpr unsigned char OS_ABIS[] = {0x33, 0x41};

bool is_cubin(const void* image) {
  const auto* bytes = static_cast<const unsigned char*>(image);
  for (size_t i = 0; i < sizeof IDENT; ++i)
    if (bytes[i] != IDENT[i]) return false;
  return bytes[7] == OS_ABIS[0] || bytes[7] == OS_ABIS[1];
}

// Copies memory that may end too early, which makes the system call fail and not the process. A
// sandbox without the call has to trust the headers, as NVIDIA's driver does.
bool copy_memory(void* to, const void* from, size_t size) {
  const iovec target{to, size};
  const iovec source{const_cast<void*>(from), size};
  const ssize_t copied = process_vm_readv(getpid(), &target, 1, &source, 1, 0);
  if (copied < 0 && errno != EFAULT) {
    std::memcpy(to, from, size);
    return true;
  }
  return copied == static_cast<ssize_t>(size);
}

// Returns false if the part does not fit to a file of a plausible size.
bool extend(uint64_t& end, uint64_t offset, uint64_t size) {
  if (offset > MAX_CUBIN_BYTES || size > MAX_CUBIN_BYTES) return false;
  end = std::max(end, offset + size);
  return true;
}

// Returns the size of a CUBIN by its headers; 0 if they are not those of a CUBIN.
size_t cubin_size(const void* image) {
  ElfHeader header;
  if (!is_cubin(image) || !copy_memory(&header, image, sizeof header)) return 0;
  if (header.machine != image::MACHINE_CUDA) return 0;
  std::vector<ElfSectionHeader> sections(header.section_count);
  const uint64_t section_bytes = sections.size() * sizeof(ElfSectionHeader);
  const uint64_t program_bytes = uint64_t{header.program_count} * sizeof(image::ElfProgramHeader);
  uint64_t end = sizeof header;
  if (!extend(end, header.section_offset, section_bytes) ||
      !extend(end, program_bytes ? header.program_offset : 0, program_bytes) ||
      !copy_memory(sections.data(), static_cast<const char*>(image) + header.section_offset,
                   section_bytes))
    return 0;
  for (const ElfSectionHeader& section : sections) {
    const bool has_bytes = section.type != image::SECTION_NO_BITS;
    if (!extend(end, section.offset, has_bytes ? section.size : 0)) return 0;
  }
  return static_cast<size_t>(end);
}

// A wrong table of lines does not make the code unusable.
void add_lines_if_known(const image::ElfFile& file, std::string& text) {
  try {
    add_source_lines(file, text);
  } catch (const Error&) {
  }
}

}  // namespace

// The headers may claim much more memory than there is, so the copy grows with what was read.
std::vector<std::byte> copy_cubin(const void* image) {
  const size_t size = cubin_size(image);
  std::vector<std::byte> copy;
  while (copy.size() < size) {
    const size_t done = copy.size(), part = std::min(COPIED_AT_ONCE, size - done);
    copy.resize(done + part);
    if (!copy_memory(copy.data() + done, static_cast<const std::byte*>(image) + done, part))
      return {};
  }
  return copy;
}

std::span<const std::byte> cubin_in(const void* image, size_t size) {
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(image), size);
  if (size < sizeof(ElfHeader) || !is_cubin(image)) return {};
  try {
    const image::ElfFile file(image::ByteView("the CUBIN", bytes));
    if (file.header().machine != image::MACHINE_CUDA) return {};
    return bytes.subspan(0, static_cast<size_t>(file.end()));
  } catch (const Error&) {
    return {};
  }
}

bool is_host_elf(const void* image, size_t size) {
  constexpr uint16_t X86_64 = 62, AARCH64 = 183;
  ElfHeader header;
  if (size < sizeof IDENT || std::memcmp(image, IDENT, sizeof IDENT) != 0 ||
      !copy_memory(&header, image, sizeof header))
    return false;
  return header.machine == X86_64 || header.machine == AARCH64;
}

// The lines of the text end with zeros; comments and debug directives are empty lines.
std::optional<std::string> debug_ptx(std::span<const std::byte> cubin) {
  try {
    const image::ElfFile file(image::ByteView("the CUBIN", cubin));
    for (const auto& section : file.sections()) {
      if (section.text_name != ".nv_debug_ptx_txt") continue;
      const auto bytes = file.bytes(section).bytes();
      std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      std::replace(text.begin(), text.end(), '\0', '\n');
      add_lines_if_known(file, text);
      return text;
    }
  } catch (const Error&) {
  }
  return std::nullopt;
}

}  // namespace cucore::cpu
