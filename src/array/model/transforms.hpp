// SPDX-License-Identifier: Apache-2.0
// Views of views. None of them touches an element.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "array/model/view.hpp"

namespace cucore::array {

// Throws SHAPE if an operation makes too many.
void check_ndim(size_t ndim, std::string_view what);

View permuted(const View& view, std::span<const int32_t> axes);  // no axes: reversed
View expanded(const View& view, std::span<const int32_t> axes);  // new axes of size 1
View squeezed(const View& view, std::span<const int32_t> axes);  // no axes: all of size 1
View flipped(const View& view, std::span<const int32_t> axes);   // no axes: all
// The last axis of the result runs along the diagonal of the two axes.
View diagonal(const View& view, int64_t offset, int32_t axis1, int32_t axis2);
// The real or imaginary part; expects the view of a complex base.
View part_of(const View& view, Part part);

std::string shape_text(std::span<const int64_t> shape);  // "(3, 4)"
// The shape of an operation on all shapes, by NumPy's broadcasting. `what` begins the message.
Dims broadcast_shape(std::span<const Dims> shapes, std::string_view what);
View broadcast(const View& view, const Dims& shape, std::string_view what);  // read-only

// Replaces one -1 by the size that fits `count` elements; throws SHAPE if none does.
Dims resolved_shape(std::span<const int64_t> shape, int64_t count);
// The same elements in the order of the last axis first; nothing if the strides do not permit it.
// Expects an equal number of elements.
std::optional<View> reshaped(const View& view, const Dims& shape);

}  // namespace cucore::array
