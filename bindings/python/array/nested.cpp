// SPDX-License-Identifier: Apache-2.0
// Nested lists of numbers as arrays.
#include <complex>
#include <cstring>
#include <vector>

#include "functions.hpp"
#include "parts.hpp"

namespace cucore::bind::arrays {
namespace {

constexpr size_t MAX_DIMENSIONS = 32;

bool is_list(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }

// Reads the numbers of lists, which must have equal lengths at each depth.
class Reader {
 public:
  // Returns FOREIGN if the lists contain other objects than numbers.
  Conversion read(PyObject* object, size_t depth = 0) {
    if (!is_list(object)) return leaf(object, depth);
    if (ndim_known_ && depth >= shape_.size()) return ragged(depth);
    const Py_ssize_t length = PySequence_Fast_GET_SIZE(object);
    if (!ndim_known_) {
      if (shape_.size() == MAX_DIMENSIONS) return ragged(depth);
      shape_.push_back(length);
      if (length == 0) ndim_known_ = true;
    }
    if (shape_[depth] != length) return ragged(depth);
    for (Py_ssize_t i = 0; i < length; ++i)
      if (const Conversion done = read(PySequence_Fast_GET_ITEM(object, i), depth + 1);
          done != Conversion::DONE)
        return done;
    return Conversion::DONE;
  }

  const std::vector<int64_t>& shape() const { return shape_; }
  // Of all numbers: NumPy's default types.
  cucore_array_dtype dtype() const {
    if (values_.empty() || kind_ == CUCORE_ARRAY_SCALAR_REAL) return CUCORE_ARRAY_DTYPE_FLOAT64;
    if (kind_ == CUCORE_ARRAY_SCALAR_COMPLEX) return CUCORE_ARRAY_DTYPE_COMPLEX128;
    if (kind_ == CUCORE_ARRAY_SCALAR_UINT)
      return has_signed_ ? CUCORE_ARRAY_DTYPE_FLOAT64 : CUCORE_ARRAY_DTYPE_UINT64;
    return kind_ == CUCORE_ARRAY_SCALAR_BOOL ? CUCORE_ARRAY_DTYPE_BOOL : CUCORE_ARRAY_DTYPE_INT64;
  }
  std::vector<char> bytes(cucore_array_dtype dtype) const {
    const size_t size = cucore_array_dtype_size(dtype);
    std::vector<char> all(values_.size() * size);
    for (size_t i = 0; i < values_.size(); ++i) put(values_[i], dtype, &all[i * size]);
    return all;
  }

 private:
  Conversion ragged(size_t depth) {
    PyErr_Format(
        PyExc_ValueError,
        "the lists have different lengths at depth %zu; expected equal ones, and at most 32 levels",
        depth);
    return Conversion::FAILED;
  }

  Conversion leaf(PyObject* object, size_t depth) {
    cucore_array_scalar value{};
    const Conversion done = to_scalar(object, value);
    if (done != Conversion::DONE) return done;
    if (ndim_known_ && depth != shape_.size()) return ragged(depth);
    ndim_known_ = true;
    if (value.kind > kind_) kind_ = value.kind;
    has_signed_ |= value.kind <= CUCORE_ARRAY_SCALAR_INT;
    values_.push_back(value);
    return Conversion::DONE;
  }

  static double real_of(const cucore_array_scalar& value) {
    if (value.kind >= CUCORE_ARRAY_SCALAR_REAL) return value.real;
    return value.kind == CUCORE_ARRAY_SCALAR_UINT
               ? static_cast<double>(static_cast<uint64_t>(value.integer))
               : static_cast<double>(value.integer);
  }

  static void put(const cucore_array_scalar& value, cucore_array_dtype dtype, char* to) {
    if (dtype == CUCORE_ARRAY_DTYPE_BOOL) {
      *to = value.integer != 0;
    } else if (dtype == CUCORE_ARRAY_DTYPE_INT64 || dtype == CUCORE_ARRAY_DTYPE_UINT64) {
      std::memcpy(to, &value.integer, sizeof value.integer);
    } else {
      const double parts[] = {real_of(value), value.imag};
      std::memcpy(to, parts, dtype == CUCORE_ARRAY_DTYPE_COMPLEX128 ? sizeof parts : sizeof *parts);
    }
  }

  std::vector<int64_t> shape_;
  std::vector<cucore_array_scalar> values_;
  int kind_ = CUCORE_ARRAY_SCALAR_BOOL;
  bool ndim_known_ = false, has_signed_ = false;
};

// The formats of the struct module whose size and kind are a dtype's.
int dtype_of(const char* format, Py_ssize_t size) {
  if (!format) format = "B";
  if (*format == '@' || *format == '=' || *format == '<') ++format;
  const bool is_complex = *format == 'Z';
  const char letter = is_complex ? format[1] : format[0];
  if (format[is_complex ? 2 : 1] != '\0') return 0;
  const int level = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : -1;
  if (is_complex)
    return size == 8    ? CUCORE_ARRAY_DTYPE_COMPLEX64
           : size == 16 ? CUCORE_ARRAY_DTYPE_COMPLEX128
                        : 0;
  if (letter == '?') return CUCORE_ARRAY_DTYPE_BOOL;
  if (level >= 0 && std::strchr("bhilqn", letter)) return CUCORE_ARRAY_DTYPE_INT8 + level;
  if (level >= 0 && std::strchr("BHILQNc", letter)) return CUCORE_ARRAY_DTYPE_UINT8 + level;
  return letter == 'e'   ? CUCORE_ARRAY_DTYPE_FLOAT16
         : letter == 'f' ? CUCORE_ARRAY_DTYPE_FLOAT32
         : letter == 'd' ? CUCORE_ARRAY_DTYPE_FLOAT64
                         : 0;
}

PyObject* copy_of(const ContextOf& context, cucore_array_dtype dtype, const void* data,
                  const int64_t* shape, size_t ndim, const int64_t* strides) {
  cucore_array* made = nullptr;
  return call(cucore_array_from_host, context.handle, dtype, data, shape, ndim, strides, &made)
             ? wrap(made)
             : nullptr;
}

}  // namespace

PyObject* nested(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  ContextOf context;
  Reader reader;
  const Conversion done =
      context.take(arguments[0]) ? reader.read(arguments[1]) : Conversion::FAILED;
  if (done == Conversion::FOREIGN) Py_RETURN_NONE;
  if (done == Conversion::FAILED) return nullptr;
  const std::vector<char> bytes = reader.bytes(reader.dtype());
  return copy_of(context, reader.dtype(), bytes.data(), reader.shape().data(),
                 reader.shape().size(), nullptr);
}

PyObject* from_buffer(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  ContextOf context;
  Memory<PyBUF_FULL_RO> memory;
  if (!context.take(arguments[0]) || !memory.take(arguments[1])) return nullptr;
  const Py_buffer& view = memory.view;
  const int dtype = dtype_of(view.format, view.itemsize);
  if (!dtype || view.suboffsets || (view.ndim && !view.shape)) Py_RETURN_NONE;
  const std::vector<int64_t> shape(view.shape, view.shape + view.ndim);
  std::vector<int64_t> strides;  // without them the elements are in C order
  if (view.strides) strides.assign(view.strides, view.strides + view.ndim);
  return copy_of(context, static_cast<cucore_array_dtype>(dtype), view.buf, shape.data(),
                 shape.size(), view.strides ? strides.data() : nullptr);
}

}  // namespace cucore::bind::arrays
