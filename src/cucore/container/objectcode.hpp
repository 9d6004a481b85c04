// SPDX-License-Identifier: Apache-2.0
// Object code as a plain value: the content of a container.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "image/image.hpp"

namespace cucore::container {

using Digest = std::array<std::byte, 32>;

// Facts, sorted by key: "producer" "NVRTC", "build" "V13.0.88", "options" [...], "name_expressions"
// [...], "source_sha256" "e3b0...", and those that a user adds. The key "images" is reserved.
using MetadataValue = std::variant<int64_t, std::string, std::vector<std::string>>;
using Metadata = std::map<std::string, MetadataValue, std::less<>>;

// A file that the compiler read.
struct Dependency {
  std::string path;
  uint64_t size = 0;
  Digest sha256{};
  friend bool operator==(const Dependency&, const Dependency&) = default;
};

struct KeyField {
  uint16_t tag = 0;
  image::Bytes value;
  friend bool operator==(const KeyField&, const KeyField&) = default;
};

// The cache key under which the code was built, with its fields.
struct Key {
  Digest digest{};
  std::vector<KeyField> fields;
  friend bool operator==(const Key&, const Key&) = default;
};

// An image with its metadata; or, as a BUNDLE, several images of one program. Then `images` is not
// empty, and of the fields of Image only type and name are used.
struct Code : image::Image {
  std::string log;
  Metadata metadata;
  std::vector<Dependency> dependencies;
  std::optional<Key> key;
  std::optional<std::string> source;

  std::vector<image::Image> images;      // BUNDLE: two or more
  std::vector<Metadata> image_metadata;  // BUNDLE: one per image, or empty

  friend bool operator==(const Code&, const Code&) = default;
};

// Checks bytes from a user or a compiler and makes their value: inspect(), the NUL of a PTX,
// symbols. If the bytes do not contain the architecture, it is taken from `arch`.
// @throws Error INVALID_CODE
Code make_code(image::CodeType type, std::span<const std::byte> bytes, std::string name,
               image::Arch arch = {});

// Adds the producer of the code to the metadata: "NVRTC", "13.0", and the build if the code
// contains it.
void set_producer(Code& code, std::string producer, std::string version);

// Combines two or more codes: PTX, CUBIN and LTOIR. Bundles are split into their images. Logs are
// joined and dependencies united; each image keeps its own metadata. Equal images are refused.
// @throws Error INVALID_ARGUMENT
Code make_bundle(std::span<const Code* const> codes, std::string name);

}  // namespace cucore::container
