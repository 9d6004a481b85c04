// SPDX-License-Identifier: Apache-2.0
// Memory that arrays share with buffers, other contexts and other libraries.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "array/capi/dlpack.hpp"
#include "array/capi/guard.hpp"
#include "array/model/transforms.hpp"
#include "support/concat.hpp"

using namespace cucore;
using namespace cucore::array;

namespace {

Dims elements_of_bytes(std::span<const int64_t> byte_strides, Dtype dtype) {
  const auto size = static_cast<int64_t>(size_of(dtype));
  Dims strides;
  for (const int64_t stride : byte_strides) {
    if (stride % size != 0)
      throw Error(
          Status::INVALID_ARGUMENT,
          concat("byte_strides: ", stride, " is not a multiple of the element's ", size, " bytes"));
    strides.push_back(stride / size);
  }
  return strides;
}

// The elements from the lowest one to the highest one that the view shows, from that at index 0.
// Callers choose the strides: throws INVALID_ARGUMENT if the distance in bytes exceeds int64.
Range reach_of(const View& view, int64_t size) {
  if (is_empty(view)) return {0, -1};
  Range range{0, 0};
  bool overflow = false;
  for (size_t axis = 0; axis < view.ndim(); ++axis) {
    int64_t reach = 0;
    overflow |= __builtin_mul_overflow(view.strides[axis], view.shape[axis] - 1, &reach);
    int64_t& end = reach < 0 ? range.first : range.last;
    overflow |= __builtin_add_overflow(end, reach, &end);
  }
  int64_t count = 0, bytes = 0;
  overflow |= __builtin_sub_overflow(range.last, range.first, &count);
  overflow |= __builtin_add_overflow(count, 1, &count);
  overflow |= __builtin_mul_overflow(count, size, &bytes);
  if (overflow)
    throw Error(Status::INVALID_ARGUMENT, "the strides of the array reach beyond 2^63 - 1 bytes");
  return range;
}

// An array over memory of others. `origin` is the byte of the element at index 0.
Array shared_array(Context& context, Dtype dtype, View view, NativeBuffer buffer, uint64_t origin,
                   std::shared_ptr<void> owner) {
  const auto size = static_cast<int64_t>(size_of(dtype));
  const Range range = reach_of(view, size);
  const uint64_t most = cucore_buffer_size(buffer.get());
  if (origin > most)
    throw Error(Status::INVALID_ARGUMENT,
                concat("the array begins at byte ", origin, " of a buffer of ", most));
  const int64_t count = range.last - range.first + 1;
  const int64_t first = static_cast<int64_t>(origin) + range.first * size;
  if (first < 0 || uint64_t(count * size) > most - uint64_t(first))
    throw Error(Status::INVALID_ARGUMENT,
                concat("the array reaches ", count * size, " bytes from byte ", first,
                       " of a buffer of ", most));
  if ((cucore_buffer_address(buffer.get()) + uint64_t(first)) % uint64_t(size) != 0)
    throw Error(Status::INVALID_ARGUMENT,
                concat("the address of the elements is not a multiple of their ", size, " bytes"));
  view.offset = -range.first;
  view.read_only = view.read_only || !is_injective(view);
  return context.shared(dtype, std::max<int64_t>(count, 0), std::move(view), std::move(buffer),
                        uint64_t(first), std::move(owner));
}

void make_shared_array(const Ref<Context>& context, cucore_array** out, Array array) {
  HeldArray held{*context, std::move(array)};
  record(context, out, [&](Graph&) { return held.array; });
}

// ---- DLPack

struct TypeRow {
  Dtype dtype;
  uint8_t code, bits;
};
constexpr std::array<TypeRow, 15> TYPES = {{{Dtype::BOOL, dlpack::BOOLEAN, 8},
                                            {Dtype::INT8, dlpack::INT, 8},
                                            {Dtype::INT16, dlpack::INT, 16},
                                            {Dtype::INT32, dlpack::INT, 32},
                                            {Dtype::INT64, dlpack::INT, 64},
                                            {Dtype::UINT8, dlpack::UINT, 8},
                                            {Dtype::UINT16, dlpack::UINT, 16},
                                            {Dtype::UINT32, dlpack::UINT, 32},
                                            {Dtype::UINT64, dlpack::UINT, 64},
                                            {Dtype::FLOAT16, dlpack::FLOAT, 16},
                                            {Dtype::BFLOAT16, dlpack::BFLOAT, 16},
                                            {Dtype::FLOAT32, dlpack::FLOAT, 32},
                                            {Dtype::FLOAT64, dlpack::FLOAT, 64},
                                            {Dtype::COMPLEX64, dlpack::COMPLEX, 64},
                                            {Dtype::COMPLEX128, dlpack::COMPLEX, 128}}};

Dtype dtype_of_tensor(const dlpack::DataType& type) {
  const auto row = std::find_if(TYPES.begin(), TYPES.end(), [&](const TypeRow& each) {
    return each.code == type.code && each.bits == type.bits && type.lanes == 1;
  });
  if (row == TYPES.end())
    throw Error(Status::DTYPE,
                concat("DLPack: a type of code ", int{type.code}, ", ", int{type.bits},
                       " bits and ", int{type.lanes}, " lanes is unknown"));
  return row->dtype;
}

dlpack::DataType tensor_type_of(Dtype dtype) {
  const auto row = std::find_if(TYPES.begin(), TYPES.end(),
                                [&](const TypeRow& each) { return each.dtype == dtype; });
  return {row->code, row->bits, 1};
}

dlpack::Device device_of_context(const Context& context) {
  const cucore_device* device = context.settings().device.get();
  if (cucore_device_is_emulated(device)) return {dlpack::CPU, 0};
  return {dlpack::CUDA, cucore_device_ordinal(device)};
}

// The tensor of either version, and its return to its owner.
class Import {
 public:
  Import(void* managed, bool versioned)
      : tensor_(versioned ? &static_cast<dlpack::ManagedVersioned*>(managed)->tensor
                          : &static_cast<dlpack::Managed*>(managed)->tensor),
        managed_(managed),
        versioned_(versioned) {
    if (!versioned) return;
    const auto& own = *static_cast<dlpack::ManagedVersioned*>(managed);
    if (own.major != dlpack::MAJOR)
      throw Error(Status::UNSUPPORTED, concat("DLPack: version ", own.major, ".", own.minor,
                                              "; expected ", dlpack::MAJOR, ".x"));
    read_only_ = (own.flags & dlpack::READ_ONLY) != 0;
  }

