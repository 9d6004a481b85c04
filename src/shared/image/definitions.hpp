// SPDX-License-Identifier: Apache-2.0
// The names that an input of a link defines for all the others. Two inputs that define one name are
// in conflict.
#pragma once

#include "image/image.hpp"

namespace cucore::image {

struct Definition {
  std::string name;  // as spelled in the image
  SymbolKind kind = SymbolKind::DEVICE_FUNCTION;
  std::string member;  // of an archive member, "helper.o"; else ""
};

struct Definitions {
  std::vector<Definition> strong;
  // LTO-IR is opaque, so the list does not contain its definitions. A fat binary may have scrambled
  // it; then the whole fat binary is stored.
  struct Ltoir {
    CodeType type = CodeType::LTOIR;  // or FATBIN
    Bytes bytes;
    std::string member;
  };
  std::vector<Ltoir> ltoir;
};

// Reads the definitions of the images that a link for `arch` takes. With `lto`, LTOIR has priority
// over machine code. Linkers take every member of an archive. Unreadable code defines nothing.
Definitions read_definitions(const Image& image, const Arch& arch, bool lto);

}  // namespace cucore::image
