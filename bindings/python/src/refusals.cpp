// SPDX-License-Identifier: Apache-2.0
#include "refusals.hpp"

#include "errors.hpp"
#include "handles.hpp"
#include "object.hpp"

namespace cucore::bind {
namespace {

struct Words {
  const char* noun;
  const char* remedy;
};

// Indexed by cucore_parameter_class; classes of later versions count as UNKNOWN.
constexpr Words WORDS[] = {
    {"a value", "pass a value of that size, such as numpy.float32(x) or ctypes.c_int(x)"},
    {"an integer", "pass an int"},
    {"a floating-point number", "pass a float or an int"},
    {"a pointer", "pass a Buffer, an array on the device, an address as an int, or None"},
    {"a struct", "pass a ctypes.Structure, a NumPy record or bytes of that size"},
};

const Words& words_of(const Parameter& parameter) {
  const auto kind = static_cast<size_t>(parameter.kind);
  return WORDS[kind < sizeof WORDS / sizeof *WORDS ? kind : 0];
}

// "an integer of 4 bytes"
Object expected(const Parameter& parameter) {
  const char* noun = words_of(parameter).noun;
  if (parameter.size == Parameter::ANY_SIZE || parameter.kind == CUCORE_PARAMETER_CLASS_POINTER)
    return Object(PyUnicode_FromString(noun));
  return Object(
      PyUnicode_FromFormat("%s of %zu byte%s", noun, parameter.size, plural(parameter.size)));
}

bool shows_itself(PyObject* value) {
  return PyLong_Check(value) || PyFloat_Check(value) || PyComplex_Check(value) ||
         PyUnicode_Check(value);
}

// "2.5 (float)", "None", "a Buffer"
Object describe(PyObject* value) {
  if (value == Py_None) return Object(PyUnicode_FromString("None"));
  const char* type = Py_TYPE(value)->tp_name;
  if (shows_itself(value)) return Object(PyUnicode_FromFormat("%.200R (%s)", value, type));
  if (is(value, Type::Buffer)) return Object(PyUnicode_FromString("a Buffer"));
  return Object(PyUnicode_FromFormat("an object of type %s", type));
}

const char* greatest_float(size_t size) {
  return size == 2 ? "65504" : size == 4 ? "3.4028235e+38" : "1.7976931348623157e+308";
}

// "an integer of 4 bytes, from -2147483648 to 4294967295": PTX does not record the sign.
Object range_of(const Parameter& parameter, bool is_real) {
  const Object noun = expected(parameter);
  if (!noun) return {};
  if (is_real)
    return Object(
        PyUnicode_FromFormat("%U, at most %s", noun.get(), greatest_float(parameter.size)));
  if (parameter.kind == CUCORE_PARAMETER_CLASS_POINTER)
    return Object(PyUnicode_FromFormat("%U, from 0 to 2**64 - 1", noun.get()));
  const auto bits = static_cast<unsigned>(parameter.size * 8);
  if (bits == 0 || bits >= 64)
    return Object(PyUnicode_FromFormat("%U, from -2**63 to 2**64 - 1", noun.get()));
  return Object(PyUnicode_FromFormat("%U, from %lld to %lld", noun.get(), -(1LL << (bits - 1)),
                                     (1LL << bits) - 1));
}

// The current exception becomes the cause; takes the reference.
void set_cause(PyObject* cause) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (PyObject* before = PyException_GetCause(cause)) {
    Py_DECREF(cause);
    cause = before;
  }
  PyException_SetCause(value, cause);
  PyErr_Restore(type, value, traceback);
}

bool set(PyObject* type, const Place& place, const Object& given, const Object& wanted,
         const char* remedy) {
  if (given && wanted)
    PyErr_Format(type, "%s argument %zu of %zu: the argument is %U; expected %U; %s",
                 cucore_kernel_label(place.kernel), place.index + 1, place.count, given.get(),
                 wanted.get(), remedy);
  return false;
}

// Pinned and managed memory has one address on every device.
bool is_bound_to_device(const cucore_buffer* buffer) {
  return cucore_buffer_size(buffer) != 0 && !cucore_buffer_host_pointer(buffer);
}

}  // namespace

