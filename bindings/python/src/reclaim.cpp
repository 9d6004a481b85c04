// SPDX-License-Identifier: Apache-2.0
#include "reclaim.hpp"

#include "errors.hpp"
#include "object.hpp"
#include "registered.hpp"

namespace cucore::bind {

bool reclaim_or_raise(const Failure& failure, int tries) {
  if (registered.reclaim && failure.status() == CUCORE_ERROR_OUT_OF_DEVICE_MEMORY) {
    const Object again(PyObject_CallFunction(registered.reclaim, "i", tries));
    if (!again) return false;  // a signal handler raised
    if (again.get() == Py_True) return true;
  }
  raise(failure);
  return false;
}

}  // namespace cucore::bind
