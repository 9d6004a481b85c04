// SPDX-License-Identifier: Apache-2.0
#include "reclaim.hpp"

#include "errors.hpp"
#include "object.hpp"

namespace cucore::bind {
namespace {

PyObject* reclaim = nullptr;

}  // namespace

bool reclaim_or_raise(const Failure& failure, int tries) {
  if (reclaim && failure.status() == CUCORE_ERROR_OUT_OF_DEVICE_MEMORY) {
    const Object again(PyObject_CallFunction(reclaim, "i", tries));
    if (!again) return false;  // a signal handler raised
    if (again.get() == Py_True) return true;
  }
  raise(failure);
  return false;
}

void register_reclaim(PyObject* function) {
  Py_XINCREF(function);
  Py_XSETREF(reclaim, function);
}

}  // namespace cucore::bind
