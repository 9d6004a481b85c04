// Converts each argument of a launch by its Python type and by the size of the kernel's parameter.
// The common types come first and cost a comparison each; the others are found by what they can do.
#include "arguments.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "foreign.hpp"
#include "handles.hpp"

namespace cucore::bind {

namespace {

constexpr size_t UNKNOWN = 0;  // neither the code nor the driver says how large a parameter is
constexpr size_t POINTER = 8;

}  // namespace

// One argument on its way from a PyObject to bytes.
class ArgumentPacker {
 public:
  ArgumentPacker(Arguments& all, const cucore_kernel* kernel, size_t index, size_t wanted,
                 size_t count)
      : all_(all), kernel_(kernel), index_(index), wanted_(wanted), count_(count) {}

  bool pack(PyObject* value) {
    PyTypeObject* type = Py_TYPE(value);
    if (type == type_of(Type::Buffer)) return pack_buffer(value);
    if (type == &PyLong_Type) return pack_integer(value);
    if (type == &PyFloat_Type) return pack_float(PyFloat_AS_DOUBLE(value));
    if (type == &PyBool_Type) return pack_truth(value == Py_True);
    if (value == Py_None) return pack_pointer(0);
    return pack_other(value);
  }

 private:
  bool pack_buffer(PyObject* value) {
    const auto* buffer = static_cast<cucore_buffer*>(handle_of(value, Type::Buffer));
    return buffer ? pack_pointer(cucore_buffer_address(buffer)) : explain();
  }

  bool pack_pointer(uint64_t address) {
    if (wanted_ != UNKNOWN && wanted_ != POINTER) return refuse_size("a pointer", POINTER);
    return put(&address, sizeof address);
  }

  bool pack_integer(PyObject* value) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (number == -1 && !overflow && PyErr_Occurred()) return false;
    if (overflow) return pack_large_integer(value);
    switch (wanted_) {
      case 1:
        return number >= -128 && number <= 255 ? put_as<uint8_t>(number) : refuse_range(value);
      case 2:
        return number >= -32768 && number <= 65535 ? put_as<uint16_t>(number) : refuse_range(value);
      case 4:
        return number >= std::numeric_limits<int32_t>::min() &&
                       number <= std::numeric_limits<uint32_t>::max()
                   ? put_as<uint32_t>(number)
                   : refuse_range(value);
      case 8:
      case UNKNOWN:
        return put_as<uint64_t>(number);
      default:
        return refuse_size("an int", 0);
    }
  }

  bool pack_large_integer(PyObject* value) {
    if (wanted_ != 8 && wanted_ != UNKNOWN) return refuse_range(value);
    const unsigned long long number = PyLong_AsUnsignedLongLong(value);
    if (number == std::numeric_limits<unsigned long long>::max() && PyErr_Occurred()) {
      PyErr_Clear();
      return refuse_range(value);
    }
    return put_as<uint64_t>(number);
  }

  bool pack_float(double number) {
    switch (wanted_) {
      case 8:
      case UNKNOWN:
        return put(&number, sizeof number);
      case 4: {
        const auto single = static_cast<float>(number);
        if (std::isinf(single) && !std::isinf(number)) return refuse_float(number);
        return put(&single, sizeof single);
      }
      case 2:
        return pack_half(number);
      default:
        return refuse_size("a float", 0);
    }
  }

  bool pack_half(double number) {
    const uint16_t half = to_half(number);
    if ((half & 0x7fff) == 0x7c00 && !std::isinf(number)) return refuse_float(number);
    return put(&half, sizeof half);
  }

  bool pack_truth(bool truth) {
    switch (wanted_) {
      case 1:
      case UNKNOWN:
        return put_as<uint8_t>(truth);
      case 2:
        return put_as<uint16_t>(truth);
      case 4:
        return put_as<uint32_t>(truth);
      case 8:
        return put_as<uint64_t>(truth);
      default:
        return refuse_size("a bool", 0);
    }
  }

