// SPDX-License-Identifier: Apache-2.0
// Reads the parts of images.
#include "image_parts.hpp"

#include <fmt/format.h>

#include <span>

#include "image/elf.hpp"
#include "image/elf_file.hpp"
#include "image/fatbin_parts.hpp"
#include "image/host_object.hpp"

namespace cucore::cli {
namespace {

std::string entry_kind(std::uint16_t kind) {
  switch (kind) {
    case image::FATBIN_PTX:
      return "PTX";
    case image::FATBIN_ELF:
      return "CUBIN";
    case image::FATBIN_LTOIR:
      return "LTOIR";
    default:
      return fmt::format("kind {}", kind);
  }
}

image::ByteView view_of(std::string_view what, std::string_view bytes) {
  return {what, std::as_bytes(std::span(bytes))};
}

FatbinEntry read_entry(const image::FatbinPart& part) {
  const image::FatbinEntryHeader& header = part.header;
  const bool compressed = part.is_compressed();
  const char* suffix = header.flags & image::FATBIN_ARCH_ONLY ? "a"
                       : header.flags & image::FATBIN_FAMILY  ? "f"
                                                              : "";
  const char* compression = header.flags & image::FATBIN_ZSTD  ? "zstd"
                            : header.flags & image::FATBIN_LZ4 ? "lz4"
                                                               : "none";
  return {entry_kind(header.kind),
          fmt::format("{}{}{}", header.kind == image::FATBIN_ELF ? "sm_" : "compute_", header.arch,
                      suffix),
          compressed ? static_cast<std::size_t>(header.raw_size) : part.stored.size(),
          compressed ? header.compressed_size : part.stored.size(), compression};
}

}  // namespace

bool has_elf_header(std::string_view bytes) {
  constexpr std::string_view MAGIC = "\x7F\x45\x4C\x46";
  return bytes.starts_with(MAGIC) && bytes.size() >= sizeof(image::ElfHeader);
}

bool is_cuda_elf(std::string_view bytes) {
  return image::looks_like_cubin(std::as_bytes(std::span(bytes)));
}

std::vector<FatbinEntry> fatbin_entries(std::string_view fatbin) {
  std::vector<FatbinEntry> entries;
  for (image::FatbinParts parts(view_of("the fat binary", fatbin)); const auto part = parts.next();)
    entries.push_back(read_entry(*part));
  return entries;
}

void each_member(std::string_view archive,
                 const std::function<void(std::string_view, std::string_view)>& member) {
  image::each_member(view_of("the archive", archive),
                     [&](std::string_view name, const image::ByteView& view) {
                       const auto* begin = reinterpret_cast<const char*>(view.bytes().data());
                       member(name, {begin, view.size()});
                     });
}

}  // namespace cucore::cli
