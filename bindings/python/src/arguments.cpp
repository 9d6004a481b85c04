// SPDX-License-Identifier: Apache-2.0
// Converts each argument of a launch by its Python type and by the class and the size of the
// kernel's parameter. The common types come first and cost a comparison each; the others are found
// by their protocols.
#include "arguments.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "foreign.hpp"
#include "handles.hpp"
#include "numbers.hpp"
#include "numpy_scalars.hpp"
#include "refusals.hpp"

namespace cucore::bind {

// One argument during its conversion from a PyObject to bytes.
class ArgumentPacker {
 public:
  ArgumentPacker(Arguments& all, const Place& place) : all_(all), place_(place) {}

  bool pack(PyObject* value) {
    PyTypeObject* type = Py_TYPE(value);
    if (type == type_of(Type::Buffer)) return pack_buffer(value);
    if (type == &PyLong_Type) return pack_integer(value);
    if (type == &PyFloat_Type) return pack_float(value, PyFloat_AS_DOUBLE(value));
    if (type == &PyBool_Type) return pack_truth(value, value == Py_True);
    if (value == Py_None) return takes_address() ? put_as<uint64_t>(0) : refuse(value);
    return pack_other(value);
  }

 private:
  size_t size() const { return place_.parameter.size; }
  cucore_parameter_class kind() const { return place_.parameter.kind; }
  bool is(cucore_parameter_class kind) const { return place_.parameter.kind == kind; }
  bool is_any_size() const { return size() == Parameter::ANY_SIZE; }
  bool is_number() const {
    return is(CUCORE_PARAMETER_CLASS_INTEGER) || is(CUCORE_PARAMETER_CLASS_FLOAT);
  }
  bool is_half_struct() const { return is(CUCORE_PARAMETER_CLASS_AGGREGATE) && size() == 2; }
  bool takes_address() const {
    return is(CUCORE_PARAMETER_CLASS_POINTER) ||
           (!is_number() && !is(CUCORE_PARAMETER_CLASS_AGGREGATE) &&
            (size() == sizeof(uint64_t) || is_any_size()));
  }

  bool pack_buffer(PyObject* value) {
    const auto* buffer = pointer_of<const cucore_buffer>(value);
    if (!buffer) return place_.refuse_closed();
    if (!takes_address()) return refuse(value);
    // If another thread closes the Buffer before the library holds it, the launch is refused.
    all_.next() = {buffer, CUCORE_ARGUMENT_OBJECT};
    return true;
  }

  bool pack_integer(PyObject* value) {
    if (is(CUCORE_PARAMETER_CLASS_FLOAT)) return pack_integer_as_real(value);
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (number == -1 && !overflow && PyErr_Occurred()) return false;
    if (!overflow) return pack_whole(value, number);
    const unsigned long long large = PyLong_AsUnsignedLongLong(value);
    if (large != std::numeric_limits<unsigned long long>::max() || !PyErr_Occurred())
      return pack_large(value, large);
    PyErr_Clear();
    return is(CUCORE_PARAMETER_CLASS_AGGREGATE) ? refuse(value) : place_.refuse_range(value);
  }

  bool pack_integer_as_real(PyObject* value) {
    const double number = PyLong_AsDouble(value);
    if (number != -1 || !PyErr_Occurred()) return pack_real(value, number);
    PyErr_Clear();
    return place_.refuse_range(value);
  }

  bool pack_whole(PyObject* value, long long number) {
    if (is(CUCORE_PARAMETER_CLASS_AGGREGATE)) return refuse(value);
    switch (size()) {
      case 1:
        return is_within<int8_t>(number) ? put_as<uint8_t>(number) : place_.refuse_range(value);
      case 2:
        return is_within<int16_t>(number) ? put_as<uint16_t>(number) : place_.refuse_range(value);
      case 4:
        return is_within<int32_t>(number) ? put_as<uint32_t>(number) : place_.refuse_range(value);
      case 8:
      case Parameter::ANY_SIZE:
        if (number < 0 && is(CUCORE_PARAMETER_CLASS_POINTER)) return place_.refuse_range(value);
        return put_as<uint64_t>(number);
      default:
        return refuse(value);
    }
  }

