// SPDX-License-Identifier: Apache-2.0
// Blocks of memory of one size. The process keeps some unused ones. The allocator may return memory
// to the system, and each page then costs a fault when it is used again.
#pragma once

#include <cstddef>

namespace cucore {

class SpareBlocks {
 public:
  static constexpr size_t SIZE = 16 * 1024;
  static constexpr size_t MOST = 64;  // kept at a time

  // Returns a block with the alignment of operator new. Throws std::bad_alloc.
  static void* take();
  static void put(void* block) noexcept;
};

}  // namespace cucore