  const dlpack::Tensor& tensor() const { return *tensor_; }
  View view() const {
    if (tensor_->ndim < 0 || tensor_->ndim > int32_t(Dims::MAX))
      throw Error(Status::SHAPE,
                  concat("DLPack: ", tensor_->ndim, " axes; expected at most ", Dims::MAX));
    const std::span shape(tensor_->shape, size_t(tensor_->ndim));
    View view = dense(Dims(shape));
    if (tensor_->strides)
      view.strides = Dims(std::span<const int64_t>(tensor_->strides, shape.size()));
    view.read_only = read_only_;
    count_of(view.shape);
    return view;
  }
  std::function<void()> back() const {
    if (versioned_)
      return [self = static_cast<dlpack::ManagedVersioned*>(managed_)] {
        if (self->deleter) self->deleter(self);
      };
    return [self = static_cast<dlpack::Managed*>(managed_)] {
      if (self->deleter) self->deleter(self);
    };
  }

 private:
  const dlpack::Tensor* tensor_;
  void* managed_;
  bool versioned_;
  bool read_only_ = false;
};

bool is_on_host(const dlpack::Device& device) {
  return device.type == dlpack::CPU || device.type == dlpack::CUDA_HOST;
}

// The memory of the tensor; nothing if the context's device does not reach it. The CPU device
// reaches pinned and managed memory of the host.
std::optional<NativeBuffer> memory_of_tensor(const Context& context, const dlpack::Device& device,
                                             uint64_t first, int64_t size) {
  const dlpack::Device own = device_of_context(context);
  const bool same = own.type == dlpack::CPU ? is_on_host(device)
                                            : device.type == dlpack::CUDA_MANAGED ||
                                                  (device.type == own.type && device.id == own.id);
  if (!same) return {};
  auto buffer = created<NativeBuffer>("import a tensor", cucore_buffer_from_native,
                                      context.settings().device.get(), first, size_t(size));
  const bool known = own.type != dlpack::CPU || size == 0 ||
                     cucore_buffer_memory_kind(buffer.get()) != CUCORE_MEMORY_KIND_UNKNOWN;
  return known ? std::optional(std::move(buffer)) : std::nullopt;
}

Array copied_from_host(Context& context, const Import& import, Dtype dtype) {
  const View view = import.view();
  const auto* origin =
      static_cast<const std::byte*>(import.tensor().data) + import.tensor().byte_offset;
  std::vector<std::byte> bytes;
  const int64_t count = count_of(view.shape, size_of(dtype));
  bytes.reserve(static_cast<size_t>(count) * size_of(dtype));
  Dims index(view.ndim());
  for (int64_t left = count; left > 0; --left) {
    int64_t at = 0;
    for (size_t axis = 0; axis < view.ndim(); ++axis) at += index[axis] * view.strides[axis];
    const auto* element = origin + at * static_cast<int64_t>(size_of(dtype));
    bytes.insert(bytes.end(), element, element + size_of(dtype));
    for (size_t axis = view.ndim(); axis-- > 0;) {
      if (++index[axis] < view.shape[axis]) break;
      index[axis] = 0;
    }
  }
  return context.from_host(dtype, view.shape, bytes);
}

// The owner of memory that an array shares. A tensor that was not accepted stays with the caller.
struct Loan {
  std::shared_ptr<Returns> returns;
  Returns::Place place;
  bool is_accepted = false;

