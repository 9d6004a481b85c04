// SPDX-License-Identifier: Apache-2.0
// Memory shared with other libraries: DLPack 1.0, and addresses.
#include "exchange.hpp"

#include "dlpack.hpp"
#include "parts.hpp"

namespace cucore::bind::arrays {
namespace {

// DLManagedTensorVersioned, as far as its deleter.
struct VersionedTensor {
  uint32_t major, minor;
  void* context;
  void (*deleter)(VersionedTensor* self);
};

constexpr const char* NAMES[] = {"dltensor", "dltensor_versioned"};
constexpr const char* USED[] = {"used_dltensor", "used_dltensor_versioned"};

// Nobody took the tensor over.
template <class Tensor, int VERSIONED>
void drop(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, NAMES[VERSIONED])) return;
  auto* tensor = static_cast<Tensor*>(PyCapsule_GetPointer(capsule, NAMES[VERSIONED]));
  Unlocked unlocked;  // the last owner of the memory calls the driver
  if (tensor->deleter) tensor->deleter(tensor);
  unlocked.lock();
}

}  // namespace

PyObject* to_dlpack(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  In array;
  CoreOf<cucore_stream, Type::Stream> consumer;
  Number<int32_t> versioned;
  Toggle copy;
  void* made = nullptr;
  if (!array.take(arguments[0]) || !consumer.take(arguments[1]) || !versioned.take(arguments[2]) ||
      !copy.take(arguments[3]) ||
      !call(cucore_array_to_dlpack, array.array.get(), consumer.handle, versioned.value, copy.value,
            &made))
    return nullptr;
  return versioned.value ? PyCapsule_New(made, NAMES[1], drop<VersionedTensor, 1>)
                         : PyCapsule_New(made, NAMES[0], drop<DLManagedTensor, 0>);
}

PyObject* from_dlpack(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  ContextOf context;
  Toggle copy;
  if (!context.take(arguments[0]) || !copy.take(arguments[2])) return nullptr;
  PyObject* capsule = arguments[1];
  const int versioned = PyCapsule_IsValid(capsule, NAMES[1]);
  if (!versioned && !PyCapsule_IsValid(capsule, NAMES[0]))
    return PyErr_Format(
        PyExc_TypeError,
        "__dlpack__() returned a %s; expected a capsule with a tensor that nobody has taken over",
        Py_TYPE(capsule)->tp_name);
  cucore_array* made = nullptr;
  if (!call(cucore_array_from_dlpack, context.handle,
            PyCapsule_GetPointer(capsule, NAMES[versioned]), versioned, copy.value, &made))
    return nullptr;
  PyCapsule_SetName(capsule, USED[versioned]);
  return wrap(made);
}

PyObject* address(PyObject*, PyObject* object) {
  const Use array(object);
  cucore_buffer* buffer = nullptr;
  size_t offset = 0;
  if (!array || !call(cucore_array_buffer, array.get(), &buffer, &offset)) return nullptr;
  PyObject* found = PyLong_FromVoidPtr(static_cast<char*>(cucore_buffer_native(buffer)) + offset);
  cucore_buffer_release(buffer);  // the array keeps it
  return found;
}

}  // namespace cucore::bind::arrays
