// SPDX-License-Identifier: Apache-2.0
// The contents that this process has read from containers and still holds. Object code is
// immutable, so a second read of equal bytes needs only their digests.
#pragma once

#include <memory>

#include "container/objectcode.hpp"

namespace cucore::container {

// A digest is that of header and table, which contains those of all sections: equal digests mean
// equal contents. Entries end with their contents. If another thread uses the table, nothing is
// found and nothing is added, so no call waits.
class KnownContents {
 public:
  // Returns null if no read contents are known.
  static std::shared_ptr<const Code> find(const Digest& digest);

  // Adds contents that were written with this digest. They are found after a read that proves that
  // they are equal to the read contents.
  static void add_written(const Digest& digest, const std::shared_ptr<const Code>& code);

  // Adds contents that were read and checked. Returns the written ones if they are equal.
  static std::shared_ptr<const Code> add_read(const Digest& digest, Code&& code);
};

}  // namespace cucore::container
