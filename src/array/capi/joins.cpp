// SPDX-License-Identifier: Apache-2.0
#include "array/capi/selection.hpp"
#include "array/model/transforms.hpp"
#include "support/concat.hpp"

using namespace cucore;
using namespace cucore::array;

namespace {

// An operation on x and an array of indices.
template <class Body>
void with_indices(const cucore_array* x, const cucore_array* indices, cucore_array** out,
                  Body&& body) {
  const Operands operands({x});
  const Guest other(use(indices, "indices"), operands.context(), "indices");
  record(operands.context_ref(), out,
         [&](Graph&) { return body(*operands.inputs()[0].array, other.array()); });
}

using Join = Array (*)(std::span<const Array> arrays, int32_t axis);

void join(const cucore_array* const* arrays, size_t count, int32_t axis, cucore_array** out,
          Join function) {
  clear(out);
  Ref<Context> context;
  std::vector<Array> parts = arrays_of(arrays, count, &context);
  record(context, out, [&](Graph&) {
    const std::vector<Array> held = std::move(parts);  // ends under the lock
    return function(held, axis);
  });
}

}  // namespace

extern "C" {

cucore_status cucore_array_concat(const cucore_array* const* arrays, size_t count, int32_t axis,
                                  cucore_array** out, cucore_error** error) {
  return guard(error, [&] { join(arrays, count, axis, out, concatenated); });
}

cucore_status cucore_array_stack(const cucore_array* const* arrays, size_t count, int32_t axis,
                                 cucore_array** out, cucore_error** error) {
  return guard(error, [&] { join(arrays, count, axis, out, stacked); });
}

cucore_status cucore_array_unstack(const cucore_array* x, int32_t axis, cucore_array** out,
                                   size_t count, cucore_error** error) {
  return guard(error, [&] {
    for (size_t at = 0; out && at < count; ++at) out[at] = nullptr;
    const ArrayObject& self = use(x, "x");
    const size_t place = axis_of(axis, self.view().ndim(), "unstack");
    const auto size = static_cast<size_t>(self.view().shape[place]);
    if (count != size)
      throw Error(Status::INVALID_ARGUMENT,
                  concat("unstack: count is ", count, "; axis ", place, " has size ", size));
    if (size != 0) require(out, "out");
    std::vector<Ref<ArrayObject>> objects;
    {
      const Context::Lock lock(self.context());
      std::vector<Index> items(self.view().ndim(), {.kind = IndexKind::SLICE});
      for (size_t at = 0; at < size; ++at) {
        items[place] = {.kind = IndexKind::INTEGER, .integer = int64_t(at)};
        objects.push_back(make<ArrayObject>(
            self.context_ref(), Array{.cell = self.cell(), .view = select(self.view(), items)}));
      }
    }
    for (size_t at = 0; at < size; ++at) out[at] = wrap(objects[at]);
  });
}

cucore_status cucore_array_roll(const cucore_array* x, const int64_t* shifts, const int32_t* axes,
                                size_t count, cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    const ArrayObject& self = use(x, "x");
    const auto steps = require_array(shifts, count, "shifts");
    record(self.context_ref(), out, [&](Graph&) {
      return rolled(self.array(), steps, {axes, axes ? count : 0});
    });
  });
}

cucore_status cucore_array_tile(const cucore_array* x, const int64_t* repeats, size_t count,
                                cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    const ArrayObject& self = use(x, "x");
    const auto times = require_array(repeats, count, "repeats");
    if (count > Dims::MAX)
      throw Error(Status::SHAPE, concat("tile: ", count, " axes; expected at most ", Dims::MAX));
    record(self.context_ref(), out, [&](Graph&) { return tiled(self.array(), times); });
  });
}

cucore_status cucore_array_pad(const cucore_array* x, const int64_t* before_after, int32_t mode,
                               const cucore_array_scalar* value, cucore_array** out,
                               cucore_error** error) {
  return guard(error, [&] {
    const ArrayObject& self = use(x, "x");
    require_zero(mode, "mode");
    const auto widths = require_array(before_after, 2 * self.view().ndim(), "before_after");
    const Number number = number_of(*require(value, "value"));
    record(self.context_ref(), out, [&](Graph&) { return padded(self.array(), widths, number); });
  });
}

cucore_status cucore_array_take(const cucore_array* x, const cucore_array* indices, int32_t axis,
                                cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    with_indices(x, indices, out, [&](const Array& array, const Array& places) {
      return taken(array, places, axis);
    });
  });
}

cucore_status cucore_array_put_along(cucore_array* x, const cucore_array* indices,
                                     const cucore_array_operand* value, int32_t axis,
                                     cucore_error** error) {
  return guard(error, [&] {
    const ArrayObject& self = use(x, "x");
    const Operands source(require(value, "value"), 1, self.context_ref());
    const Guest places(use(indices, "indices"), self.context(), "indices");
    record_write(self.context(), self.cell(), [&](Graph&) {
      put_along(self.array(), places.array(), axis, source.inputs()[0]);
    });
  });
}

cucore_status cucore_array_nonzero(const cucore_array* x, cucore_array** out, size_t ndim,
                                   cucore_error** error) {
  return guard(error, [&] {
    for (size_t at = 0; out && at < ndim; ++at) out[at] = nullptr;
    const ArrayObject& self = use(x, "x");
    if (ndim != self.view().ndim() || ndim == 0)
      throw Error(Status::INVALID_ARGUMENT,
                  concat("nonzero: ndim is ", ndim, "; the array has ", self.view().ndim(),
                         " dimensions, and needs at least 1"));
    require(out, "out");
    std::deque<HeldArray> held;
    for (Array& index : nonzero(self.context(), self.array()))
      held.emplace_back(self.context(), std::move(index));
    std::vector<Ref<ArrayObject>> objects;
    for (const HeldArray& each : held) {
      const Context::Lock lock(self.context());
      objects.push_back(make<ArrayObject>(self.context_ref(), each.array));
    }
    for (const Ref<ArrayObject>& object : objects) self.context().after_recording(object->cell());
    for (size_t at = 0; at < ndim; ++at) out[at] = wrap(objects[at]);
  });
}

cucore_status cucore_array_compress(const cucore_array* x, const cucore_array* mask, int32_t axis,
                                    cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const ArrayObject& self = use(x, "x");
    const ArrayObject& chosen = use(mask, "mask");
    const Guest guest(chosen, self.context(), "mask");
    if (chosen.view().ndim() != 1)
      throw Error(Status::SHAPE, concat("compress: the mask has ", chosen.view().ndim(),
                                        " dimensions; expected 1"));
    HeldArray places{self.context()};
    places.array = std::move(nonzero(self.context(), guest.array())[0]);
    record(self.context_ref(), out,
           [&](Graph&) { return taken(self.array(), places.array, axis); });
  });
}

cucore_status cucore_array_take_along(const cucore_array* x, const cucore_array* indices,
                                      int32_t axis, cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    with_indices(x, indices, out, [&](const Array& array, const Array& places) {
      return taken_along(array, places, axis);
    });
  });
}

}  // extern "C"