  bool pack_complex(const Py_complex& number) {
    const double both[2] = {number.real, number.imag};
    const float single[2] = {static_cast<float>(number.real), static_cast<float>(number.imag)};
    switch (wanted_) {
      case 16:
      case UNKNOWN:
        return put(both, sizeof both);
      case 8:
        for (int i = 0; i < 2; ++i)
          if (std::isinf(single[i]) && !std::isinf(both[i])) return refuse_float(both[i]);
        return put(single, sizeof single);
      default:
        return refuse_size("a complex", 0);
    }
  }

  bool pack_other(PyObject* value) {
    if (is(value, Type::Buffer)) return pack_buffer(value);
    if (is_numpy_scalar(value)) return pack_numpy(value);
    if (PyFloat_Check(value)) return pack_float(PyFloat_AS_DOUBLE(value));
    if (PyLong_Check(value)) return pack_integer(value);
    if (PyComplex_Check(value)) return pack_complex(PyComplex_AsCComplex(value));
    if (is_ctypes(value)) return pack_ctypes(value);
    if (PyBytes_Check(value) || PyByteArray_Check(value) || PyMemoryView_Check(value))
      return pack_bytes(value);
    return pack_foreign(value);
  }

  bool pack_numpy(PyObject* value) {
    switch (numpy_kind(value)) {
      case 'b':
        return pack_truth(PyObject_IsTrue(value) == 1);
      case 'i':
      case 'u': {
        const Object number(PyNumber_Index(value));
        return number && pack_integer(number.get());
      }
      case 'f': {
        const double number = PyFloat_AsDouble(value);
        return !(number == -1 && PyErr_Occurred()) && pack_float(number);
      }
      case 'c': {
        const Py_complex number = PyComplex_AsCComplex(value);
        return !PyErr_Occurred() && pack_complex(number);
      }
      default:
        return !PyErr_Occurred() && pack_bytes(value);
    }
  }

  // A scalar of another size than the parameter, or of the other byte order, goes by its value,
  // everything else by its bytes.
  bool pack_ctypes(PyObject* value) {
    Py_buffer view;
    if (PyObject_GetBuffer(value, &view, PyBUF_SIMPLE) != 0) return false;
    const bool fits = (wanted_ == UNKNOWN || static_cast<size_t>(view.len) == wanted_) &&
                      !(is_ctypes_scalar(value) && is_swapped(value));
    const bool done = fits && put(view.buf, static_cast<size_t>(view.len));
    const auto size = static_cast<size_t>(view.len);
    PyBuffer_Release(&view);
    if (fits) return done;
    if (!is_ctypes_scalar(value)) return refuse_size(Py_TYPE(value)->tp_name, size);
    const Object inner(PyObject_GetAttrString(value, "value"));
    if (!inner) return false;
    const PyObject* number = inner.get();
    if (!PyLong_Check(number) && !PyFloat_Check(number))
      return refuse_size(Py_TYPE(value)->tp_name, size);
    return pack(inner.get());
  }

  bool pack_bytes(PyObject* value) {
    Py_buffer view;
    if (PyObject_GetBuffer(value, &view, PyBUF_SIMPLE) != 0) return false;
    const auto size = static_cast<size_t>(view.len);
    const bool fits = wanted_ == UNKNOWN || size == wanted_;
    const bool done = fits && put(view.buf, size);
    PyBuffer_Release(&view);
    return fits ? done : refuse_size(Py_TYPE(value)->tp_name, size);
  }

  bool pack_foreign(PyObject* value) {
    ForeignMemory memory;
    switch (find_foreign_memory(value, all_.stream_, memory)) {
      case Found::YES:
        if (memory.keeper) all_.kept_.push_back(std::move(memory.keeper));
        return pack_pointer(memory.address);
      case Found::ERROR:
        return explain();
      case Found::NO:
        break;
    }
    if (PyIndex_Check(value)) {
      const Object number(PyNumber_Index(value));
      return number && pack_integer(number.get());
    }
    PyErr_Format(PyExc_TypeError, "%s argument %zu of %zu: no kernel takes a %s", where(),
                 index_ + 1, count_, Py_TYPE(value)->tp_name);
    return false;
  }

