// SPDX-License-Identifier: Apache-2.0
#include "kernel_parameters.hpp"

#include <memory>

#include "errors.hpp"
#include "handles.hpp"
#include "held.hpp"
#include "object.hpp"
#include "unlocked.hpp"

namespace cucore::bind {
namespace {

// A launch may use the parameters of one device while another one adds those of the next.
struct Devices {
  std::vector<std::unique_ptr<Parameters>> all;
  // The stream of the last launch. A stream at the address of a destroyed one may belong to another
  // device. The library compares the sizes again, and refuses values that do not fit.
  const cucore_stream* stream = nullptr;
  const Parameters* parameters = nullptr;
};

constexpr const char* CAPSULE = nullptr;  // no name: nobody else sees it

class DeviceOf {
 public:
  explicit DeviceOf(const cucore_stream* stream) {
    cucore_stream_device(stream, &device_, nullptr);
  }
  DeviceOf(const DeviceOf&) = delete;
  DeviceOf& operator=(const DeviceOf&) = delete;
  ~DeviceOf() { cucore_device_release(device_); }
  const cucore_device* get() const { return device_; }
  int ordinal() const { return cucore_device_ordinal(device_); }

 private:
  cucore_device* device_ = nullptr;
};

void forget_capsule(PyObject* capsule) {
  delete static_cast<Devices*>(PyCapsule_GetPointer(capsule, CAPSULE));
}

// SWIG chains objects by `next`, which kernels do not use. The parameters are stored there, so that
// a launch finds them without a look-up. close() leaves them, and forget() drops the reference.
Devices* devices_of(PyObject* kernel) {
  auto* handle = reinterpret_cast<Handle*>(kernel);
  if (!handle->next) {
    auto devices = std::make_unique<Devices>();
    handle->next = PyCapsule_New(devices.get(), CAPSULE, forget_capsule);
    if (!handle->next) {
      PyErr_Clear();
      return nullptr;
    }
    devices.release();
  }
  return static_cast<Devices*>(PyCapsule_GetPointer(handle->next, CAPSULE));
}

const Parameters* find(const Devices& devices, int ordinal) {
  for (const auto& each : devices.all)
    if (each->device == ordinal) return each.get();
  return nullptr;
}

const Parameters& read_now(PyObject* object, const cucore_stream* stream) {
  static const Parameters none;
  const auto* kernel = pointer_of<const cucore_kernel>(object);
  auto made = std::make_unique<Parameters>();
  ParameterInfos infos;
  cucore_status status = CUCORE_OK;
  {
    const Held<const cucore_kernel> kept_kernel(kernel);
    const Held<const cucore_stream> kept_stream(stream);
    Unlocked call;
    const DeviceOf device(stream);
    made->device = device.ordinal();
    try {
      status = read_parameters(infos, nullptr, cucore_kernel_parameters, kernel, device.get());
    } catch (const std::bad_alloc&) {
      status = CUCORE_ERROR_OUT_OF_MEMORY;
    }
    call.lock();
  }
  made->are_known = status == CUCORE_OK;
  for (const auto& each : infos) made->all.push_back({each.size, each.parameter_class});
  // UNSUPPORTED stays so. For any other failure the launch has the message, and may be repeated.
  Devices* devices =
      status == CUCORE_OK || status == CUCORE_ERROR_UNSUPPORTED ? devices_of(object) : nullptr;
  if (!devices) return none;
  if (const Parameters* before = find(*devices, made->device)) return *before;  // of another thread
  return *devices->all.emplace_back(std::move(made));
}

}  // namespace

const Parameters& parameters_of(PyObject* kernel, const cucore_stream* stream) {
  PyObject* capsule = reinterpret_cast<Handle*>(kernel)->next;
  if (!capsule) return read_now(kernel, stream);
  auto& devices = *static_cast<Devices*>(PyCapsule_GetPointer(capsule, CAPSULE));
  if (devices.stream == stream) [[likely]]
    return *devices.parameters;
  const Parameters* found = find(devices, DeviceOf(stream).ordinal());
  if (!found) return read_now(kernel, stream);
  devices.stream = stream;
  devices.parameters = found;
  return *found;
}

PyObject* tuple_of(const ParameterInfos& infos) {
  Object all(PyTuple_New(static_cast<Py_ssize_t>(infos.size())));
  for (size_t i = 0; all && i < infos.size(); ++i) {
    PyObject* one = Py_BuildValue("nni", static_cast<Py_ssize_t>(infos[i].offset),
                                  static_cast<Py_ssize_t>(infos[i].size),
                                  static_cast<int>(infos[i].parameter_class));
    if (!one) return nullptr;
    PyTuple_SET_ITEM(all.get(), static_cast<Py_ssize_t>(i), one);
  }
  return all.release();
}

}  // namespace cucore::bind
