// SPDX-License-Identifier: Apache-2.0
// What the result of a compile or a link depends on, as plain values: core says it of its programs
// and linkers, the cache makes keys of it, and neither knows the other.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "container/objectcode.hpp"

namespace cucore::container {

enum class KeyTag : uint16_t {
#define TAG(number, name, text) name = number,
#include "container/key_tags.inc"
#undef TAG
};

// "the source"; "an unknown field" for a number that is none.
const char* key_tag_text(uint16_t tag);

KeyField key_field(KeyTag tag, std::string_view value);
KeyField key_field(KeyTag tag, std::span<const std::byte> value);

// SHA-256 over every field with its tag and its length, so that no two lists read the same.
Digest digest_of(std::span<const KeyField> fields);

// Which files a compile may read. Paths are as the compiler is given them.
struct FileAccess {
  struct Text {
    std::string name;
    std::string_view text;  // lives as long as the program
  };
  std::vector<Text> texts;                 // the source, then the headers in memory
  std::vector<std::string> include_paths;  // in the order of the search
  std::vector<std::string> pre_includes;
  std::string own_folder;       // of the program's name, where it has one
  bool search_siblings = true;  // quoted includes look beside the file that includes
};

// Whether a compile of these texts could read a file at all; cheap enough for every source.
bool may_read_files(const FileAccess& access);

struct BuildInputs {
  std::vector<KeyField> fields;
  Digest digest{};     // of the fields
  std::string bypass;  // why the result must not be kept: it has side effects, or varies
  image::CodeType target = image::CodeType::PTX;
  image::Arch arch;                         // of the result
  std::string label;                        // "saxpy.cu", for messages
  bool uses_current_directory = false;      // a relative path is among the inputs
  bool traces_files = false;                // the compiler can say which files it has read
  std::unique_ptr<const FileAccess> files;  // null: it reads none, whatever lies on the disk
};

}  // namespace cucore::container
