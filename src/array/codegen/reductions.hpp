// SPDX-License-Identifier: Apache-2.0
// Reductions as device types, and the trees in which they add.
#pragma once

#include <cstdint>
#include <string>

#include "array/plan/kernel.hpp"

namespace cucore::array {

// The tree of a row of `length` elements, at most ROW_LIMIT. Four neighbours are a vector. Vector w
// belongs to thread w mod `threads`, which adds its vectors in order, each of the four places
// apart. Then come the four places, the lanes of a warp, and the warps.
struct RowTree {
  int64_t threads;
  int64_t vectors;  // of a thread
};
RowTree row_tree(int64_t length) noexcept;
// The rows of a block, and its threads. Softmax of rows with 4 vectors per thread takes 2 % less
// time in blocks of 64 threads than in blocks of 128. With one vector, it takes 20 % more.
int64_t block_rows(const RowTree& tree) noexcept;
int64_t block_threads(const RowTree& tree) noexcept;

// "R7": the type of a REDUCED or SCANNED node, and its definition.
std::string reduction_name(size_t node);
std::string reduction_type(const Kernel& kernel, size_t node);
// The element that node adds, from the variables of its arguments.
std::string reduction_element(const Kernel& kernel, size_t node);
// Whether the threads add to "Deviations<T>", from which moments() makes an R::A at the end.
bool is_moment(const Kernel& kernel, size_t node) noexcept;
// Whether R::A has the number of an element besides its value.
bool is_numbered(const Kernel& kernel, size_t node) noexcept;
// The accumulator with that element. A moment needs the first element that the thread added, and
// what element_part() declares for the element after `number` others.
std::string with_element(const Kernel& kernel, size_t node, const std::string& accumulator,
                         const std::string& first);
std::string element_part(const Kernel& kernel, size_t node, const std::string& number);
// The value of the node, from the reduced one.
std::string reduction_result(const Kernel& kernel, size_t node, const std::string& reduced);
int64_t partial_size(const Kernel& kernel, size_t node) noexcept;  // bytes of R::A in memory

}  // namespace cucore::array
