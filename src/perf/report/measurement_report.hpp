// SPDX-License-Identifier: Apache-2.0
// Reports of measurements, for people, for programs and for plots.
#pragma once

#include <string>
#include <vector>

#include "perf/measure/measurement.hpp"

namespace cucore::perf {

using Measurements = std::vector<const Measurement*>;

std::string measurements_as_text(const Measurements& list);
// Returns an array of objects of the schema cucore.measurement/1.
std::string measurements_as_json(const Measurements& list);
// Returns a line of names and a line per measurement.
std::string measurements_as_csv(const Measurements& list);
// Returns a script of gnuplot that contains its data.
std::string measurements_as_gnuplot(const Measurements& list);

}  // namespace cucore::perf
