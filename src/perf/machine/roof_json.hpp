// SPDX-License-Identifier: Apache-2.0
// Roofs as JSON of the schema cucore.roof/1.
#pragma once

#include <string>
#include <string_view>

#include "perf/machine/roof.hpp"

namespace cucore::perf {

std::string roof_as_json(const Roof& roof);

// Reads untrusted text. Unknown members are ignored. @throws Error INVALID_ARGUMENT
Ref<Roof> roof_of_json(std::string_view text);

}  // namespace cucore::perf
