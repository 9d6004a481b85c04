// SPDX-License-Identifier: Apache-2.0
#include "array/model/dims.hpp"

#include "support/concat.hpp"
#include "support/error.hpp"

namespace cucore::array {

void Dims::grow_heap(size_t count) {
  if (count > MAX)
    throw Error(Status::SHAPE,
                concat("the operation needs ", count, " dimensions; expected at most ", MAX));
  if (heap_) return;
  auto all = std::make_unique<int64_t[]>(MAX);
  std::copy_n(inline_, size_, all.get());
  heap_ = std::move(all);
}

}  // namespace cucore::array