  // A number above the signed ones.
  bool pack_large(PyObject* value, unsigned long long number) {
    if (is(CUCORE_PARAMETER_CLASS_AGGREGATE)) return refuse(value);
    if (size() != sizeof(uint64_t) && !is_any_size()) return place_.refuse_range(value);
    return put_as<uint64_t>(number);
  }

  bool pack_float(PyObject* value, double number) {
    switch (kind()) {
      case CUCORE_PARAMETER_CLASS_INTEGER: {
        if (!std::isfinite(number) || number != std::trunc(number)) return refuse(value);
        const Object whole(PyLong_FromDouble(number));
        return whole && pack_integer(whole.get());
      }
      case CUCORE_PARAMETER_CLASS_POINTER:
        return refuse(value);
      case CUCORE_PARAMETER_CLASS_AGGREGATE:  // __half is a struct
        return is_half_struct() ? pack_real(value, number) : refuse(value);
      default:
        return pack_real(value, number);
    }
  }

  bool pack_real(PyObject* value, double number) {
    switch (size()) {
      case 8:
      case Parameter::ANY_SIZE:
        return put_as<double>(number);
      case 4: {
        const auto single = static_cast<float>(number);
        if (std::isinf(single) && !std::isinf(number)) return place_.refuse_range(value);
        return put_as<float>(single);
      }
      case 2: {
        const uint16_t half = to_half(number);
        if (is_infinite_half(half) && !std::isinf(number)) return place_.refuse_range(value);
        return put_as<uint16_t>(half);
      }
      default:
        return refuse(value);
    }
  }

  bool pack_truth(PyObject* value, bool truth) {
    switch (kind()) {
      case CUCORE_PARAMETER_CLASS_FLOAT:
        return pack_real(value, truth);
      case CUCORE_PARAMETER_CLASS_POINTER:
      case CUCORE_PARAMETER_CLASS_AGGREGATE:
        return refuse(value);
      default:
        return is_any_size() ? put_as<uint8_t>(truth) : pack_whole(value, truth);
    }
  }

  bool pack_complex(PyObject* value, const Py_complex& number) {
    if (is_number() || is(CUCORE_PARAMETER_CLASS_POINTER)) return refuse(value);
    const double both[2] = {number.real, number.imag};
    const float single[2] = {static_cast<float>(number.real), static_cast<float>(number.imag)};
    switch (size()) {
      case 16:
      case Parameter::ANY_SIZE:
        return put(both, sizeof both);
      case 8:
        for (int i = 0; i < 2; ++i)
          if (std::isinf(single[i]) && !std::isinf(both[i])) return place_.refuse_range(both[i]);
        return put(single, sizeof single);
      default:
        return refuse(value);
    }
  }

  bool pack_other(PyObject* value) {
    if (const NumpyScalar* scalar = find_numpy_scalar(value)) return pack_read(value, *scalar);
    if (bind::is(value, Type::Buffer)) return pack_buffer(value);
    if (const NumpyScalar* scalar = learn_numpy_scalar(value)) return pack_read(value, *scalar);
    if (is_numpy_scalar(value)) return pack_numpy(value);
    if (PyFloat_Check(value)) return pack_float(value, PyFloat_AS_DOUBLE(value));
    if (PyLong_Check(value)) return pack_integer(value);
    if (PyComplex_Check(value)) return pack_complex(value, PyComplex_AsCComplex(value));
    if (is_ctypes(value)) return is_ctypes_scalar(value) ? pack_scalar(value) : pack_struct(value);
    if (PyBytes_Check(value) || PyByteArray_Check(value) || PyMemoryView_Check(value))
      return is(CUCORE_PARAMETER_CLASS_POINTER) ? refuse(value) : pack_bytes(value);
    return pack_foreign(value);
  }

