// SPDX-License-Identifier: Apache-2.0
// Converts the arguments of Python to parameters of C functions: bound<f, Part...> is the function
// of Python for f. Each part takes at most one argument, and makes some parameters.
#pragma once

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "array_type.hpp"
#include "call.hpp"
#include "handles.hpp"
#include "operands.hpp"

namespace cucore::bind::arrays {

struct Takes {
  static constexpr int ARGUMENTS = 1;
  static constexpr int RESULTS = 0;
  static constexpr bool IS_ELEMENT = false;  // a number that must fit the type of the elements
};

struct In : Takes {
  Use array;
  bool take(PyObject* object) { return static_cast<bool>(array = Use(object)); }
  auto parameters() { return std::tuple(array.get()); }
};

// None is NULL.
struct InOrNull : Takes {
  Use array;
  bool take(PyObject* object) {
    return object == Py_None || static_cast<bool>(array = Use(object));
  }
  auto parameters() { return std::tuple(array.get()); }
};

template <class Parameter>
struct Number : Takes {
  Parameter value{};
  bool take(PyObject* object) {
    if constexpr (std::is_floating_point_v<Parameter>)
      value = PyFloat_AsDouble(object);
    else if constexpr (std::is_unsigned_v<Parameter>)
      value = static_cast<Parameter>(PyLong_AsUnsignedLongLong(object));
    else
      value = static_cast<Parameter>(PyLong_AsLongLong(object));
    return !PyErr_Occurred();
  }
  auto parameters() { return std::tuple(value); }
};

template <class Enumeration>
struct Chosen : Takes {
  Enumeration value{};
  bool take(PyObject* object) {
    value = static_cast<Enumeration>(PyLong_AsLong(object));
    return !PyErr_Occurred();
  }
  auto parameters() { return std::tuple(value); }
};

// None is the default.
struct DtypeOf : Takes {
  int number = 0;
  bool take(PyObject* object) { return object == Py_None || (number = dtype_number(object)) > 0; }
  auto parameters() { return std::tuple(static_cast<cucore_array_dtype>(number)); }
};

// A bool; None is the default.
struct Toggle : Takes {
  cucore_toggle value = CUCORE_TOGGLE_DEFAULT;
  bool take(PyObject* object) {
    if (object != Py_None) value = PyObject_IsTrue(object) ? CUCORE_TOGGLE_ON : CUCORE_TOGGLE_OFF;
    return !PyErr_Occurred();
  }
  auto parameters() { return std::tuple(value); }
};

// A sequence of integers as a pointer and a count; None is NULL.
template <class Element>
struct Integers : Takes {
  std::vector<Element> values;
  bool is_null = false;
  bool take(PyObject* object) {
    is_null = object == Py_None;
    if (is_null) return true;
    const Object all(PySequence_Fast(object, "a sequence of integers is needed"));
    for (Py_ssize_t i = 0; all && i < PySequence_Fast_GET_SIZE(all.get()); ++i) {
      const Object one(PyNumber_Index(PySequence_Fast_GET_ITEM(all.get(), i)));
      const long long number = one ? PyLong_AsLongLong(one.get()) : -1;
      values.push_back(static_cast<Element>(number));
      if (number != static_cast<Element>(number))
        PyErr_Format(PyExc_OverflowError, "%lld has too many bits", number);
      if (PyErr_Occurred()) return false;
    }
    return static_cast<bool>(all);
  }
  const Element* data() {
    static constexpr Element NONE{};  // an empty list is not NULL
    return is_null ? nullptr : values.empty() ? &NONE : values.data();
  }
  auto parameters() { return std::tuple(data(), values.size()); }
};

// The same without the count, which another parameter has.
template <class Element>
struct Pointer : Integers<Element> {
  auto parameters() { return std::tuple(this->data()); }
};

struct Arrays : Takes {
  std::vector<Use> uses;
  std::vector<cucore_array*> handles;
  bool take(PyObject* object) {
    const Object all(PySequence_Fast(object, "a sequence of arrays is needed"));
    for (Py_ssize_t i = 0; all && i < PySequence_Fast_GET_SIZE(all.get()); ++i) {
      uses.emplace_back(PySequence_Fast_GET_ITEM(all.get(), i));
      if (!uses.back()) return false;
      handles.push_back(uses.back().get());
    }
    return static_cast<bool>(all);
  }
  auto parameters() {
    return std::tuple(static_cast<cucore_array* const*>(handles.data()), handles.size());
  }
};

struct ScalarOf : Takes {
  static constexpr bool IS_ELEMENT = true;
  cucore_array_scalar value{};
  bool take(PyObject* object) {
    const Conversion done = to_scalar(object, value);
    if (done == Conversion::FOREIGN)
      PyErr_Format(PyExc_TypeError, "a number is needed, not %s", Py_TYPE(object)->tp_name);
    return done == Conversion::DONE;
  }
  auto parameters() { return std::tuple(static_cast<const cucore_array_scalar*>(&value)); }
};

struct ArrayOrNumber : Takes {
  static constexpr bool IS_ELEMENT = true;
  Operand operand;
  bool take(PyObject* object) {
    const Conversion done = operand.take(object);
    if (done == Conversion::FOREIGN)
      PyErr_Format(PyExc_TypeError, "%s is neither a number nor an array",
                   Py_TYPE(object)->tp_name);
    return done == Conversion::DONE;
  }
  auto parameters() { return std::tuple(static_cast<const cucore_array_operand*>(&operand.value)); }
};

struct ContextOf : Takes {
  cucore_array_context* handle = nullptr;
  bool take(PyObject* object) {
    if (PyObject_TypeCheck(object, module.context_type)) {
      handle = reinterpret_cast<ContextObject*>(object)->handle;
      return true;
    }
    PyErr_Format(PyExc_TypeError, "a Context is needed, not %s", Py_TYPE(object)->tp_name);
    return false;
  }
  auto parameters() { return std::tuple(handle); }
};

// Several of them, as a pointer and a count.
struct Operands : Takes {
  std::vector<Operand> taken;
  std::vector<cucore_array_operand> values;
  bool take(PyObject* object) {
    const Object all(PySequence_Fast(object, "a sequence of arrays and numbers is needed"));
    for (Py_ssize_t i = 0; all && i < PySequence_Fast_GET_SIZE(all.get()); ++i) {
      ArrayOrNumber one;
      if (!one.take(PySequence_Fast_GET_ITEM(all.get(), i))) return false;
      values.push_back(one.operand.value);
      taken.push_back(std::move(one.operand));
    }
    return static_cast<bool>(all);
  }
  auto parameters() {
    return std::tuple(static_cast<const cucore_array_operand*>(values.data()), values.size());
  }
};

// A generator of random numbers is a capsule.
constexpr const char* GENERATOR = "cucore_array_generator";

struct GeneratorOf : Takes {
  cucore_array_generator* handle = nullptr;
  bool take(PyObject* object) {
    return (handle = static_cast<cucore_array_generator*>(
                PyCapsule_GetPointer(object, GENERATOR))) != nullptr;
  }
  auto parameters() { return std::tuple(handle); }
};

struct State : Takes {
  std::array<uint64_t, 4> numbers{};
  bool take(PyObject* object) {
    const Object all(PySequence_Tuple(object));
    unsigned long long given[4];
    if (!all || !PyArg_ParseTuple(all.get(), "KKKK", &given[0], &given[1], &given[2], &given[3]))
      return false;
    std::copy(std::begin(given), std::end(given), numbers.begin());
    return true;
  }
  auto parameters() { return std::tuple(static_cast<const uint64_t*>(numbers.data())); }
};

// A handle of the core.
template <class Handle, Type TYPE>
struct CoreOf : Takes {
  Handle* handle = nullptr;
  bool take(PyObject* object) {
    return object == Py_None || (handle = static_cast<Handle*>(handle_of(object, TYPE))) != nullptr;
  }
  auto parameters() { return std::tuple(handle); }
};

// Contiguous memory as a pointer and a size.
template <int FLAGS>
struct Memory : Takes {
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    if (view.obj) PyBuffer_Release(&view);
  }
  Py_buffer view{};
  bool take(PyObject* object) { return PyObject_GetBuffer(object, &view, FLAGS) == 0; }
  auto parameters() { return std::tuple(view.buf, static_cast<size_t>(view.len)); }
};
using Readable = Memory<PyBUF_SIMPLE>;
using Writable = Memory<PyBUF_SIMPLE | PyBUF_WRITABLE>;

