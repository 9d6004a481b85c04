// SPDX-License-Identifier: Apache-2.0
// The bytes of registers that a kernel spills, counted from the instructions that ptxas marks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "image/byte_view.hpp"

namespace cucore::image {

// The bytes that the instructions of one thread store and load, as ptxas -v counts them.
struct Spills {
  uint32_t stores = 0;
  uint32_t loads = 0;
};

// Counts the spills. `marked` contains the offsets of the instructions that spill. Returns nullopt
// if one of them is not an access to local memory; then the record has another meaning. The same if
// the compiler may have lost marks, which it does in kernels with 8192 spills or more.
std::optional<Spills> count_spills(const ByteView& code, const std::vector<uint32_t>& marked);

}  // namespace cucore::image
