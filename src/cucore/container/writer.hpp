// SPDX-License-Identifier: Apache-2.0
// Writes object code as a container: equal values have equal bytes.
#pragma once

#include <optional>

#include "container/assemble.hpp"
#include "container/objectcode.hpp"
#include "container/signature.hpp"

namespace cucore::container {

struct WriteOptions {
  bool compress = false;  // zstd for images, log and source, if it makes them smaller
  int level = 9;          // of zstd
  std::optional<SigningKey> sign = std::nullopt;
  const Key* key = nullptr;  // instead of the code's own
};

// @throws Error INVALID_ARGUMENT for a value that a container cannot contain (a NUL inside a name,
// an empty image, a bundle of one)
image::Bytes write(const Code& code, const WriteOptions& options = {});

// Does the same without the copy of the images. The result refers to `code`, which must not change.
Parts write_parts(const Code& code, const WriteOptions& options = {});

// Signs a container, or replaces its signature; the rest stays unchanged.
// @throws Error INVALID_CODE if it is not a container
image::Bytes sign(std::span<const std::byte> container, const SigningKey& key);

}  // namespace cucore::container
