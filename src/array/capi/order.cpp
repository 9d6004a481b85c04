// SPDX-License-Identifier: Apache-2.0
// Sorted elements, and arrays whose shape depends on elements.
#include <array>
#include <optional>

#include "array/capi/selection.hpp"
#include "array/model/transforms.hpp"
#include "support/concat.hpp"

using namespace cucore;
using namespace cucore::array;

namespace {

constexpr uint32_t WANT_INDEX = 1, WANT_INVERSE = 2, WANT_COUNTS = 4, EQUAL_NAN = 8;

struct Outputs {
  cucore_array** found;
  cucore_array** index;
  cucore_array** inverse;
  cucore_array** counts;

  std::array<cucore_array**, 4> all() const { return {found, index, inverse, counts}; }
};

Array flat(const Array& array) { return reshaped_array(array, {count_of(array.view.shape)}); }

Array slice(const Array& array, std::optional<int64_t> start, std::optional<int64_t> stop) {
  const Index index[] = {{.kind = IndexKind::SLICE, .slice = {start, stop, {}}}};
  return {.cell = array.cell, .view = select(array.view, index)};
}

// Whether at least one of two elements is not NaN.
Array is_number(const Array& x, const Array& y) {
  const auto is_nan = [&](const Array& array) {
    const Input input[] = {{.array = &array}};
    return apply_one(array.graph(), "isnan", input);
  };
  const Array first = is_nan(x), second = is_nan(y);
  const Input both[] = {{.array = &first}, {.array = &second}};
  const Array nans = apply_one(x.graph(), "logical_and", both);
  const Input input[] = {{.array = &nans}};
  return apply_one(x.graph(), "logical_not", input);
}

// Whether a sorted element differs from the one before it. The first one does.
Array beginnings(const Array& sorted, bool equal_nan) {
  Graph& graph = sorted.graph();
  const int64_t size = sorted.view.shape[0];
  const Array result = empty(graph, Dtype::BOOL, {size});
  assign(slice(result, 0, 1), {.number = Number::of(int64_t{1})}, "unique", Casting::UNSAFE);
  const Array later = slice(sorted, 1, {}), earlier = slice(sorted, 0, size - 1);
  const Input pair[] = {{.array = &later}, {.array = &earlier}};
  Array differs = apply_one(graph, "not_equal", pair);
  if (equal_nan && is_inexact(kind_of(sorted.dtype()))) {
    const Array number = is_number(later, earlier);
    const Input both[] = {{.array = &differs}, {.array = &number}};
    differs = apply_one(graph, "logical_and", both);
  }
  assign(slice(result, 1, {}), {.array = &differs}, "unique");
  return result;
}

// The number of each element's group, at the place that the element had.
Array inverse_of(const Array& begins, const Array& places, const Dims& shape) {
  Graph& graph = begins.graph();
  const Array numbers = counted(begins);
  const Input steps[] = {{.array = &numbers}, {.number = Number::of(int64_t{1})}};
  const Array groups = apply_one(graph, "subtract", steps);
  const Array result = empty(graph, Dtype::INT64, {count_of(shape)});
  const Item item[] = {{.index = {.kind = IndexKind::ARRAY}, .array = &places}};
  assign_selected(result, item, true, {.array = &groups}, "unique");
  return reshaped_array(result, shape);
}

// The distances between the first places of groups, the last of which ends at `size`.
Array counts_of(const Array& first, int64_t size) {
  Graph& graph = first.graph();
  const Array end = full(graph, {.dtype = Dtype::INT64, .integer = size}, {1});
  const Array parts[] = {slice(first, 1, {}), end};
  const Array ends = concatenated(parts, 0);
  const Input pair[] = {{.array = &ends}, {.array = &first}};
  return apply_one(graph, "subtract", pair);
}

class Unique {
 public:
  Unique(Context& context, const Array& array, uint32_t want)
      : context_(context), size_(count_of(array.view.shape)) {
    const Context::Lock lock(context_);
    const Array elements = flat(array);
    const bool pairs = (want & (WANT_INDEX | WANT_INVERSE)) != 0;
    if (pairs) places_.array = argsorted(elements, 0, false);
    sorted_.array = pairs ? taken(elements, places_.array, 0) : sorted(elements, 0, false);
    if (size_ > 0) begins_.array = beginnings(sorted_.array, (want & EQUAL_NAN) != 0);
  }

  // Waits for the number of different elements.
  void find() {
    first_.array = size_ == 0 ? sorted_empty() : std::move(nonzero(context_, begins_.array)[0]);
  }

  // With the context locked.
  Array found() const { return taken(sorted_.array, first_.array, 0); }
  Array index() const { return taken(places_.array, first_.array, 0); }
  Array inverse(const Dims& shape) const {
    if (size_ == 0) return empty(first_.array.graph(), Dtype::INT64, shape);
    return inverse_of(begins_.array, places_.array, shape);
  }
  Array counts() const {
    return size_ == 0 ? copied(first_.array) : counts_of(first_.array, size_);
  }

 private:
  Array sorted_empty() {
    const Context::Lock lock(context_);
    return empty(lock.graph(), Dtype::INT64, {0});
  }

