// SPDX-License-Identifier: Apache-2.0
// The model of arrays for tests in Python, which compare it with NumPy.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "array/model/composition.hpp"
#include "array/model/dtype.hpp"
#include "array/model/indexing.hpp"
#include "array/model/overlap.hpp"
#include "array/model/transforms.hpp"
#include "array/model/view.hpp"
#include "support/error.hpp"

using namespace cucore;
using namespace cucore::array;

namespace {

struct FlatView {  // test_model.py has the same structure
  int64_t offset;
  int32_t ndim;
  int32_t read_only;
  int64_t shape[Dims::MAX];
  int64_t strides[Dims::MAX];
};

struct FlatIndex {
  int32_t kind;
  int32_t given;  // bits: start, stop, step
  int64_t start, stop, step;
};

thread_local std::string failure;

View from_flat(const FlatView& flat) {
  const auto count = static_cast<size_t>(flat.ndim);
  return {.offset = flat.offset,
          .shape = Dims(std::span(flat.shape, count)),
          .strides = Dims(std::span(flat.strides, count)),
          .read_only = flat.read_only != 0};
}

void to_flat(const View& view, FlatView* out) {
  out->offset = view.offset;
  out->ndim = static_cast<int32_t>(view.ndim());
  out->read_only = view.read_only;
  std::copy(view.shape.begin(), view.shape.end(), out->shape);
  std::copy(view.strides.begin(), view.strides.end(), out->strides);
}

Index from_flat(const FlatIndex& flat) {
  Index index{.kind = IndexKind(flat.kind), .integer = flat.start};
  if (flat.given & 1) index.slice.start = flat.start;
  if (flat.given & 2) index.slice.stop = flat.stop;
  if (flat.given & 4) index.slice.step = flat.step;
  return index;
}

constexpr int32_t DONE = 0, REFUSED = 1;  // and the statuses

template <class F>
int32_t caught(F work) {
  try {
    return work();
  } catch (const Error& error) {
    failure = error.what();
    return static_cast<int32_t>(error.status());
  }
}

template <class F>
int32_t transformed(const FlatView* in, FlatView* out, F transform) {
  return caught([&] {
    to_flat(transform(from_flat(*in)), out);
    return DONE;
  });
}

template <class Result>
int32_t given(const Result& result, FlatView* out) {
  if (!result) return REFUSED;
  to_flat(*result, out);
  return DONE;
}

}  // namespace

extern "C" {

const char* model_failure() { return failure.c_str(); }

int32_t model_dense(const int64_t* shape, int32_t ndim, FlatView* out) {
  return caught([&] {
    const Dims all(std::span(shape, size_t(ndim)));
    count_of(all);
    to_flat(dense(all), out);
    return DONE;
  });
}

int32_t model_select(const FlatView* in, const FlatIndex* indices, int32_t count, FlatView* out) {
  return transformed(in, out, [&](const View& view) {
    std::vector<Index> all;
    for (int32_t at = 0; at < count; ++at) all.push_back(from_flat(indices[at]));
    return select(view, all);
  });
}

#define TRANSFORM(name)                                                                         \
  int32_t model_##name(const FlatView* in, const int32_t* axes, int32_t count, FlatView* out) { \
    return transformed(                                                                         \
        in, out, [&](const View& view) { return name(view, std::span(axes, size_t(count))); }); \
  }
TRANSFORM(permuted)
TRANSFORM(expanded)
TRANSFORM(squeezed)
TRANSFORM(flipped)

int32_t model_diagonal(const FlatView* in, int64_t offset, int32_t axis1, int32_t axis2,
                       FlatView* out) {
  return transformed(in, out,
                     [&](const View& view) { return diagonal(view, offset, axis1, axis2); });
}

int32_t model_broadcast(const FlatView* in, const int64_t* shape, int32_t ndim, FlatView* out) {
  return transformed(in, out, [&](const View& view) {
    return broadcast(view, Dims(std::span(shape, size_t(ndim))), "broadcast");
  });
}

// Each row of `shapes` begins with the number of dimensions; `out` too.
int32_t model_broadcast_shape(const int64_t* shapes, int32_t count, int64_t* out) {
  return caught([&] {
    std::vector<Dims> all;
    for (int32_t at = 0; at < count; ++at) {
      const int64_t* row = shapes + at * int64_t(Dims::MAX + 1);
      all.emplace_back(std::span(row + 1, size_t(row[0])));
    }
    const Dims result = broadcast_shape(all, "add");
    out[0] = int64_t(result.size());
    std::copy(result.begin(), result.end(), out + 1);
    return DONE;
  });
}

int32_t model_reshaped(const FlatView* in, const int64_t* shape, int32_t ndim, FlatView* out) {
  return caught([&] {
    const View view = from_flat(*in);
    return given(
        reshaped(view, resolved_shape(std::span(shape, size_t(ndim)), count_of(view.shape))), out);
  });
}

int32_t model_composed(const FlatView* outer, const FlatView* inner, FlatView* out) {
  return caught([&] { return given(composed(from_flat(*outer), from_flat(*inner)), out); });
}

void model_collapse(FlatView* views, int32_t count) {
  std::vector<View> all;
  for (int32_t at = 0; at < count; ++at) all.push_back(from_flat(views[at]));
  std::vector<View*> pointers;
  for (View& view : all) pointers.push_back(&view);
  collapse(pointers);
  for (int32_t at = 0; at < count; ++at) to_flat(all[size_t(at)], &views[at]);
}

// The base shape and, per base axis, the view's axis and whether it is reversed.
int32_t model_inverse(const FlatView* in, int64_t* shape, int64_t* axes, int64_t* reversed) {
  const Inverse inverse = inverse_of(from_flat(*in));
  std::copy(inverse.shape.begin(), inverse.shape.end(), shape);
  for (size_t at = 0; at < inverse.axes.size(); ++at) {
    axes[at] = int64_t(inverse.axes[at].axis);
    reversed[at] = inverse.axes[at].reversed;
  }
  return int32_t(inverse.axes.size());
}

int32_t model_is_contiguous(const FlatView* in) { return is_contiguous(from_flat(*in)); }
int32_t model_is_injective(const FlatView* in) { return is_injective(from_flat(*in)); }
int32_t model_covers(const FlatView* in, int64_t count) { return covers(from_flat(*in), count); }
int32_t model_overlap(const FlatView* a, const FlatView* b, uint64_t work) {
  return int32_t(overlap_of(from_flat(*a), from_flat(*b), work));
}

const char* model_dtype_name(int32_t dtype) { return name_of(Dtype(dtype)).data(); }
int32_t model_dtype_size(int32_t dtype) { return int32_t(size_of(Dtype(dtype))); }
int32_t model_can_cast(int32_t from, int32_t to, int32_t casting) {
  return can_cast(Dtype(from), Dtype(to), Casting(casting));
}
int32_t model_result(const int32_t* dtypes, int32_t count, const int32_t* weak,
                     int32_t weak_count) {
  std::vector<Dtype> all;
  std::vector<Weak> numbers;
  for (int32_t at = 0; at < count; ++at) all.push_back(Dtype(dtypes[at]));
  for (int32_t at = 0; at < weak_count; ++at) numbers.push_back(Weak(weak[at]));
  return int32_t(result_dtype(all, numbers));
}

}  // extern "C"
