// SPDX-License-Identifier: Apache-2.0
// Names what is wrong with a series of times: one number does not describe such a series.
#pragma once

#include <span>

namespace cucore::perf {

// As cucore_series_shape.
enum class Shape { NONE, STEADY, DRIFTING, STEPPED, BIMODAL, THROTTLED };

// Returns the shape of the samples in the order in which they were taken, without THROTTLED, which
// the clock shows. Fewer than 30 samples are STEADY.
Shape shape_of(std::span<const double> samples);

const char* shape_name(Shape shape);  // "steady"

}  // namespace cucore::perf
