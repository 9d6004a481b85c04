// SPDX-License-Identifier: Apache-2.0
// x[...], and writes to it.
#include <vector>

#include "array_type.hpp"
#include "call.hpp"
#include "operands.hpp"

namespace cucore::bind::arrays {
namespace {

// The items, and the arrays that they use.
class Items {
 public:
  bool take(PyObject* key) {
    if (!PyTuple_Check(key)) return take_one(key);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(key); ++i)
      if (!take_one(PyTuple_GET_ITEM(key, i))) return false;
    return true;
  }
  const cucore_array_index* data() const { return items_.data(); }
  size_t size() const { return items_.size(); }

 private:
  static bool bound(PyObject* value, int bit, cucore_array_index& item, int64_t& out) {
    if (value == Py_None) return true;
    const Object number(PyNumber_Index(value));
    // A bound beyond 64 bits is the end of the axis, as in Python.
    int overflow = 0;
    out = number ? PyLong_AsLongLongAndOverflow(number.get(), &overflow) : -1;
    if (overflow) out = overflow > 0 ? INT64_MAX : INT64_MIN;
    item.given |= 1u << bit;
    return !PyErr_Occurred();
  }

  static bool slice(PyObject* object, cucore_array_index& item) {
    const auto* parts = reinterpret_cast<PySliceObject*>(object);
    item.kind = CUCORE_ARRAY_INDEX_SLICE;
    if (!bound(parts->start, 0, item, item.start) || !bound(parts->stop, 1, item, item.stop) ||
        !bound(parts->step, 2, item, item.step))
      return false;
    if (!(item.given & 4) || item.step != 0) return true;
    PyErr_SetString(PyExc_ValueError, "the step of a slice is 0");
    return false;
  }

  bool integer(PyObject* object, cucore_array_index& item) {
    item.kind = CUCORE_ARRAY_INDEX_INTEGER;
    const Object number(PyNumber_Index(object));
    item.start = number ? PyLong_AsLongLong(number.get()) : -1;
    if (!PyErr_Occurred()) return true;
    if (PyErr_ExceptionMatches(PyExc_OverflowError))
      PyErr_SetString(PyExc_IndexError, "the index has more than 64 bits");
    return false;
  }

  // A list, a bool, a number of NumPy or an array of another library.
  bool foreign(PyObject* object, cucore_array_index& item) {
    const Object found(PyObject_CallMethod(reinterpret_cast<PyObject*>(module.array_type), "_index",
                                           "(O)", object));
    if (found && PyLong_Check(found.get())) return integer(found.get(), item);
    PyObject *made = nullptr, *bounds = nullptr;
    if (!found || !PyArg_ParseTuple(found.get(), "OO", &made, &bounds)) return false;
    if (!array(made, item)) return false;
    if (bounds != Py_None) {
      item.given = 8;
      long long least = 0, greatest = 0;
      if (!PyArg_ParseTuple(bounds, "LL", &least, &greatest)) return false;
      item.start = least;
      item.stop = greatest;
    }
    return true;
  }

  bool array(PyObject* object, cucore_array_index& item) {
    item.kind = CUCORE_ARRAY_INDEX_ARRAY;
    item.array = uses_.emplace_back(object).get();
    return item.array != nullptr;
  }

  bool take_one(PyObject* object) {
    cucore_array_index& item = items_.emplace_back();
    if (PySlice_Check(object)) return slice(object, item);
    if (is_array(object)) return array(object, item);
    if (object == Py_None || object == Py_Ellipsis) {
      item.kind = object == Py_None ? CUCORE_ARRAY_INDEX_NEWAXIS : CUCORE_ARRAY_INDEX_ELLIPSIS;
      return true;
    }
    if (PyIndex_Check(object) && !PyBool_Check(object) && !PyObject_CheckBuffer(object))
      return integer(object, item);
    return foreign(object, item);
  }

  std::vector<cucore_array_index> items_;
  std::vector<Use> uses_;
};

}  // namespace

PyObject* select(PyObject* self, PyObject* key) {
  const Use array(self);
  Items items;
  cucore_array* made = nullptr;
  if (!array || !items.take(key) ||
      !call(cucore_array_select, array.get(), items.data(), items.size(), &made))
    return nullptr;
  return wrap(made);
}

int assign(PyObject* self, PyObject* key, PyObject* value) {
  const Use array(self);
  Items items;
  Operand operand;
  if (!value) PyErr_SetString(PyExc_TypeError, "elements of an array cannot be deleted");
  if (!array || !value || !items.take(key)) return -1;
  const Conversion done = operand.take(value);
  if (done == Conversion::FOREIGN)
    PyErr_Format(PyExc_TypeError, "%s is neither a number nor an array", Py_TYPE(value)->tp_name);
  if (done != Conversion::DONE) return -1;
  if (call(cucore_array_assign_select, array.get(), items.data(), items.size(), int32_t{0},
           &operand.value))
    return 0;
  refuse_numbers(&value, 1);
  return -1;
}

}  // namespace cucore::bind::arrays
