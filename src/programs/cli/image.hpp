// SPDX-License-Identifier: Apache-2.0
// Object code in files: telling what a file holds, opening it, storing it.
#pragma once

#include <cucore.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "handles.hpp"
#include "key.hpp"

namespace cucore::cli {

// "PTX", "CUBIN" ... as shown to people.
const char* type_name(cucore_code_type type);

// Whether the bytes begin like a .cuco container.
bool is_container(std::string_view bytes);

// What raw bytes are, by their first bytes, then by the file's name; nothing if neither says.
std::optional<cucore_code_type> detect(std::string_view bytes, const std::string& path);

// What a container's signature must be.
struct Trust {
  std::vector<Key> keys;  // that verify
  bool required = false;  // signed, rightly, by one of the keys
};

// Object code from a container or a raw image; failures name the file.
ObjectCode open_image(std::string_view bytes, const std::string& path, const Trust& trust = {});

// The bytes of the image itself, borrowed from the object code.
std::string_view image_bytes(const cucore_objectcode* code);

// The same object code as a container, signed where a key is given.
std::string serialize(const cucore_objectcode* code, bool compress, const Key* key = nullptr);

}  // namespace cucore::cli
