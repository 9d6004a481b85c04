// SPDX-License-Identifier: Apache-2.0
// Object code as a plain value: what a container holds and what gives it back.
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

// Descriptive facts, sorted by key: "producer" "NVRTC", "build" "V13.0.88", "options" [...],
// "name_expressions" [...], "source_sha256" "e3b0...", or whatever a user adds. "images" is taken.
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

// The cache key under which the code was built, with the fields that went into it.
struct Key {
  Digest digest{};
  std::vector<KeyField> fields;
  friend bool operator==(const Key&, const Key&) = default;
};

// An image with its provenance; or, as a BUNDLE, several images of one program: then `images` is
// not empty, and of the fields of Image only type and name are used.
struct Code : image::Image {
  std::string log;
  Metadata metadata;
  std::vector<Dependency> dependencies;
  std::optional<Key> key;
  std::optional<std::string> source;

  std::vector<image::Image> images;      // of a BUNDLE: two or more
  std::vector<Metadata> image_metadata;  // of a BUNDLE: one for each image, or empty

  friend bool operator==(const Code&, const Code&) = default;
};

// Checks bytes that a user or a compiler gave and makes the value of them: inspect(), the NUL of a
// PTX, symbols. An architecture that the bytes do not say is taken from `arch`.
// @throws Error INVALID_CODE
Code make_code(image::CodeType type, std::span<const std::byte> bytes, std::string name,
               image::Arch arch = {});

// Adds to the metadata who made the code: "NVRTC", "13.0", and the build, if the code says it.
void note_producer(Code& code, std::string producer, std::string version);

// Several codes as one: PTX, CUBIN and LTOIR, two or more; bundles are taken apart. Logs are
// joined and dependencies united; each image keeps its own metadata. Equal images are refused.
// @throws Error INVALID_ARGUMENT
Code make_bundle(std::span<const Code* const> codes, std::string name);

}  // namespace cucore::container