  template <class Number, class Value>
  bool put_as(Value value) {
    const auto number = static_cast<Number>(value);
    return put(&number, sizeof number);
  }

  bool put(const void* bytes, size_t size) {
    unsigned char* to = all_.take(size);
    std::memcpy(to, bytes, size);
    auto* arguments = all_.many_.empty() ? all_.few_ : all_.many_.data();
    arguments[index_] = {to, size};
    return true;
  }

  static uint16_t to_half(double number) {
    char bytes[2];
#if PY_VERSION_HEX >= 0x030b0000
    const int failed = PyFloat_Pack2(number, bytes, 1);
#else
    const int failed = _PyFloat_Pack2(number, reinterpret_cast<unsigned char*>(bytes), 1);
#endif
    if (failed) {  // too large
      PyErr_Clear();
      return 0x7c00;
    }
    uint16_t half = 0;
    std::memcpy(&half, bytes, sizeof half);
    return half;
  }

  const char* where() const { return cucore_kernel_name(kernel_); }

  bool refuse_size(const char* what, size_t size) {
    if (size != 0)
      PyErr_Format(PyExc_TypeError,
                   "%s argument %zu of %zu: the parameter has %zu bytes, %s has %zu", where(),
                   index_ + 1, count_, wanted_, what, size);
    else
      PyErr_Format(PyExc_TypeError,
                   "%s argument %zu of %zu: the parameter has %zu bytes, which %s cannot fill",
                   where(), index_ + 1, count_, wanted_, what);
    return false;
  }

  bool refuse_range(PyObject* value) {
    PyErr_Format(PyExc_OverflowError,
                 "%s argument %zu of %zu: %R does not fit the parameter's %zu bytes", where(),
                 index_ + 1, count_, value, wanted_);
    return false;
  }

  bool refuse_float(double number) {
    const Object value(PyFloat_FromDouble(number));
    return value ? refuse_range(value.get()) : false;
  }

  // Puts the argument's number before the message of an exception that is set already.
  bool explain() {
    PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    if (type != PyExc_TypeError && type != PyExc_BufferError) {
      PyErr_Restore(type, value, traceback);
      return false;
    }
    PyErr_Format(type, "%s argument %zu of %zu: %S", where(), index_ + 1, count_, value);
    const Object old_type(type), old_traceback(traceback);
    set_cause(value);
    return false;
  }

  // The exception that is set shows where it came from; takes the reference.
  static void set_cause(PyObject* cause) {
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

  Arguments& all_;
  const cucore_kernel* kernel_;
  size_t index_;
  size_t wanted_;
  size_t count_;
};

unsigned char* Arguments::take(size_t size) {
  const size_t begin = (used_ + 15) / 16 * 16;
  if (begin + size <= INLINE_BYTES) {
    used_ = begin + size;
    return storage_ + begin;
  }
  return large_.emplace_back(new unsigned char[size]).get();
}

bool Arguments::pack(const cucore_kernel* kernel, const cucore_stream* stream,
                     PyObject* const* values, size_t count) {
  const size_t wanted = cucore_kernel_parameter_count(kernel);
  if (wanted != count && wanted != std::numeric_limits<size_t>::max()) {
    PyErr_Format(PyExc_TypeError, "%s takes %zu arguments, %zu were given",
                 cucore_kernel_name(kernel), wanted, count);
    return false;
  }
  stream_ = stream;
  if (count > FEW) many_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    size_t offset = 0, size = UNKNOWN;
    if (cucore_kernel_parameter_at(kernel, i, nullptr, &offset, &size, nullptr) != CUCORE_OK)
      size = UNKNOWN;
    if (!ArgumentPacker(*this, kernel, i, size, count).pack(values[i])) return false;
  }
  count_ = count;
  return true;
}

}  // namespace cucore::bind
