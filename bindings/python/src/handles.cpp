// SPDX-License-Identifier: Apache-2.0
// Describes an object that is not of the wanted type.
#include "handles.hpp"

#include "errors.hpp"

namespace cucore::bind {

PyTypeObject* types[static_cast<int>(Type::COUNT)];

void* refuse_handle(PyObject* object, Type type) {
  const char* wanted = type_of(type)->tp_name;
  if (is(object, type))
    raise(CUCORE_ERROR_INVALID_HANDLE, "the %s is closed", wanted);
  else
    PyErr_Format(PyExc_TypeError, "a %s is needed, not %s", wanted, Py_TYPE(object)->tp_name);
  return nullptr;
}

}  // namespace cucore::bind