bool Place::refuse_type(PyObject* value) const {
  const bool is_host_array =
      parameter.kind == CUCORE_PARAMETER_CLASS_POINTER && PyObject_CheckBuffer(value);
  return set(PyExc_TypeError, *this, describe(value), expected(parameter),
             is_host_array ? "pass a Buffer; Buffer.from_host copies the object to the device"
                           : words_of(parameter).remedy);
}

bool Place::refuse_size(PyObject* value, size_t bytes) const {
  const Object what = describe(value);
  if (!what) return false;
  const Object given(PyUnicode_FromFormat("%U with %zu byte%s", what.get(), bytes, plural(bytes)));
  return set(PyExc_TypeError, *this, given, expected(parameter), words_of(parameter).remedy);
}

bool Place::refuse_range(PyObject* value) const {
  const bool is_real = parameter.kind == CUCORE_PARAMETER_CLASS_FLOAT || PyFloat_Check(value);
  const Object given(PyUnicode_FromFormat("%.200R", value));
  return set(PyExc_OverflowError, *this, given, range_of(parameter, is_real),
             "pass a number in this range");
}

bool Place::refuse_range(double value) const {
  const Object number(PyFloat_FromDouble(value));
  return number ? refuse_range(number.get()) : false;
}

bool Place::refuse_closed() const {
  raise(CUCORE_ERROR_INVALID_HANDLE,
        "%s argument %zu of %zu: the Buffer is closed; expected an open one; close it after the "
        "last launch that uses it",
        cucore_kernel_label(kernel), index + 1, count);
  return false;
}

bool Place::explain() const {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (type != PyExc_TypeError && type != PyExc_BufferError) {
    PyErr_Restore(type, value, traceback);
    return false;
  }
  PyErr_Format(type, "%s argument %zu of %zu: %S", cucore_kernel_label(kernel), index + 1, count,
               value);
  const Object old_type(type), old_traceback(traceback);
  set_cause(value);
  return false;
}

bool refuse_count(const cucore_kernel* kernel, size_t wanted, size_t given) {
  PyErr_Format(PyExc_TypeError, "%s takes %zu argument%s, %zu %s given",
               cucore_kernel_label(kernel), wanted, plural(wanted), given,
               given == 1 ? "was" : "were");
  return false;
}

namespace {

bool refuse_closed_buffer(const cucore_kernel* kernel, PyObject* const* values, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (!is(values[i], Type::Buffer) || pointer_of<cucore_buffer>(values[i])) continue;
    Place{kernel, i, count, {}}.refuse_closed();
    return true;
  }
  return false;
}

int ordinal_of(cucore_device* device) {
  const int ordinal = cucore_device_ordinal(device);
  cucore_device_release(device);
  return ordinal;
}

bool refuse_other_device(const cucore_kernel* kernel, const cucore_stream* stream,
                         PyObject* const* values, size_t count) {
  cucore_device* device = nullptr;
  if (cucore_stream_device(stream, &device, nullptr) != CUCORE_OK) return false;
  const int wanted = ordinal_of(device);
  for (size_t i = 0; i < count; ++i) {
    const auto* buffer =
        is(values[i], Type::Buffer) ? pointer_of<const cucore_buffer>(values[i]) : nullptr;
    if (!buffer || !is_bound_to_device(buffer) ||
        cucore_buffer_device(buffer, &device, nullptr) != CUCORE_OK)
      continue;
    const int found = ordinal_of(device);
    if (found == wanted) continue;
    raise(CUCORE_ERROR_INVALID_ARGUMENT,
          "%s argument %zu of %zu: the argument is a Buffer of device %d; expected one of device "
          "%d, the device of the stream; copy it with copy_from, or use Buffer.managed",
          cucore_kernel_label(kernel), i + 1, count, found, wanted);
    return true;
  }
  return false;
}

}  // namespace

bool refuse_buffer(cucore_status status, const cucore_kernel* kernel, const cucore_stream* stream,
                   PyObject* const* values, size_t count) {
  if (status == CUCORE_ERROR_INVALID_HANDLE) return refuse_closed_buffer(kernel, values, count);
  return status == CUCORE_ERROR_INVALID_ARGUMENT &&
         refuse_other_device(kernel, stream, values, count);
}

}  // namespace cucore::bind
