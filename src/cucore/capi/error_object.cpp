// SPDX-License-Identifier: Apache-2.0
#include "capi/error_object.hpp"

namespace cucore::capi {

constinit HandlePool error_pool{HandleType::ERROR, "cucore_error"};
constinit cucore_error out_of_memory_error{};

cucore_error* make_error(Error error) {
  const Ref<ErrorObject> object = make<ErrorObject>(std::move(error));
  return static_cast<cucore_error*>(error_pool.wrap(object.get()));
}

const ErrorObject* error_object(const cucore_error* error) noexcept {
  if (!error || error == &out_of_memory_error || !error->is_live(HandleType::ERROR)) return nullptr;
  return static_cast<const ErrorObject*>(error->object.load(std::memory_order_relaxed));
}

}  // namespace cucore::capi
