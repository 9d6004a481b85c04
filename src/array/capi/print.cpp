// SPDX-License-Identifier: Apache-2.0
#include "array/text/print.hpp"

#include <cstring>
#include <limits>

#include "array/capi/guard.hpp"
#include "support/concat.hpp"
#include "support/options.hpp"

using namespace cucore;
using namespace cucore::array;

namespace {

constexpr size_t FIRST_PRINT_OPTIONS = sizeof(cucore_array_print_options);
constexpr int32_t NO_DIGITS = -1;

template <class T>
void set_option(T* option, T given, T least, const char* field) {
  if (given == 0) return;
  if (given < least)
    throw Error(Status::INVALID_ARGUMENT, concat("cucore_array_print_options.", field, " is ",
                                                 given, "; expected at least ", least));
  *option = given;
}

PrintOptions options_of(const cucore_array_print_options& given) {
  PrintOptions options;
  set_option<int64_t>(&options.threshold, given.threshold, 1, "threshold");
  set_option<int32_t>(&options.precision, given.precision, NO_DIGITS, "precision");
  set_option<int32_t>(&options.edge_items, given.edge_items, 1, "edge_items");
  set_option<int32_t>(&options.line_width, given.line_width, 1, "line_width");
  if (options.precision == NO_DIGITS) options.precision = 0;
  options.suppress_small =
      require_flag(given.suppress_small, "cucore_array_print_options.suppress_small");
  return options;
}

// The indices of the elements that are shown of an axis of `size`: both ends.
Array edge_indices(Graph& graph, int64_t shown, int64_t size, size_t axis, size_t ndim) {
  Array places = positions(graph, {shown});
  if (shown < size) {
    const Input first[] = {{.array = &places}, {.number = Number::of(shown / 2)}};
    const Array is_first = apply_one(graph, "less", first);
    const Input moved[] = {{.array = &places}, {.number = Number::of(size - shown)}};
    const Array last = apply_one(graph, "add", moved);
    const Input choice[] = {{.array = &is_first}, {.array = &places}, {.array = &last}};
    places = apply_one(graph, "where", choice);
  }
  const int64_t stride = places.view.strides[0];
  places.view.shape = Dims(ndim, 1);
  places.view.strides = Dims(ndim, 0);
  places.view.shape[axis] = shown;
  places.view.strides[axis] = stride;
  return places;
}

Array edges_of(Graph& graph, const Array& array, const Dims& shown) {
  std::vector<Array> indices;
  for (size_t axis = 0; axis < shown.size(); ++axis)
    indices.push_back(edge_indices(graph, shown[axis], array.shape()[axis], axis, shown.size()));
  std::vector<Item> items;
  for (const Array& each : indices)
    items.push_back({.index = {.kind = IndexKind::ARRAY}, .array = &each});
  return selected(array, items);
}

std::string text_of(const ArrayObject& self, const PrintOptions& options) {
  const Dims& shape = self.view().shape;
  const Dims shown = shown_shape(shape, options);
  std::vector<std::byte> elements(static_cast<size_t>(count_of(shown)) * size_of(self.dtype()));
  Context& context = self.context();
  if (shown == shape) {
    context.read(self.array(), elements);
  } else {
    context.evaluate(std::span(&self.cell(), 1), Reason::READ);
    HeldArray edges{context};
    {
      const Context::Lock lock(context);
      edges.array = edges_of(lock.graph(), self.array(), shown);
    }
    context.read(edges.array, elements);
  }
  return printed(self.dtype(), shape, elements, options);
}

}  // namespace

extern "C" {

cucore_status cucore_array_print(const cucore_array* array,
                                 const cucore_array_print_options* options, char* buffer,
                                 size_t capacity, size_t* size, cucore_error** error) {
  return guard(error, [&] {
    clear(size);
    require(size, "size");
    if (capacity != 0) require(buffer, "buffer");
    const ArrayObject& self = use(array, "array");
    const auto all = read_options(options, FIRST_PRINT_OPTIONS, "cucore_array_print_options");
    const std::string text = text_of(self, options_of(all));
    *size = text.size() + 1;
    if (capacity == 0) return;
    if (capacity < *size)
      throw Error(Status::BUFFER_TOO_SMALL,
                  concat("the text needs ", *size, " bytes and the buffer has ", capacity));
    std::memcpy(buffer, text.c_str(), *size);
  });
}

}  // extern "C"
