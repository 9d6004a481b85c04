// SPDX-License-Identifier: Apache-2.0
// The kernels that measure the roof of a device, as PTX.
//
// All have the parameters (u64 data, u64 other, u32 count, u32 rounds) and blocks of 256 threads.
// Kernels of memory walk over `count` chunks of `data`; others repeat their loop `rounds` times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "perf/machine/roof.hpp"

namespace cucore::perf {

inline constexpr uint32_t ROOF_BLOCK = 256;  // threads

// A way to access memory: the bytes of one access, and the accesses of a thread in one chunk.
struct AccessShape {
  uint32_t width;
  uint32_t unroll;
  bool is_persistent;  // few blocks that walk over many chunks; else a block per chunk

  uint32_t chunk() const { return ROOF_BLOCK * width * unroll; }
  std::string entry(RoofKind kind) const;  // of COPY, READ or WRITE
};
inline constexpr AccessShape ACCESS_SHAPES[] = {
    {4, 1, false}, {16, 1, false}, {16, 4, false}, {16, 4, true}};
inline constexpr AccessShape L2_SHAPE = {16, 4, true};

// A text of PTX with one kernel that computes.
struct ArithmeticCode {
  std::string ptx;
  std::string entry;
  double amount;  // operations or bytes of one thread in one round
  uint32_t blocks_per_multiprocessor = 8;
};

std::string memory_roof_ptx();  // the kernels of ACCESS_SHAPES, and "l2"
std::string empty_kernel_ptx();
inline constexpr const char* L2_ENTRY = "cucore_roof_l2";
inline constexpr const char* EMPTY_ENTRY = "cucore_roof_empty";

// Returns nothing if devices of this compute capability, 90 for 9.0, lack the operation.
std::optional<ArithmeticCode> arithmetic_roof_code(RoofKind kind, uint32_t capability);

}  // namespace cucore::perf
