// SPDX-License-Identifier: Apache-2.0
// Operations that record values. All errors of shapes, types and axes are thrown here.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "array/ir/cell.hpp"
#include "array/model/indexing.hpp"
#include "array/ops/op.hpp"

namespace cucore::array {

// An operand of the caller: an array, or a number without a type.
struct Input {
  const Array* array = nullptr;
  Number number = {};

  OperandType type() const noexcept;
};

// ---- new arrays

Array empty(Graph& graph, Dtype dtype, const Dims& shape);
Array full(Graph& graph, const Constant& constant, const Dims& shape);
// int64: 0, 1, 2, ... in the order of the last axis first.
Array positions(Graph& graph, const Dims& shape);
// Elements that exist; `view` shows them in dense memory of `memory` elements.
Array stored(Graph& graph, Dtype dtype, int64_t memory, View view, Ref<Storage> storage);
// The same elements in a base of its own. Nothing is copied before one of the two is written.
Array copied(const Array& array);
// The same elements in memory in the order of the last axis first.
Array copied_in_order(const Array& array);

// ---- element by element

// The results of an operation of the table, one or two. `dtype` replaces the type that the rule
// chooses, unless it is DEFAULT. `parameters` are the numbers s0, s1, ... of the operation.
std::vector<Array> apply(Graph& graph, const Op& op, std::span<const Input> inputs,
                         Dtype dtype = Dtype::DEFAULT, std::span<const Number> parameters = {},
                         const Defaults& defaults = {});
// The result of an operation that has one.
Array apply_one(Graph& graph, const Op& op, std::span<const Input> inputs,
                Dtype dtype = Dtype::DEFAULT, const Defaults& defaults = {});
Array apply_one(Graph& graph, std::string_view op, std::span<const Input> inputs,
                Dtype dtype = Dtype::DEFAULT);

Array cast(const Array& array, Dtype dtype);  // the array itself, if it has the type

// x[...] = value. `what` begins messages.
void assign(const Array& target, const Input& value, std::string_view what,
            Casting rule = Casting::SAME_KIND);
// x[...] = op(x, value)
void assign_op(const Op& op, const Array& target, const Input& value,
               const Defaults& defaults = {});
// Writes the elements for which `where` is true, as NumPy's where= of an operation with out=.
void assign_where(const Array& target, const Input& value, const Array& where,
                  std::string_view what, Casting rule = Casting::SAME_KIND);

// ---- reductions and scans

struct ReduceOptions {
  std::optional<std::vector<int32_t>> axes = {};  // nothing: all
  bool keepdims = false;
  Dtype dtype = Dtype::DEFAULT;
  double correction = 0;  // of var and std
  double order = 2;       // of norm
};
Array reduce(const Op& op, const Array& array, const ReduceOptions& options,
             const Defaults& defaults = {});

struct ScanOptions {
  int32_t axis = 0;
  Dtype dtype = Dtype::DEFAULT;
  bool include_initial = false;
  bool reverse = false;
};
Array scan(const Op& op, const Array& array, const ScanOptions& options,
           const Defaults& defaults = {});

// ---- indices

// An item of x[...] that may be an array of integers. `new_axis`: the array indexes a new axis of
// size 1, as the integers of a mask without axes do.
struct Item {
  Index index;
  const Array* array = nullptr;  // of an ARRAY
  bool new_axis = false;
};
// The elements x[items] as NumPy places them: a view, or a gather where an item is an array.
Array selected(const Array& array, std::span<const Item> items);
// x[items] = value. `distinct`: the arrays select no element twice; otherwise the last value wins.
void assign_selected(const Array& array, std::span<const Item> items, bool distinct,
                     const Input& value, std::string_view what, Casting rule = Casting::SAME_KIND);
// x[items] = op(x[items], value)
void assign_op_selected(const Op& op, const Array& array, std::span<const Item> items,
                        bool distinct, const Input& value, const Defaults& defaults = {});

// Elements of an axis at the indices, whose axes replace it.
Array taken(const Array& array, const Array& indices, int32_t axis);
// For each element of `indices`, an element of `array` with the same place on all other axes.
Array taken_along(const Array& array, const Array& indices, int32_t axis);
// Writes the elements that taken_along() returns.
void put_along(const Array& array, const Array& indices, int32_t axis, const Input& value);

// For each element of a mask without gaps: the number of true elements up to it.
Array counted(const Array& mask, Dtype dtype = Dtype::INT64);
// The positions of the true elements in the order of the last axis first. `counts` is counted(mask)
// in one axis, whose last element is `count`, and has the type of the result.
Array true_positions(const Array& mask, const Array& counts, int64_t count);

// ---- order

// Stable; NaN is the largest number.
Array sorted(const Array& array, int32_t axis, bool descending);
Array argsorted(const Array& array, int32_t axis, bool descending);
// The places in front of, or behind, equal elements of a sorted array.
Array search_sorted(const Array& sorted, const Array& values, bool right);

// ---- products

// As NumPy: arrays with one axis are rows on the left and columns on the right.
Array matmul(const Array& x, const Array& y);
// The sum of conj(x) * y over an axis, which counts from the end of both shapes.
Array vecdot(const Array& x, const Array& y, int32_t axis);
// Sums over pairs of axes. The result has the other axes of x, then those of y.
Array tensordot(const Array& x, const Array& y, std::span<const int32_t> x_axes,
                std::span<const int32_t> y_axes);

// ---- joins

Array concatenated(std::span<const Array> arrays, int32_t axis);
Array stacked(std::span<const Array> arrays, int32_t axis);  // along a new axis
Array rolled(const Array& array, std::span<const int64_t> shifts, std::span<const int32_t> axes);
Array tiled(const Array& array, std::span<const int64_t> repeats);
Array repeated(const Array& array, int64_t times, int32_t axis);  // each element of the axis
// `widths` has two numbers per axis: elements before and after.
Array padded(const Array& array, std::span<const int64_t> widths, const Number& number);

// An array of the elements in another shape; a view where the strides permit it.
Array reshaped_array(const Array& array, const Dims& shape);

}  // namespace cucore::array
