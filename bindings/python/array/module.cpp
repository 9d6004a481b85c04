// SPDX-License-Identifier: Apache-2.0
// The module _array: types and functions of arrays for the package cucore.array.
#include "module.hpp"

#include <iterator>

#include "array_type.hpp"
#include "functions.hpp"
#include "handles.hpp"
#include "registered.hpp"
#include "spelling.hpp"

// The functions that messages of arrays contain, as Python has them.
const cucore::bind::Spelling cucore::bind::SPELLINGS[] = {
    {"cucore_array_cast", "Array.astype()"},
    {"cucore_array_copy", "Array.copy()"},
    {"cucore_array_to_context", "Array.to_device()"},
};
const size_t cucore::bind::SPELLING_COUNT = std::size(cucore::bind::SPELLINGS);

namespace cucore::bind::arrays {
namespace {

// The handle types and the exceptions are those of the package cucore.
bool join_core() {
  const Object core(PyImport_ImportModule("cucore._cucore"));
  const Object errors(PyImport_ImportModule("cucore._errors"));
  if (!core || !errors) return false;
  registered.make_error = PyObject_GetAttrString(errors.get(), "_make");
#define CUCORE_FIND(Class, type, name)   \
  types[static_cast<int>(Type::Class)] = \
      reinterpret_cast<PyTypeObject*>(PyObject_GetAttrString(core.get(), #Class));
  CUCORE_HANDLES(CUCORE_FIND)
#undef CUCORE_FIND
  return !PyErr_Occurred();
}

// _register(dtypes, convert, find_dtype, make_signature, scope)
PyObject* register_all(PyObject*, PyObject* args) {
  Module now = module;
  if (!PyArg_ParseTuple(args, "O!OOOO", &PyTuple_Type, &now.dtypes, &now.convert, &now.find_dtype,
                        &now.make_signature, &now.scope))
    return nullptr;
  Py_INCREF(args);  // forever, as the module is
  module = now;
  Py_RETURN_NONE;
}

// _count_scopes(change): arrays are recorded while a scope is open anywhere.
PyObject* count_scopes(PyObject*, PyObject* change) {
  module.open_scopes += static_cast<int>(PyLong_AsLong(change));
  Py_RETURN_NONE;
}

PyMethodDef own_functions[] = {{"_register", register_all, METH_VARARGS, nullptr},
                               {"_count_scopes", count_scopes, METH_O, nullptr},
                               {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "cucore.array._array",
                          nullptr,
                          -1,
                          functions,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

bool add(PyObject* to, const char* name, PyTypeObject* type) {
  if (!type) return false;
  Py_INCREF(type);
  return PyModule_AddObject(to, name, reinterpret_cast<PyObject*>(type)) == 0;
}

}  // namespace

int dtype_number(PyObject* object) {
  const Object dtype(PyObject_CallOneArg(module.find_dtype, object));
  const Object number(dtype ? PyObject_GetAttrString(dtype.get(), "number") : nullptr);
  return number ? static_cast<int>(PyLong_AsLong(number.get())) : -1;
}

PyObject* make_module() {
  if (!join_core()) return nullptr;
  module.array_type = make_array_type();
  module.context_type = make_context_type();
  module.operation_type = make_operation_type();
  Object made(PyModule_Create(&definition));
  const bool good = made && PyModule_AddFunctions(made.get(), own_functions) == 0 &&
                    add(made.get(), "Array", module.array_type) &&
                    add(made.get(), "_Context", module.context_type) &&
                    add(made.get(), "Operation", module.operation_type);
  return good ? made.release() : nullptr;
}

}  // namespace cucore::bind::arrays

PyMODINIT_FUNC PyInit__array() { return cucore::bind::arrays::make_module(); }