  Loan(std::shared_ptr<Returns> returns, std::function<void()> back)
      : returns(std::move(returns)), place(Returns::place(std::move(back))) {}
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  ~Loan() {
    if (is_accepted) returns->add(place);
  }
};

// Shares the memory, or copies host memory and leaves `loan` empty.
Array imported(Context& context, const Import& import, Dtype dtype, cucore_toggle copy,
               std::shared_ptr<Loan>* loan) {
  const dlpack::Tensor& tensor = import.tensor();
  const View view = import.view();
  const auto size = static_cast<int64_t>(size_of(dtype));
  const Range range = reach_of(view, size);
  const uint64_t address = reinterpret_cast<uint64_t>(tensor.data) + tensor.byte_offset;
  const uint64_t first = address + uint64_t(range.first * size);
  auto buffer =
      memory_of_tensor(context, tensor.device, first, (range.last - range.first + 1) * size);
  if (!buffer && !is_on_host(tensor.device))
    throw Error(Status::INVALID_ARGUMENT,
                concat("DLPack: the tensor is on device type ", tensor.device.type, " number ",
                       tensor.device.id, ", not on the context's; copy it there first"));
  if (!buffer && copy == CUCORE_TOGGLE_OFF)
    throw Error(Status::INVALID_STATE,
                "DLPack: a copy would be necessary, but copies are switched off");
  if (!buffer) return copied_from_host(context, import, dtype);
  *loan = std::make_shared<Loan>(context.returns(), import.back());
  return shared_array(context, dtype, view, std::move(*buffer), address - first, *loan);
}

// A copy that later changes of the tensor do not reach: its owner may write to it at once.
Array finished_copy(Context& context, const Array& array) {
  HeldArray copy{context};
  {
    const Context::Lock lock(context);
    copy.array = copied_in_order(array);
  }
  context.evaluate(std::span(&copy.array.cell, 1), Reason::CALL);
  call("copy a tensor", cucore_stream_synchronize, context.settings().stream.get());
  return std::move(copy.array);
}

// A tensor for others, which keeps the memory.
template <class Struct>
struct Export {
  Struct managed{};
  Dims shape, strides;
  Context::Shared memory;

  static void destroy(Struct* self) { delete static_cast<Export*>(self->context); }
};

template <class Struct>
Struct* exported(const Context& context, const View& view, Dtype dtype, Context::Shared memory) {
  auto result = std::make_unique<Export<Struct>>();
  result->shape = view.shape;
  result->strides = view.strides;
  const uint64_t address = cucore_buffer_address(memory.buffer.get());
  result->managed.tensor = {.data = reinterpret_cast<void*>(address),
                            .device = device_of_context(context),
                            .ndim = static_cast<int32_t>(view.ndim()),
                            .dtype = tensor_type_of(dtype),
                            .shape = result->shape.data(),
                            .strides = result->strides.data(),
                            .byte_offset = memory.offset};
  result->memory = std::move(memory);
  result->managed.context = result.get();
  result->managed.deleter = Export<Struct>::destroy;
  return &result.release()->managed;
}

void order_for(const Context& context, const cucore_stream* consumer) {
  if (consumer)
    call("order an export", cucore_stream_wait_stream, consumer, context.settings().stream.get());
  else if (device_of_context(context).type == dlpack::CPU)
    call("wait for an export", cucore_stream_synchronize, context.settings().stream.get());
}

}  // namespace