struct Makes {
  static constexpr int ARGUMENTS = 0;
  static constexpr int RESULTS = 1;
  static constexpr bool IS_ELEMENT = false;
  bool take(PyObject*) { return true; }
};

struct Out : Makes {
  cucore_array* made = nullptr;
  auto parameters() { return std::tuple(&made); }
  PyObject* result() { return wrap(made); }
};

struct OutGenerator : Makes {
  cucore_array_generator* made = nullptr;
  auto parameters() { return std::tuple(&made); }
  PyObject* result() {
    PyObject* capsule = PyCapsule_New(made, GENERATOR, [](PyObject* own) {
      auto* const handle =
          static_cast<cucore_array_generator*>(PyCapsule_GetPointer(own, GENERATOR));
      Unlocked unlocked;  // the last user of a context waits for its stream
      cucore_array_generator_release(handle);
      unlocked.lock();
    });
    if (!capsule) cucore_array_generator_release(made);
    return capsule;
  }
};

struct OutState : Makes {
  std::array<unsigned long long, 4> numbers{};
  auto parameters() { return std::tuple(reinterpret_cast<uint64_t*>(numbers.data())); }
  PyObject* result() {
    return Py_BuildValue("KKKK", numbers[0], numbers[1], numbers[2], numbers[3]);
  }
};

