// SPDX-License-Identifier: Apache-2.0
// JSON whose keys keep their order.
#pragma once

#include <nlohmann/json.hpp>

namespace cucore::cli {

using Json = nlohmann::ordered_json;

}  // namespace cucore::cli