  bool pack_read(PyObject* value, const NumpyScalar& scalar) {
    const bool is_single = scalar.size == (scalar.kind == 'c' ? 8 : 4);
    switch (scalar.kind) {
      case 'b':
        return pack_truth(value, read_number<uint8_t>(value) != 0);
      case 'i':
        return pack_number(value, read_signed(value, scalar.size));
      case 'u':
        return pack_number(value, read_unsigned(value, scalar.size));
      case 'f':
        if (scalar.size == sizeof(uint16_t)) return pack_half(value);
        return pack_float(value, is_single ? static_cast<double>(read_number<float>(value))
                                           : read_number<double>(value));
      default:
        return pack_complex(value,
                            is_single ? read_complex<float>(value) : read_complex<double>(value));
    }
  }

  template <class Number>
  bool pack_number(PyObject* value, Number number) {
    if (is(CUCORE_PARAMETER_CLASS_FLOAT)) return pack_real(value, static_cast<double>(number));
    return std::in_range<long long>(number) ? pack_whole(value, static_cast<long long>(number))
                                            : pack_large(value, static_cast<uint64_t>(number));
  }

  bool pack_half(PyObject* value) {
    const bool is_half = is(CUCORE_PARAMETER_CLASS_FLOAT) && size() == sizeof(uint16_t);
    if (is_half || is_half_struct()) return put(bytes_of(value), sizeof(uint16_t));
    const double number = PyFloat_AsDouble(value);
    return !(number == -1 && PyErr_Occurred()) && pack_float(value, number);
  }

  // Numbers of types that are not known by their layout, as of derived classes.
  bool pack_numpy(PyObject* value) {
    switch (numpy_kind(value)) {
      case 'b':
        return pack_truth(value, PyObject_IsTrue(value) == 1);
      case 'i':
      case 'u': {
        const Object number(PyNumber_Index(value));
        return number && pack_integer(number.get());
      }
      case 'f': {
        const double number = PyFloat_AsDouble(value);
        return !(number == -1 && PyErr_Occurred()) && pack_float(value, number);
      }
      case 'c': {
        const Py_complex number = PyComplex_AsCComplex(value);
        return !PyErr_Occurred() && pack_complex(value, number);
      }
      case 'm':
      case 'M':  // dates are integers
        return is(CUCORE_PARAMETER_CLASS_INTEGER) ? pack_bytes(value) : pack_struct(value);
      default:
        return !PyErr_Occurred() && pack_struct(value);
    }
  }

  // Converted by value, so that the parameter may have another size or class; by its bytes if the
  // class is not known.
  bool pack_scalar(PyObject* value) {
    if (is_number() && is_ctypes_pointer(value)) return refuse(value);
    const bool is_bare = !is_number() && !is(CUCORE_PARAMETER_CLASS_POINTER) && !is_swapped(value);
    if (is_bare && has_its_size(value)) return pack_bytes(value);
    if (PyErr_Occurred()) return false;
    const Object inner(PyObject_GetAttrString(value, "value"));
    if (!inner) return false;
    PyObject* const number = inner.get();
    if (number == Py_None || PyLong_Check(number) || PyFloat_Check(number)) return pack(number);
    if (is_number() && has_its_size(value)) return pack_bytes(value);  // a character
    return !PyErr_Occurred() && refuse(value);
  }

  bool has_its_size(PyObject* value) const {
    Py_buffer view;
    if (PyObject_GetBuffer(value, &view, PyBUF_SIMPLE) != 0) return false;
    const bool fits = is_any_size() || static_cast<size_t>(view.len) == size();
    PyBuffer_Release(&view);
    return fits;
  }

  // A value with a type of its own is not converted as a number.
  bool pack_struct(PyObject* value) {
    return is_number() || is(CUCORE_PARAMETER_CLASS_POINTER) ? refuse(value) : pack_bytes(value);
  }

