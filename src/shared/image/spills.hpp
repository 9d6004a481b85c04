// SPDX-License-Identifier: Apache-2.0
// How many bytes of registers a kernel spills, counted from the instructions that ptxas marks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "image/byte_view.hpp"

namespace cucore::image {

// Bytes that the instructions of one thread store and load, as ptxas -v counts them.
struct Spills {
  uint32_t stores = 0;
  uint32_t loads = 0;
};

// `marked` are the offsets of the instructions that spill; nullopt if one of them is not an access
// to local memory, so that a record of another meaning is not taken for figures.
std::optional<Spills> count_spills(const ByteView& code, const std::vector<uint32_t>& marked);

}  // namespace cucore::image
