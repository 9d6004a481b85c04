// SPDX-License-Identifier: Apache-2.0
// Compares an image from a container with the container's description of it.
#include "container/image_check.hpp"

#include <algorithm>
#include <unordered_map>

#include "container/text.hpp"

namespace cucore::container {

namespace {

// A launch checks its arguments by these sizes, so they must equal the code's own.
void check_symbols(image::Image& image, const image::ImageInfo& info, const Table& table,
                   const image::ByteView& file) {
  std::unordered_map<std::string_view, const image::Symbol*> known;
  for (const image::Symbol& symbol : info.symbols) known.emplace(symbol.lowered_name, &symbol);
  const bool is_open = image.type == image::CodeType::PTX || image.type == image::CodeType::CUBIN;
  const auto refuse = [&](const image::Symbol& symbol, const char* why) {
    file.fail(table.find(SYMTAB)->offset, "the parameters of " + symbol.lowered_name + why);
  };
  for (image::Symbol& symbol : image.symbols) {
    const auto found = known.find(symbol.lowered_name);
    if (found == known.end()) {
      // Without parameters nothing can be checked, and containers of version 1 contain such
      // symbols.
      if (is_open && symbol.parameters && !symbol.parameters->empty())
        refuse(symbol, " belong to nothing in the image");
      continue;
    }
    if (!found->second->parameters) continue;
    const auto same = [](const image::Parameter& a, const image::Parameter& b) {
      return a.offset == b.offset && a.size == b.size;
    };
    const auto& own = *found->second->parameters;
    if (!symbol.parameters)
      symbol.parameters = own;
    else if (!std::equal(own.begin(), own.end(), symbol.parameters->begin(),
                         symbol.parameters->end(), same))
      refuse(symbol, " are not those of the image");
  }
}

// A container without symbols uses those of its code, as far as a container can contain them.
void adopt_symbols(image::Image& image, image::ImageInfo& info, uint64_t at,
                   const image::ByteView& file) {
  for (const image::Symbol& symbol : info.symbols) {
    if (symbol.lowered_name.empty()) file.fail(at, "a symbol of the image has no name");
    if (find_bad_utf8(symbol.lowered_name) != std::string::npos)
      file.fail(at, "the image names a symbol in bytes that are not UTF-8");
    if (symbol.kind == image::SymbolKind::KERNEL && symbol.size != 0)
      file.fail(at, "a kernel of the image has a size");
  }
  image.symbols = std::move(info.symbols);
}

// Machine code does not always record its suffix.
bool is_arch_of(const image::Image& image, const image::Arch& actual) {
  if (actual.empty()) return true;
  image::Arch stated = image.arch;
  if (image.type == image::CodeType::CUBIN && actual.suffix == 0) stated.suffix = 0;
  return stated == actual;
}

}  // namespace

void check_image(image::Image& image, const SectionEntry& entry, const Table& table,
                 const image::ByteView& file, image::MemoryBudget& budget) {
  const image::ByteView view("the image in the container", image.bytes, entry.offset);
  if (image.type == image::CodeType::PTX &&
      image::trim_zeros(image.bytes).size() + 1 != image.bytes.size())
    view.fail(image.bytes.size() - 1, "a PTX does not end with one NUL");
  image::ImageInfo info = image::inspect(image.type, image.bytes, budget);
  const uint64_t at = table.offset_of(entry);
  if (!is_arch_of(image, info.arch))
    file.fail(at + 4, "the table has another architecture than the image");
  if (info.ptx_isa != 0 && info.ptx_isa != image.ptx_isa)
    file.fail(at + 8, "the table has another PTX ISA than the image");
  if (image.symbols.empty())
    adopt_symbols(image, info, at, file);
  else
    check_symbols(image, info, table, file);
}

}  // namespace cucore::container