  bool pack_bytes(PyObject* value) {
    Py_buffer view;
    if (PyObject_GetBuffer(value, &view, PyBUF_SIMPLE) != 0) return place_.explain();
    const auto bytes = static_cast<size_t>(view.len);
    const bool done = (is_any_size() || bytes == size()) && put(view.buf, bytes);
    PyBuffer_Release(&view);
    return done || place_.refuse_size(value, bytes);
  }

  bool pack_foreign(PyObject* value) {
    if (takes_address() && all_.stream_) {
      ForeignMemory memory;
      switch (find_foreign_memory(value, all_.stream_, memory)) {
        case Found::YES:
          if (memory.keeper) all_.kept_.push_back({place_.index, std::move(memory.keeper)});
          return put_as<uint64_t>(memory.address);
        case Found::ERROR:
          return place_.explain();
        case Found::NO:
          break;
      }
    }
    if (!PyIndex_Check(value)) return refuse(value);
    const Object number(PyNumber_Index(value));
    if (number) return pack_integer(number.get());
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return false;
    PyErr_Clear();  // a NumPy array has the slot for an index, but may not support it
    return refuse(value);
  }

  bool refuse(PyObject* value) const { return place_.refuse_type(value); }

  template <class Number, class Value>
  bool put_as(Value value) {
    const auto number = static_cast<Number>(value);
    return put(&number, sizeof number);
  }

  bool put(const void* bytes, size_t size) {
    unsigned char* to = all_.take(size);
    std::memcpy(to, bytes, size);
    all_.next() = {to, size};
    return true;
  }

  Arguments& all_;
  const Place& place_;
};

unsigned char* Arguments::take(size_t size) {
  const size_t begin = (used_ + 15) / 16 * 16;
  if (begin + size <= INLINE_BYTES) {
    used_ = begin + size;
    return storage_ + begin;
  }
  return large_.emplace_back(new unsigned char[size]).get();
}

PyObject* Arguments::keeper_of(size_t index) const {
  for (const Kept& kept : kept_)
    if (kept.index == index) return kept.keeper.get();
  return nullptr;
}

bool Arguments::pack(const cucore_kernel* kernel, const Parameters& parameters,
                     const cucore_stream* stream, PyObject* const* values, size_t count) {
  if (parameters.are_known && parameters.all.size() != count)
    return refuse_count(kernel, parameters.all.size(), count);
  stream_ = stream;
  if (count > FEW) many_.resize(count);
  Place place{kernel, 0, count, {}};
  for (size_t i = 0; i < count; ++i) {
    place.index = i;
    if (parameters.are_known) place.parameter = parameters.all[i];
    if (!ArgumentPacker(*this, place).pack(values[i])) return false;
  }
  count_ = count;
  return true;
}

bool Arguments::pack_one(const cucore_kernel* kernel, const Parameters& parameters,
                         const cucore_stream* stream, size_t index, size_t count, PyObject* value) {
  stream_ = stream;
  Place place{kernel, index, count, {}};
  if (parameters.are_known) place.parameter = parameters.all[index];
  if (!ArgumentPacker(*this, place).pack(value)) return false;
  count_ = 1;
  return true;
}

Object to_keep(PyObject* value, PyObject* keeper) {
  if (keeper) return Object(PyTuple_Pack(2, value, keeper));
  return Object::borrowed(is(value, Type::Buffer) ? Py_None : value);
}

Object list_of(PyObject* const* values, const Arguments& arguments) {
  Object list(PyList_New(static_cast<Py_ssize_t>(arguments.size())));
  for (size_t i = 0; list && i < arguments.size(); ++i) {
    Object kept = to_keep(values[i], arguments.keeper_of(i));
    if (!kept) return kept;
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), kept.release());
  }
  return list;
}

}  // namespace cucore::bind
