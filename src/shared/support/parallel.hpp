// SPDX-License-Identifier: Apache-2.0
// Short work on many parts, shared with threads that end before the call returns.
#pragma once

#include <cstddef>

namespace cucore {

namespace detail {

using Part = void (*)(const void* context, size_t index) noexcept;

void for_each_part(size_t count, size_t parts_per_thread, Part part, const void* context) noexcept;

}  // namespace detail

// Calls `part(index)` for each index below `count`, on the calling thread and on others, which
// block all signals. Each thread has at least `parts_per_thread` parts to do. If the system starts
// no thread, the calling one does all parts. `part` is noexcept, and its calls may overlap.
template <class F>
void in_parallel(size_t count, size_t parts_per_thread, const F& part) {
  static_assert(noexcept(part(size_t{})));
  const auto call = [](const void* context, size_t index) noexcept {
    (*static_cast<const F*>(context))(index);
  };
  detail::for_each_part(count, parts_per_thread, call, &part);
}

}  // namespace cucore
