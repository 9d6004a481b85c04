// SPDX-License-Identifier: Apache-2.0
#include "array/text/npy.hpp"

#include <algorithm>
#include <cstring>

#include "array/capi/guard.hpp"
#include "support/concat.hpp"

using namespace cucore;
using namespace cucore::array;

namespace {

Dims reversed(Dims dims) {
  std::reverse(dims.begin(), dims.end());
  return dims;
}

Array array_of_file(Context& context, const NpyFile& file) {
  std::vector<std::byte> own;
  if (needs_conversion(file)) own = converted(file);
  const std::span<const std::byte> elements = own.empty() ? file.elements : std::span(own);
  if (!file.fortran_order) return context.from_host(file.dtype, file.shape, elements);
  Array array = context.from_host(file.dtype, reversed(file.shape), elements);
  array.view.shape = reversed(array.view.shape);
  array.view.strides = reversed(array.view.strides);
  return array;
}

}  // namespace

extern "C" {

cucore_status cucore_array_to_npy(const cucore_array* array, void* buffer, size_t capacity,
                                  size_t* size, cucore_error** error) {
  return guard(error, [&] {
    clear(size);
    require(size, "size");
    if (capacity != 0) require(buffer, "buffer");
    const ArrayObject& self = use(array, "array");
    const std::string header = npy_header(self.dtype(), self.view().shape);
    const size_t bytes = static_cast<size_t>(self.count()) * size_of(self.dtype());
    *size = header.size() + bytes;
    if (capacity == 0) return;
    if (capacity < *size)
      throw Error(Status::BUFFER_TOO_SMALL,
                  concat("the file needs ", *size, " bytes and the buffer has ", capacity));
    auto* const file = static_cast<std::byte*>(buffer);
    std::memcpy(file, header.data(), header.size());
    self.context().read(self.array(), {file + header.size(), bytes});
  });
}

cucore_status cucore_array_from_npy(cucore_array_context* context, const void* data, size_t size,
                                    cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    require(out, "out");
    const Ref<Context> owner = share(context, "context");
    const std::span<const std::byte> bytes(static_cast<const std::byte*>(require(data, "data")),
                                           size);
    const HeldArray held{*owner, array_of_file(*owner, read_npy(bytes))};
    Ref<ArrayObject> object;
    {
      const Context::Lock lock(*owner);
      object = make<ArrayObject>(owner, held.array);
    }
    *out = wrap(object);
  });
}

}  // extern "C"
