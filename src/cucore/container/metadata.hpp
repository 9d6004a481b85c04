// SPDX-License-Identifier: Apache-2.0
// META as JSON: keys sorted and unique, integers, strings and arrays of strings.
#pragma once

#include <string>

#include "container/objectcode.hpp"
#include "image/byte_view.hpp"
#include "image/memory_budget.hpp"

namespace cucore::container {

struct MetadataSet {
  Metadata own;
  std::vector<Metadata> images;  // of a bundle, under the key "images"
};

// Empty if there is nothing to write. @throws Error INVALID_ARGUMENT
std::string format_metadata(const Metadata& own, const std::vector<Metadata>& images);

// @throws Error INVALID_CODE
MetadataSet parse_metadata(const image::ByteView& json, image::MemoryBudget& budget);

}  // namespace cucore::container
