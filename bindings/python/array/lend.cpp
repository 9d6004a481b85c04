// SPDX-License-Identifier: Apache-2.0
#include "lend.hpp"

#include <memory>

#include "call.hpp"
#include "handles.hpp"
#include "object.hpp"
#include "unlocked.hpp"

namespace cucore::bind::arrays {
namespace {

constexpr const char* NAME = "cucore.array.loan";

// The memory of an array during a launch. Its end records the use, and orders what the context of
// the array does afterwards behind the kernel.
struct Loan {
  cucore_buffer* memory = nullptr;
  cucore_stream* own = nullptr;
  cucore_stream* other = nullptr;  // of the launch, if it is another one; else null

  Loan() = default;
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  // The driver blocks while the other stream is full, and a host function in it may need the GIL.
  ~Loan() {
    Unlocked unlocked;
    if (other) finish();
    cucore_stream_release(other);
    cucore_stream_release(own);
    cucore_buffer_release(memory);
    unlocked.lock();
  }

 private:
  // A capture would take the stream of the context in. Its graph runs later, in an order that the
  // caller decides.
  void finish() const {
    if (cucore_stream_is_capturing(other)) return;
    cucore_error* error = nullptr;
    if (cucore_buffer_record_use(memory, other, &error) != CUCORE_OK) cucore_error_release(error);
    error = nullptr;
    if (cucore_stream_wait_stream(own, other, &error) != CUCORE_OK) cucore_error_release(error);
  }
};

void end(PyObject* capsule) { delete static_cast<Loan*>(PyCapsule_GetPointer(capsule, NAME)); }

bool open_stream(const cucore_array* array, Loan& loan) {
  cucore_array_context* context = nullptr;
  if (!call(cucore_array_context_of, array, &context)) return false;
  const bool good = call(cucore_array_context_stream,
                         static_cast<const cucore_array_context*>(context), &loan.own);
  cucore_array_context_release(context);
  return good;
}

bool ordinal_of(const cucore_stream* stream, int32_t& out) {
  cucore_device* device = nullptr;
  if (!call(cucore_stream_device, stream, &device)) return false;
  out = cucore_device_ordinal(device);
  cucore_device_release(device);
  return true;
}

bool is_one_device(const Loan& loan, const cucore_stream* stream) {
  int32_t ours = 0, wanted = 0;
  if (!ordinal_of(loan.own, ours) || !ordinal_of(stream, wanted)) return false;
  if (ours == wanted) return true;
  raise(CUCORE_ERROR_INVALID_ARGUMENT,
        "an Array of the launch is on device %d; expected one on device %d, the device of the "
        "stream; copy it with .to_device(%d)",
        int{ours}, int{wanted}, int{wanted});
  return false;
}

// The stream of the launch waits for what computes the array.
bool order(Loan& loan, const cucore_stream* stream) {
  if (cucore_stream_native(loan.own) == cucore_stream_native(stream)) return true;
  if (!is_one_device(loan, stream) ||
      !call(cucore_stream_wait_stream, stream, static_cast<const cucore_stream*>(loan.own)))
    return false;
  loan.other = cucore_stream_retain(stream);
  return true;
}

}  // namespace

PyObject* lend(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Use used(arguments[0]);
  cucore_array* const array = used.get();
  const auto* stream =
      array ? static_cast<const cucore_stream*>(handle_of(arguments[1], Type::Stream)) : nullptr;
  if (!stream) return nullptr;
  if (!cucore_array_is_contiguous(array)) {
    PyErr_SetString(PyExc_BufferError, "the array is not contiguous; pass a copy, as by .copy()");
    return nullptr;
  }
  auto loan = std::make_unique<Loan>();
  size_t offset = 0;
  if (!open_stream(array, *loan) || !call(cucore_array_buffer, array, &loan->memory, &offset) ||
      !order(*loan, stream))
    return nullptr;
  const uint64_t address = cucore_buffer_address(loan->memory) + offset;
  const Object keeper(PyCapsule_New(loan.get(), NAME, end));
  if (!keeper) return nullptr;
  loan.release();  // belongs to the capsule
  return Py_BuildValue("KO", static_cast<unsigned long long>(address), keeper.get());
}

}  // namespace cucore::bind::arrays
