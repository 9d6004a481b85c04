// SPDX-License-Identifier: Apache-2.0
// Conversions that need more than a call of Python's API.
#include "convert.hpp"

#include <bit>
#include <cstring>

#include "errors.hpp"

namespace cucore::bind {
namespace {

PyObject* enum_classes[static_cast<int>(EnumClass::COUNT)];
PyObject* enum_members[static_cast<int>(EnumClass::COUNT)];  // of each class: number -> member

// Returns the UTF-8 of a str, which the object keeps.
const char* utf8(PyObject* value) {
  if (!PyUnicode_Check(value)) {
    PyErr_Format(PyExc_TypeError, "a str is needed, not %s", Py_TYPE(value)->tp_name);
    return nullptr;
  }
  Py_ssize_t size = 0;
  const char* words = PyUnicode_AsUTF8AndSize(value, &size);
  if (words && std::strlen(words) != static_cast<size_t>(size)) {
    PyErr_SetString(PyExc_ValueError, "embedded null character");
    return nullptr;
  }
  return words;
}

// Returns the int of a value, also of a NumPy integer.
Object index_of(PyObject* value, const char* what) {
  Object number(PyNumber_Index(value));
  if (!number && PyErr_ExceptionMatches(PyExc_TypeError))
    PyErr_Format(PyExc_TypeError, "%s: an int is needed, not %s", what, Py_TYPE(value)->tp_name);
  return number;
}

}  // namespace

bool Text::open(PyObject* value) {
  if (value == Py_None) return true;
  words_ = utf8(value);
  return words_ != nullptr;
}

bool Path::open(PyObject* value) {
  if (value == Py_None) return true;
  PyObject* encoded = nullptr;
  if (!PyUnicode_FSConverter(value, &encoded)) return false;
  encoded_ = Object(encoded);
  return true;
}

bool Texts::open(PyObject* value) {
  if (value == Py_None) return true;
  if (PyUnicode_Check(value) || PyBytes_Check(value)) {
    PyErr_SetString(PyExc_TypeError, "a sequence of str is needed, not one text");
    return false;
  }
  // A copy, because another thread may change a list while the interpreter's lock is not held.
  kept_ = Object(PySequence_Tuple(value));
  if (!kept_) return false;
  const Py_ssize_t count = PyTuple_GET_SIZE(kept_.get());
  for (Py_ssize_t i = 0; i < count; ++i) {
    const char* words = utf8(PyTuple_GET_ITEM(kept_.get(), i));
    if (!words) return false;
    if (!guarded([&] { return pointers_.push_back(words), true; })) return false;
  }
  return true;
}

bool View::open(PyObject* exporter, int flags) {
  if (PyUnicode_Check(exporter)) {
    PyErr_SetString(PyExc_TypeError, "bytes are needed, not str; encode it first");
    return false;
  }
  return PyObject_GetBuffer(exporter, &view_, flags) == 0;
}

void register_enums(PyObject* classes) {
  for (int i = 0; i < static_cast<int>(EnumClass::COUNT); ++i) {
    PyObject* each = PyTuple_GET_ITEM(classes, i);
    Py_INCREF(each);
    Py_XSETREF(enum_classes[i], each);
    Py_XSETREF(enum_members[i], PyObject_GetAttrString(each, "_value2member_map_"));
  }
}

bool to_number(PyObject* value, const char* what, int& out) {
  if (PyBool_Check(value) || !PyLong_Check(value)) {
    PyErr_Format(PyExc_TypeError, "a %s is needed, not %s", what, Py_TYPE(value)->tp_name);
    return false;
  }
  const long number = PyLong_AsLong(value);
  if (number == -1 && PyErr_Occurred()) return false;
  if (number != static_cast<int>(number)) {
    PyErr_Format(PyExc_OverflowError, "%ld is not a %s", number, what);
    return false;
  }
  out = static_cast<int>(number);
  return true;
}

bool to_signed(PyObject* value, const char* what, int64_t least, int64_t most, int64_t& out) {
  const Object number = index_of(value, what);
  if (!number) return false;
  int overflow = 0;
  const long long wide = PyLong_AsLongLongAndOverflow(number.get(), &overflow);
  if (wide == -1 && PyErr_Occurred()) return false;
  if (overflow || wide < least || wide > most) {
    PyErr_Format(PyExc_OverflowError, "%s: %S is not between %lld and %lld", what, number.get(),
                 static_cast<long long>(least), static_cast<long long>(most));
    return false;
  }
  out = wide;
  return true;
}

bool to_unsigned(PyObject* value, const char* what, uint64_t most, uint64_t& out) {
  const Object number = index_of(value, what);
  if (!number) return false;
  out = PyLong_AsUnsignedLongLong(number.get());
  if (!PyErr_Occurred() && out <= most) return true;
  PyErr_Format(PyExc_OverflowError, "%s: %S is not between 0 and 2**%d - 1", what, number.get(),
               std::bit_width(most));
  return false;
}

PyObject* from_enum(EnumClass which, int value) {
  Object number(PyLong_FromLong(value));
  if (!enum_classes[static_cast<int>(which)] || !number) return number.release();
  PyObject* member = PyDict_GetItemWithError(enum_members[static_cast<int>(which)], number.get());
  if (member) {
    Py_INCREF(member);
    return member;
  }
  if (PyErr_Occurred()) return nullptr;
  return PyObject_CallFunctionObjArgs(enum_classes[static_cast<int>(which)], number.get(), nullptr);
}

bool to_toggle(PyObject* value, cucore_toggle& out) {
  int number = 0;
  if (value == Py_None)
    out = CUCORE_TOGGLE_DEFAULT;
  else if (PyBool_Check(value))
    out = value == Py_True ? CUCORE_TOGGLE_ON : CUCORE_TOGGLE_OFF;
  else if (to_number(value, "bool, None or Toggle", number))
    out = static_cast<cucore_toggle>(number);
  else
    return false;
  return true;
}

}  // namespace cucore::bind