  Context& context_;
  const int64_t size_;
  HeldArray places_{context_}, sorted_{context_}, begins_{context_}, first_{context_};
};

void find_unique(const ArrayObject& self, uint32_t want, const Outputs& outputs) {
  Unique unique(self.context(), self.array(), want);
  unique.find();
  std::array<Ref<ArrayObject>, 4> objects;
  {
    const Context::Lock lock(self.context());
    const auto add = [&](size_t at, Array array) {
      objects[at] = make<ArrayObject>(self.context_ref(), std::move(array));
    };
    add(0, unique.found());
    if (want & WANT_INDEX) add(1, unique.index());
    if (want & WANT_INVERSE) add(2, unique.inverse(self.view().shape));
    if (want & WANT_COUNTS) add(3, unique.counts());
  }
  for (const Ref<ArrayObject>& object : objects)
    if (object) self.context().after_recording(object->cell());
  for (size_t at = 0; at < objects.size(); ++at)
    if (objects[at]) *outputs.all()[at] = wrap(objects[at]);
}

int64_t element(Context& context, const Array& array) {
  int64_t value = 0;
  context.read(array, std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

// For each element of the result, the element of the axis that it repeats. Waits for their number.
Array repeated_places(Context& context, const Array& repeats, int64_t size) {
  HeldArray ends{context}, least{context}, last{context};
  {
    const Context::Lock lock(context);
    if (size == 0) return empty(lock.graph(), Dtype::INT64, {0});
    Array counts = cast(repeats, Dtype::INT64);
    counts.view = broadcast(counts.view, {size}, "repeat");
    ends.array = scan(*find_op("cumulative_sum"), counts, {});
    least.array = reduce(*find_op("min"), counts, {});
    last.array = slice(ends.array, size - 1, size);
  }
  const int64_t lowest = element(context, least.array);
  if (lowest < 0)
    throw Error(Status::INVALID_ARGUMENT,
                concat("repeat: ", lowest, " repetitions; expected at least 0"));
  const int64_t total = element(context, last.array);
  const Context::Lock lock(context);
  return search_sorted(ends.array, positions(lock.graph(), {total}), true);
}

}  // namespace

extern "C" {

cucore_status cucore_array_sort(const cucore_array* x, int32_t axis, int32_t descending,
                                cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const ArrayObject& self = use(x, "x");
    const bool reversed = require_flag(descending, "descending");
    record(self.context_ref(), out, [&](Graph&) { return sorted(self.array(), axis, reversed); });
  });
}

cucore_status cucore_array_argsort(const cucore_array* x, int32_t axis, int32_t descending,
                                   cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const ArrayObject& self = use(x, "x");
    const bool reversed = require_flag(descending, "descending");
    record(self.context_ref(), out,
           [&](Graph&) { return argsorted(self.array(), axis, reversed); });
  });
}

cucore_status cucore_array_searchsorted(const cucore_array* sorted, const cucore_array* values,
                                        int32_t right, const cucore_array* sorter,
                                        cucore_array** out, cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const ArrayObject& self = use(sorted, "sorted");
    const ArrayObject& sought = use(values, "values");
    const ArrayObject* order = sorter ? &use(sorter, "sorter") : nullptr;
    const Guest places(sought, self.context(), "values");
    std::optional<Guest> sorting;
    if (order) sorting.emplace(*order, self.context(), "sorter");
    const bool after = require_flag(right, "right");
    record(self.context_ref(), out, [&](Graph&) {
      if (!sorting) return search_sorted(self.array(), places.array(), after);
      return search_sorted(taken(self.array(), sorting->array(), 0), places.array(), after);
    });
  });
}

cucore_status cucore_array_unique(const cucore_array* x, uint32_t want, cucore_array** found,
                                  cucore_array** index, cucore_array** inverse,
                                  cucore_array** counts, cucore_error** error) {
  return guard(error, [&] {
    const Outputs outputs{found, index, inverse, counts};
    for (cucore_array** each : outputs.all()) clear(each);
    const ArrayObject& self = use(x, "x");
    if (want > (WANT_INDEX | WANT_INVERSE | WANT_COUNTS | EQUAL_NAN))
      throw Error(Status::INVALID_ARGUMENT, concat("want is ", want, "; expected at most 15"));
    require(found, "found");
    if (want & WANT_INDEX) require(index, "index");
    if (want & WANT_INVERSE) require(inverse, "inverse");
    if (want & WANT_COUNTS) require(counts, "counts");
    find_unique(self, want, outputs);
  });
}

cucore_status cucore_array_repeat(const cucore_array* x, const cucore_array* repeats,
                                  int64_t repeat, int32_t axis, cucore_array** out,
                                  cucore_error** error) {
  return guard(error, [&] {
    clear(out);
    const ArrayObject& self = use(x, "x");
    const ArrayObject* counts = repeats ? &use(repeats, "repeats") : nullptr;
    std::optional<Guest> numbers;
    if (counts) {
      numbers.emplace(*counts, self.context(), "repeats");
      if (!is_integer(kind_of(counts->dtype())) && counts->dtype() != Dtype::BOOL)
        throw Error(Status::DTYPE, concat("repeat: the numbers are ", name_of(counts->dtype()),
                                          "; expected integers"));
    }
    HeldArray array{self.context()}, places{self.context()};
    {
      const Context::Lock lock(self.context());
      array.array = axis == INT32_MIN ? flat(self.array()) : self.array();
    }
    const View& view = array.array.view;
    const size_t place = axis_of(axis == INT32_MIN ? 0 : axis, view.ndim(), "repeat");
    if (counts) places.array = repeated_places(self.context(), numbers->array(), view.shape[place]);
    record(self.context_ref(), out, [&](Graph&) {
      const auto number = static_cast<int32_t>(place);
      return counts ? taken(array.array, places.array, number)
                    : repeated(array.array, repeat, number);
    });
  });
}

}  // extern "C"