struct OutDtype : Makes {
  cucore_array_dtype made{};
  auto parameters() { return std::tuple(&made); }
  PyObject* result() { return PyLong_FromLong(made); }
};

// The argument is the number of arrays.
struct OutArrays : Makes {
  static constexpr int ARGUMENTS = 1;
  std::vector<cucore_array*> made;
  bool take(PyObject* object) {
    const Py_ssize_t count = PyLong_AsSsize_t(object);
    if (count >= 0) made.resize(static_cast<size_t>(count));
    return !PyErr_Occurred();
  }
  auto parameters() { return std::tuple(made.data(), made.size()); }
  PyObject* result() {
    Object all(PyList_New(0));
    for (cucore_array* handle : made) {
      const Object one(wrap(handle));
      if (all && (!one || PyList_Append(all.get(), one.get()) != 0)) all = Object();
    }
    return all.release();
  }
};

template <auto FUNCTION, class... Parts>
PyObject* bound(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  constexpr int WANTED = (0 + ... + Parts::ARGUMENTS);
  constexpr int RESULTS = (0 + ... + Parts::RESULTS);
  static_assert(RESULTS <= 1);
  if (count != WANTED)
    return PyErr_Format(PyExc_TypeError, "%d arguments are needed, not %zd", WANTED, count);
  std::tuple<Parts...> parts;
  const auto work = [&](auto&... part) -> PyObject* {
    PyObject* const* next = arguments;
    if (!(part.take(part.ARGUMENTS ? *next++ : nullptr) && ...)) return nullptr;
    const bool good = std::apply([](auto... parameters) { return call(FUNCTION, parameters...); },
                                 std::tuple_cat(part.parameters()...));
    if (!good) {
      if constexpr ((false || ... || Parts::IS_ELEMENT))
        refuse_numbers(arguments, static_cast<size_t>(count));
      return nullptr;
    }
    PyObject* result = nullptr;
    const auto collect = [&](auto& one) {
      if constexpr (std::remove_reference_t<decltype(one)>::RESULTS) result = one.result();
    };
    (collect(part), ...);
    if constexpr (RESULTS == 0) Py_RETURN_NONE;
    return result;
  };
  return std::apply(work, parts);
}

}  // namespace cucore::bind::arrays
