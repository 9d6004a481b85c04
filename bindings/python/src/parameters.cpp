// SPDX-License-Identifier: Apache-2.0
#include "parameters.hpp"

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
  // Of the last launch. A stream at the address of a destroyed one may be of another device: the
  // library compares the sizes again, and refuses what does not fit.
  const cucore_stream* stream = nullptr;
  const Parameters* parameters = nullptr;
};

constexpr const char* CAPSULE = nullptr;  // no name: nobody else sees it
constexpr size_t MOST_KERNELS_HAVE_LESS = 24;

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

// SWIG chains objects by `next`; kernels have no chain, so the parameters are kept there, where a
// launch finds them without a look-up. close() leaves them; forget() drops the reference.
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

using Infos = std::vector<cucore_parameter_info>;

// One call; two for a kernel of very many parameters.
template <class Function, class... Arguments>
cucore_status read(Infos& out, cucore_error** error, Function* function, Arguments... arguments) {
  out.assign(MOST_KERNELS_HAVE_LESS, CUCORE_PARAMETER_INFO_INIT);
  size_t count = 0;
  cucore_status status = function(arguments..., out.data(), out.size(), &count, nullptr);
  if (status != CUCORE_OK) {
    out.assign(count, CUCORE_PARAMETER_INFO_INIT);
    status = function(arguments..., out.data(), count, &count, error);
  }
  out.resize(status == CUCORE_OK ? count : 0);
  return status;
}

template <class Function, class... Arguments>
PyObject* tuple_of(Function* function, Arguments... arguments) {
  Infos infos;
  cucore_error* error = nullptr;
  cucore_status status = CUCORE_OK;
  {
    Unlocked call;
    status = read(infos, &error, function, arguments...);
    call.lock();
  }
  if (status != CUCORE_OK) {
    raise(Failure(status, error));
    return nullptr;
  }
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

const Parameters& read_now(PyObject* object, const cucore_stream* stream) {
  static const Parameters none;
  const auto* kernel = pointer_of<const cucore_kernel>(object);
  auto made = std::make_unique<Parameters>();
  Infos infos;
  cucore_status status = CUCORE_OK;
  {
    const Held<const cucore_kernel> kept_kernel(kernel);
    const Held<const cucore_stream> kept_stream(stream);
    Unlocked call;
    const DeviceOf device(stream);
    made->device = device.ordinal();
    status = read(infos, nullptr, cucore_kernel_parameters, kernel, device.get());
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

PyObject* kernel_parameters(PyObject*, PyObject* args) {
  PyObject *kernel_object = nullptr, *device_object = nullptr;
  if (!PyArg_ParseTuple(args, "OO", &kernel_object, &device_object)) return nullptr;
  const auto* kernel = static_cast<cucore_kernel*>(handle_of(kernel_object, Type::Kernel));
  if (!kernel) return nullptr;
  const cucore_device* device = nullptr;
  if (device_object != Py_None) {
    device = static_cast<cucore_device*>(handle_of(device_object, Type::Device));
    if (!device) return nullptr;
  }
  const Held<const cucore_kernel> kept_kernel(kernel);
  const Held<const cucore_device> kept_device(device);
  return tuple_of(cucore_kernel_parameters, kernel, device);
}

PyObject* symbol_parameters(PyObject*, PyObject* args) {
  PyObject* code_object = nullptr;
  Py_ssize_t symbol = 0;
  if (!PyArg_ParseTuple(args, "On", &code_object, &symbol)) return nullptr;
  const auto* code = static_cast<cucore_objectcode*>(handle_of(code_object, Type::ObjectCode));
  if (!code) return nullptr;
  const Held<const cucore_objectcode> kept(code);
  return tuple_of(cucore_objectcode_symbol_parameters, code, static_cast<size_t>(symbol));
}

}  // namespace cucore::bind
