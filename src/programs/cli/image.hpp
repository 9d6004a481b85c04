// SPDX-License-Identifier: Apache-2.0
// Object code in files: detects its kind, opens it, stores it.
#pragma once

#include <cucore/objectcode.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "key.hpp"

namespace cucore::cli {

// Returns "PTX", "CUBIN" ... for messages.
const char* type_name(CodeType type);

// Returns whether the bytes begin as a .cuco container.
bool is_container(std::string_view bytes);

// Returns the kind of raw bytes, by the first bytes, then by the file name; nullopt if neither
// shows it.
std::optional<CodeType> detect(std::string_view bytes, const std::string& path);

// The requirements on a container's signature.
struct Trust {
  std::vector<Key> keys;  // keys that verify
  bool required = false;  // a valid signature by one of the keys is required
};

// Opens a container or a raw image; failures name the file.
ObjectCode open_image(std::string_view bytes, const std::string& path, const Trust& trust = {});

// Returns the bytes of the image; they belong to the object code.
std::string_view image_bytes(const ObjectCode& code);

// Returns the object code as a container, signed if a key is passed.
std::string serialize(const ObjectCode& code, bool compress, const Key* key = nullptr);

}  // namespace cucore::cli
