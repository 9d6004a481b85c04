// SPDX-License-Identifier: Apache-2.0
// The names that an input of a link defines for all the others: two inputs that define one name
// contradict each other.
#pragma once

#include "image/image.hpp"

namespace cucore::image {

struct Definition {
  std::string name;  // as the image spells it
  SymbolKind kind = SymbolKind::DEVICE_FUNCTION;
  std::string member;  // of an archive, "helper.o"; else ""
};

struct Definitions {
  std::vector<Definition> strong;
  // LTO-IR, which is opaque: what it defines is not in the list. A fat binary may have scrambled
  // it, and is kept as a whole.
  struct Ltoir {
    CodeType type = CodeType::LTOIR;  // or FATBIN
    Bytes bytes;
    std::string member;
  };
  std::vector<Ltoir> ltoir;
};

// Of the images inside, those count that a link for `arch` takes; `lto`: LTOIR is taken before
// machine code. Linkers take every member of an archive. What cannot be read defines nothing.
Definitions read_definitions(const Image& image, const Arch& arch, bool lto);

}  // namespace cucore::image
