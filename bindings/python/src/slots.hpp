// SPDX-License-Identifier: Apache-2.0
// The members of a class with __slots__, by their places in its objects. A look-up by name takes
// several times as long.
#pragma once

#include <Python.h>
#include <structmember.h>

#include <array>
#include <cstddef>

namespace cucore::bind {

template <size_t COUNT>
class Slots {
 public:
  // The names are interned strings, which live as long as this.
  explicit Slots(const std::array<PyObject*, COUNT>& names) : names_(names) {}

  // Returns whether the members are slots of the type. Remembers the last type that has them.
  bool are_in(PyTypeObject* type) {
    if (type == type_) [[likely]]
      return true;
    for (size_t i = 0; i < COUNT; ++i) {
      PyObject* const found = _PyType_Lookup(type, names_[i]);
      if (!found || Py_TYPE(found) != &PyMemberDescr_Type) return false;
      const PyMemberDef* const member = reinterpret_cast<PyMemberDescrObject*>(found)->d_member;
      if (member->type != T_OBJECT_EX) return false;
      offsets_[i] = member->offset;
    }
    Py_INCREF(type);
    Py_XDECREF(type_);
    type_ = type;
    return true;
  }

  // A member of an object of the type; null if it has none yet.
  PyObject*& in(PyObject* object, size_t index) const {
    return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + offsets_[index]);
  }
  // Returns whether the object has all members.
  bool are_set(PyObject* object) const {
    for (size_t i = 0; i < COUNT; ++i)
      if (!in(object, i)) return false;
    return true;
  }

 private:
  const std::array<PyObject*, COUNT> names_;
  std::array<Py_ssize_t, COUNT> offsets_{};
  PyTypeObject* type_ = nullptr;
};

}  // namespace cucore::bind
