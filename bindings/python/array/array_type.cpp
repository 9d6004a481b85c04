// SPDX-License-Identifier: Apache-2.0
#include "array_type.hpp"

#include <Python.h>
#include <structmember.h>
#include <cstddef>

#include "call.hpp"

namespace cucore::bind::arrays {
namespace {

ArrayObject* self_of(PyObject* self) { return reinterpret_cast<ArrayObject*>(self); }

void drop(PyObject* self) {
  if (self_of(self)->weak) PyObject_ClearWeakRefs(self);
  release_array(self_of(self)->handle);
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* sizes(const int64_t* values, size_t count) {
  PyObject* all = PyTuple_New(static_cast<Py_ssize_t>(count));
  for (size_t i = 0; all && i < count; ++i)
    if (PyObject* one = PyLong_FromLongLong(values[i]))
      PyTuple_SET_ITEM(all, static_cast<Py_ssize_t>(i), one);
    else
      Py_CLEAR(all);
  return all;
}

PyObject* shape(PyObject* self, void*) {
  const cucore_array* array = array_of(self);
  return array ? sizes(cucore_array_shape(array), cucore_array_ndim(array)) : nullptr;
}

PyObject* strides(PyObject* self, void*) {
  const cucore_array* array = array_of(self);
  return array ? sizes(cucore_array_strides(array), cucore_array_ndim(array)) : nullptr;
}

PyObject* dtype(PyObject* self, void*) {
  const cucore_array* array = array_of(self);
  if (!array) return nullptr;
  PyObject* found = PyTuple_GetItem(module.dtypes, cucore_array_dtype_of(array));
  Py_XINCREF(found);
  return found;
}

template <auto QUERY>
PyObject* number(PyObject* self, void*) {
  const cucore_array* array = array_of(self);
  return array ? PyLong_FromLongLong(static_cast<long long>(QUERY(array))) : nullptr;
}

// Another thread may wait while it has the context locked.
template <auto QUERY>
PyObject* truth(PyObject* self, void*) {
  const Use array(self);
  if (!array) return nullptr;
  const cucore_array* const handle = array.get();
  Unlocked unlocked;
  const int32_t found = QUERY(handle);
  unlocked.lock();
  return PyBool_FromLong(found);
}

PyObject* transposed(PyObject* self, void*) {
  const Use array(self);
  cucore_array* made = nullptr;
  return array && call(cucore_array_permute, array.get(), static_cast<const int32_t*>(nullptr),
                       size_t{0}, &made)
             ? wrap(made)
             : nullptr;
}

Py_ssize_t length(PyObject* self) {
  const cucore_array* array = array_of(self);
  if (!array) return -1;
  if (cucore_array_ndim(array) > 0) return cucore_array_shape(array)[0];
  PyErr_SetString(PyExc_TypeError, "an array without axes has no len()");
  return -1;
}

PyObject* item_method(PyObject* self, PyObject*) { return item(self); }

PyObject* released(PyObject* self, void*) { return PyBool_FromLong(!self_of(self)->handle); }

PyObject* release(PyObject* self, PyObject*) {
  ArrayObject* const array = self_of(self);
  cucore_array* const handle = std::exchange(array->handle, nullptr);
  if (array->uses > 0 && handle)
    array->released = handle;
  else
    release_array(handle);
  Py_RETURN_NONE;
}

PyGetSetDef properties[] = {
    {"shape", shape, nullptr, "The size of each axis.", nullptr},
    {"strides", strides, nullptr, "The distance of neighbours on each axis, in bytes.", nullptr},
    {"dtype", dtype, nullptr, "The type of the elements.", nullptr},
    {"ndim", number<cucore_array_ndim>, nullptr, "The number of axes.", nullptr},
    {"size", number<cucore_array_size>, nullptr, "The number of elements.", nullptr},
    {"nbytes", number<cucore_array_bytes>, nullptr, "The bytes of all elements.", nullptr},
    {"is_pending", truth<cucore_array_is_pending>, nullptr,
     "Whether the elements are still to be computed.", nullptr},
    {"is_view", truth<cucore_array_is_view>, nullptr,
     "Whether the array shows elements of another one.", nullptr},
    {"is_contiguous", truth<cucore_array_is_contiguous>, nullptr,
     "Whether the elements are consecutive in C order.", nullptr},
    {"is_writable", truth<cucore_array_is_writable>, nullptr, "Whether elements can be written.",
     nullptr},
    {"T", transposed, nullptr, "A view with the axes in reversed order.", nullptr},
    {"_released", released, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {
    {"item", item_method, METH_NOARGS,
     "item($self, /)\n--\n\nReturns the one element as a Python number. Waits for it."},
    {"_release", release, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayObject, weak), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

// The scope that is open in this context of execution records the array.
bool record(PyObject* array) {
  PyObject* list = nullptr;
  if (PyContextVar_Get(module.scope, nullptr, &list) != 0) return false;
  const Object open(list);
  if (!list || !PyList_Check(list)) return true;
  const Object reference(PyWeakref_NewRef(array, nullptr));
  return reference && PyList_Append(list, reference.get()) == 0;
}

}  // namespace

void release_array(cucore_array* handle) {
  if (!handle) return;
  Unlocked unlocked;
  cucore_array_release(handle);
  unlocked.lock();
}

const cucore_array* refuse_array(PyObject* object) {
  if (is_array(object))
    raise(CUCORE_ERROR_INVALID_HANDLE,
          "the array was released at the end of its scope; keep it with scope.keep()");
  else
    PyErr_Format(PyExc_TypeError, "an Array is needed, not %s; convert it with asarray()",
                 Py_TYPE(object)->tp_name);
  return nullptr;
}

PyObject* wrap(cucore_array* handle) {
  auto* made = PyObject_New(ArrayObject, module.array_type);
  if (!made) {
    release_array(handle);
    return nullptr;
  }
  made->handle = handle;
  made->weak = nullptr;
  made->uses = 0;
  made->released = nullptr;
  auto* object = reinterpret_cast<PyObject*>(made);
  if (module.open_scopes > 0 && !record(object)) Py_CLEAR(object);
  return object;
}

PyTypeObject* make_array_type() {
  std::vector<PyType_Slot> slots = number_slots();
  slots.insert(
      slots.end(),
      {{Py_tp_dealloc, reinterpret_cast<void*>(drop)},
       {Py_tp_getset, properties},
       {Py_tp_methods, methods},
       {Py_tp_members, members},
       {Py_tp_hash, reinterpret_cast<void*>(PyObject_HashNotImplemented)},
       {Py_mp_length, reinterpret_cast<void*>(length)},
       {Py_mp_subscript, reinterpret_cast<void*>(select)},
       {Py_mp_ass_subscript, reinterpret_cast<void*>(assign)},
       {Py_tp_doc,
        const_cast<char*>(
            "An N-dimensional array, or a view of one; its elements may still be to be computed.")},
       {0, nullptr}});
  PyType_Spec spec = {"cucore.array.Array", sizeof(ArrayObject), 0, Py_TPFLAGS_DEFAULT,
                      slots.data()};
#if PY_VERSION_HEX >= 0x030a0000
  spec.flags |= Py_TPFLAGS_DISALLOW_INSTANTIATION;
#endif
  return reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
}

}  // namespace cucore::bind::arrays
