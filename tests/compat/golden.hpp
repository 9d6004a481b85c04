// SPDX-License-Identifier: Apache-2.0
// The values whose bytes tests/compat/v1 contains: made once, readable forever.
#pragma once

#include <string>
#include <vector>

#include "container/objectcode.hpp"
#include "container/reader.hpp"
#include "container/writer.hpp"

namespace cucore::container {
using namespace image;
}  // namespace cucore::container

namespace cucore::container::golden {

struct Golden {
  std::string file;  // "full.cuco"
  Code code;
  WriteOptions options;
};

// `images`: the folder tests/compat/images.
std::vector<Golden> all(const std::string& images);

SigningKey hmac_key();
SigningKey ed25519_key();

Bytes read_file(const std::string& path);

}  // namespace cucore::container::golden
