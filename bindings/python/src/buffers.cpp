// SPDX-License-Identifier: Apache-2.0
// Exports memory of objects. Each view keeps a separate reference to the native object, so that
// closing the Python object under a live view is safe.
#include "buffers.hpp"

#include <cucore.h>

#include <algorithm>

#include "dlpack.hpp"
#include "errors.hpp"
#include "handles.hpp"
#include "object.hpp"

namespace cucore::bind {
namespace {

constexpr const char* UNUSED = "dltensor";
constexpr const char* USED = "used_dltensor";

int refuse(Py_buffer* view, const char* why) {
  PyErr_SetString(PyExc_BufferError, why);
  view->obj = nullptr;
  return -1;
}

struct Exported {
  DLManagedTensor managed;
  int64_t shape[1];
  cucore_buffer* buffer;
};

// May run on any thread, with or without the interpreter's lock.
void free_exported(DLManagedTensor* managed) {
  auto* exported = static_cast<Exported*>(managed->context);
  cucore_buffer_release(exported->buffer);
  delete exported;
}

void free_capsule(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, UNUSED)) return;
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, UNUSED));
  if (managed->deleter) managed->deleter(managed);
}

void free_keeper(PyObject* capsule) {
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, USED));
  if (managed && managed->deleter) managed->deleter(managed);
}

bool is_dense(const DLTensor& tensor) {
  if (!tensor.strides) return true;
  // The strides of an array without elements have no meaning.
  if (std::find(tensor.shape, tensor.shape + tensor.ndim, 0) != tensor.shape + tensor.ndim)
    return true;
  int64_t expected = 1;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != expected) return false;
    expected *= tensor.shape[i];
  }
  return true;
}

uint64_t bytes_of(const DLTensor& tensor) {
  uint64_t elements = 1;
  for (int i = 0; i < tensor.ndim; ++i) elements *= static_cast<uint64_t>(tensor.shape[i]);
  return (elements * tensor.dtype.bits * tensor.dtype.lanes + 7) / 8;
}

}  // namespace

int objectcode_get_buffer(PyObject* self, Py_buffer* view, int flags) {
  auto* code = pointer_of<cucore_objectcode>(self);
  size_t size = 0;
  const void* data = cucore_objectcode_data(code, &size);
  if (!data) return refuse(view, "the ObjectCode is closed");
  if (PyBuffer_FillInfo(view, self, const_cast<void*>(data), static_cast<Py_ssize_t>(size), 1,
                        flags) != 0)
    return -1;
  view->internal = cucore_objectcode_retain(code);
  return 0;
}

void objectcode_release_buffer(PyObject*, Py_buffer* view) {
  cucore_objectcode_release(static_cast<cucore_objectcode*>(view->internal));
}

int buffer_get_buffer(PyObject* self, Py_buffer* view, int flags) {
  auto* buffer = pointer_of<cucore_buffer>(self);
  if (!buffer) return refuse(view, "the Buffer is closed");
  void* data = cucore_buffer_host_pointer(buffer);
  const size_t size = cucore_buffer_size(buffer);
  if (!data && size != 0)
    return refuse(view, "the Buffer is device memory: use read() and write()");
  if (PyBuffer_FillInfo(view, self, data, static_cast<Py_ssize_t>(size), 0, flags) != 0) return -1;
  view->internal = cucore_buffer_retain(buffer);
  return 0;
}

void buffer_release_buffer(PyObject*, Py_buffer* view) {
  cucore_buffer_release(static_cast<cucore_buffer*>(view->internal));
}

Py_ssize_t buffer_length(PyObject* self) {
  const auto* buffer = static_cast<cucore_buffer*>(handle_of(self, Type::Buffer));
  return buffer ? static_cast<Py_ssize_t>(cucore_buffer_size(buffer)) : -1;
}

PyObject* export_dlpack(PyObject*, PyObject* args) {
  PyObject* self = nullptr;
  int device_type = 0, device_id = 0;
  if (!PyArg_ParseTuple(args, "Oii", &self, &device_type, &device_id)) return nullptr;
  auto* buffer = static_cast<cucore_buffer*>(handle_of(self, Type::Buffer));
  if (!buffer) return nullptr;
  auto* exported = new Exported{};
  exported->buffer = cucore_buffer_retain(buffer);
  exported->shape[0] = static_cast<int64_t>(cucore_buffer_size(buffer));
  exported->managed.context = exported;
  exported->managed.deleter = free_exported;
  DLTensor& tensor = exported->managed.tensor;
  tensor.data = reinterpret_cast<void*>(cucore_buffer_address(buffer));
  tensor.device = {device_type, device_id};
  tensor.ndim = 1;
  tensor.dtype = {1, 8, 1};
  tensor.shape = exported->shape;
  PyObject* capsule = PyCapsule_New(&exported->managed, UNUSED, free_capsule);
  if (!capsule) free_exported(&exported->managed);
  return capsule;
}

PyObject* import_dlpack(PyObject*, PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, UNUSED)) {
    if (PyCapsule_IsValid(capsule, USED))
      PyErr_SetString(PyExc_BufferError, "its __dlpack__ gave a capsule that was consumed already");
    else
      PyErr_Format(PyExc_BufferError, "its __dlpack__ returned a %s, which is not a DLPack capsule",
                   Py_TYPE(capsule)->tp_name);
    return nullptr;
  }
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, UNUSED));
  const DLTensor& tensor = managed->tensor;
  if (!is_dense(tensor)) {
    PyErr_SetString(PyExc_BufferError, "the array is not contiguous");
    return nullptr;
  }
  PyObject* keeper = PyCapsule_New(managed, USED, free_keeper);
  if (!keeper) return nullptr;
  if (PyCapsule_SetName(capsule, USED) != 0 || PyCapsule_SetDestructor(capsule, nullptr) != 0) {
    Py_DECREF(keeper);
    return nullptr;
  }
  const auto address = reinterpret_cast<uint64_t>(tensor.data) + tensor.byte_offset;
  return Py_BuildValue("KKiiN", static_cast<unsigned long long>(address),
                       static_cast<unsigned long long>(bytes_of(tensor)), tensor.device.device_type,
                       tensor.device.device_id, keeper);
}

}  // namespace cucore::bind