extern "C" {

cucore_status cucore_array_from_buffer(cucore_array_context* context, cucore_array_dtype dtype,
                                       cucore_buffer* buffer, size_t offset, const int64_t* shape,
                                       size_t ndim, const int64_t* byte_strides, cucore_array** out,
                                       cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    const Ref<Context> owner = share(context, "context");
    const Dtype type = dtype_of_caller(dtype, "dtype");
    View view = dense(shape_of(shape, ndim));
    if (byte_strides) view.strides = elements_of_bytes(std::span(byte_strides, ndim), type);
    NativeBuffer shared = NativeBuffer::share(require(buffer, "buffer"));
    make_shared_array(
        owner, out,
        shared_array(*owner, type, std::move(view), std::move(shared), offset, nullptr));
  });
}

cucore_status cucore_array_buffer(cucore_array* array, cucore_buffer** out, size_t* offset,
                                  cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    *require(offset, "offset") = 0;
    const ArrayObject& self = use(array, "array");
    const Context::Shared memory = self.context().pinned(self.array());
    *offset = memory.offset;
    *out = cucore_buffer_retain(memory.buffer.get());
  });
}

cucore_status cucore_array_read_into(const cucore_array* array, cucore_buffer* pinned,
                                     size_t offset, cucore_error** error) {
  return guard(error, [&] {
    const ArrayObject& self = use(array, "array");
    self.context().read_into(self.array(), require(pinned, "pinned"), offset);
  });
}

cucore_status cucore_array_to_context(const cucore_array* array, cucore_array_context* context,
                                      cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    const ArrayObject& self = use(array, "array");
    const Ref<Context> target = share(context, "context");
    HeldArray moved{*target, target->from_context(self.context(), self.array())};
    record(target, out, [&](Graph&) { return moved.array; });
  });
}

cucore_status cucore_array_from_dlpack(cucore_array_context* context, void* managed,
                                       int32_t versioned, cucore_toggle copy, cucore_array** out,
                                       cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    const Ref<Context> owner = share(context, "context");
    require(managed, "managed");
    const Import import(managed, require_flag(versioned, "versioned"));
    const bool copies = require_toggle(copy, false, "copy");
    const Dtype dtype = dtype_of_tensor(import.tensor().dtype);
    const std::function<void()> back = import.back();
    std::shared_ptr<Loan> loan;
    {
      HeldArray array{*owner, imported(*owner, import, dtype, copy, &loan)};
      HeldArray copy_of_shared{*owner};
      const bool is_copied = loan && copies;
      if (is_copied) copy_of_shared.array = finished_copy(*owner, array.array);
      record(owner, out, [&](Graph&) { return is_copied ? copy_of_shared.array : array.array; });
      if (loan && !copies) {
        loan->is_accepted = true;
        return;
      }
    }
    back();
  });
}

cucore_status cucore_array_to_dlpack(cucore_array* array, const cucore_stream* consumer,
                                     int32_t versioned, cucore_toggle copy, void** out,
                                     cucore_error** error) {
  return guard(error, [&] {
    *require(out, "out") = nullptr;
    const ArrayObject& self = use(array, "array");
    Context& context = self.context();
    const bool is_versioned = require_flag(versioned, "versioned");
    const bool copies = require_toggle(copy, false, "copy") || self.view().part != Part::WHOLE;
    if (copies && copy == CUCORE_TOGGLE_OFF)
      throw Error(Status::INVALID_STATE,
                  "DLPack: a part of complex elements is copied, but copies are switched off");
    if (!self.array().is_writable() && !copies && !is_versioned)
      throw Error(
          Status::INVALID_STATE,
          "DLPack: the array is read-only, which an unversioned tensor cannot express; copy it");
    HeldArray held{context};
    {
      const Context::Lock lock(context);
      held.array = copies ? copied_in_order(self.array()) : self.array();
    }
    Context::Shared memory = context.pinned(held.array);
    order_for(context, consumer);
    if (!is_versioned) {
      *out = exported<dlpack::Managed>(context, held.array.view, self.dtype(), std::move(memory));
      return;
    }
    auto* managed = exported<dlpack::ManagedVersioned>(context, held.array.view, self.dtype(),
                                                       std::move(memory));
    managed->major = dlpack::MAJOR;
    managed->minor = dlpack::MINOR;
    managed->flags =
        (held.array.is_writable() ? 0 : dlpack::READ_ONLY) | (copies ? dlpack::IS_COPIED : 0);
    *out = managed;
  });
}

}  // extern "C"
