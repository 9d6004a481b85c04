// SPDX-License-Identifier: Apache-2.0
#include "array/capi/handles.hpp"

namespace cucore {

constinit HandlePool HandleTraits<cucore_array>::pool{TYPE, NAME};
constinit HandlePool HandleTraits<cucore_array_context>::pool{TYPE, NAME};
constinit HandlePool HandleTraits<cucore_array_generator>::pool{TYPE, NAME};

}  // namespace cucore

namespace cucore::array {

ArrayObject::ArrayObject(Ref<Context> context, Array array)
    : context_(std::move(context)),
      array_(std::move(array)),
      dtype_(array_.dtype()),
      count_(count_of(array_.view.shape, size_of(dtype_))),
      byte_strides_(array_.view.strides) {
  // The distance of neighbours is that of the whole elements, also in a view of parts.
  const auto size = static_cast<int64_t>(size_of(array_.cell->current().dtype));
  for (int64_t& stride : byte_strides_) stride *= size;
  ++context_->arrays();
}

// The cell belongs to the graph, whose lock a finaliser must not wait for.
ArrayObject::~ArrayObject() {
  --context_->arrays();
  context_->release(std::move(array_.cell));
}

}  // namespace cucore::array
