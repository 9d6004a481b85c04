// SPDX-License-Identifier: Apache-2.0
// The elements of a dense piece of memory that an array shows, and in which order.
//
// Positions and strides count elements of the base, never bytes. A real or imaginary part of a
// complex base keeps the positions of the complex elements.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "array/model/dims.hpp"

namespace cucore::array {

enum class Part : uint8_t { WHOLE = 0, REAL = 1, IMAG = 2 };

struct View {
  int64_t offset = 0;
  Dims shape = {};
  Dims strides = {};
  Part part = Part::WHOLE;
  bool read_only = false;  // elements share memory, or the owner forbids writes

  size_t ndim() const noexcept { return shape.size(); }
  friend bool operator==(const View&, const View&) = default;
};

// Throws SHAPE if a size is negative or the number of elements exceeds int64.
int64_t count_of(const Dims& shape);
// The same of elements of `size` bytes. Throws SHAPE also if the number of bytes exceeds int64.
int64_t count_of(const Dims& shape, size_t size);
// Throws INDEX, as NumPy's AxisError. `what` begins the message: "sum".
size_t axis_of(int64_t axis, size_t ndim, std::string_view what);
// The axes without their sign; throws INDEX or, if one is repeated, INVALID_ARGUMENT.
Dims axes_of(std::span<const int32_t> axes, size_t ndim, std::string_view what);

// Strides of a dense array whose last axis is consecutive. A size of 0 counts as 1, as in NumPy.
Dims dense_strides(const Dims& shape);
View dense(const Dims& shape);

bool is_empty(const View& view) noexcept;
// Whether the elements are consecutive in the order of the last axis first.
bool is_contiguous(const View& view) noexcept;
// Whether no two indices have the same position; false if that is not certain.
bool is_injective(const View& view) noexcept;
// Whether each element of a base of `count` elements is shown once.
bool covers(const View& view, int64_t count) noexcept;

struct Range {
  int64_t first, last;  // positions; both are shown
};
// The lowest and highest position; nothing of an empty view.
std::optional<Range> range_of(const View& view) noexcept;

// A covering view as a base shape and its axes: base axis `k` is axis `axis` of the view.
struct BaseAxis {
  size_t axis;
  bool reversed;
};
struct Inverse {
  Dims shape;  // of the base, dense
  std::vector<BaseAxis> axes;
};
// Expects covers(view, count).
Inverse inverse_of(const View& view);

}  // namespace cucore::array
