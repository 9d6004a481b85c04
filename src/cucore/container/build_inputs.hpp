// SPDX-License-Identifier: Apache-2.0
// All inputs of a compile or a link that its result depends on, as plain values. Core writes them
// for its programs and linkers, and the cache makes keys of them. Neither depends on the other.
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

// Returns a text such as "the source"; "an unknown field" for an undefined number.
const char* key_tag_text(uint16_t tag);

KeyField key_field(KeyTag tag, std::string_view value);
KeyField key_field(KeyTag tag, std::span<const std::byte> value);

// SHA-256 over every field with its tag and its length, so that no two lists read the same.
Digest digest_of(std::span<const KeyField> fields);

// The files that a compile may read. Paths are those that the compiler receives.
struct FileAccess {
  struct Text {
    std::string name;
    std::string_view text;  // lives as long as the program
  };
  std::vector<Text> texts;                 // the source, then the headers in memory
  std::vector<std::string> include_paths;  // in the order of the search
  std::vector<std::string> pre_includes;
  std::string own_folder;       // of the program's name, if it has one
  bool search_siblings = true;  // quoted includes search the folder of the including file
};

// Returns whether a compile of these texts could read a file; fast enough for every source.
bool may_read_files(const FileAccess& access);

struct BuildInputs {
  std::vector<KeyField> fields;
  Digest digest{};     // of the fields
  std::string bypass;  // why the result must not be stored: it has side effects, or varies
  image::CodeType target = image::CodeType::PTX;
  image::Arch arch;                         // of the result
  std::string label;                        // "saxpy.cu", for messages
  bool uses_current_directory = false;      // a relative path is among the inputs
  bool traces_files = false;                // the compiler can report the files that it has read
  std::unique_ptr<const FileAccess> files;  // null: it reads none, whatever is on the disk
};

}  // namespace cucore::container
