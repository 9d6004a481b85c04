// SPDX-License-Identifier: Apache-2.0
// Opens a driver library and makes its table: the NVIDIA driver, the CPU device or a path.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "driver/cuda.hpp"

namespace cucore::driver {

// A table, or the reason that none exists; never both. It is a value, because "auto" compares two
// of them.
struct Opened {
  std::unique_ptr<CudaTable> table;
  std::optional<Error> error;
};

// Returns whether a name can be chosen: "nvidia", "cpu", "auto", or a path with a slash.
bool is_driver_choice(std::string_view choice) noexcept;

Opened open_driver(const std::string& choice);

// Returns whether a choice names the driver in use, which `opened_as` opened.
bool is_same_choice(std::string_view choice, const CudaTable& in_use, std::string_view opened_as);

// Returns the Error for a result of a table that may not be in use yet; table may be null.
Error error_of(const CudaTable* table, CUresult result, std::string_view what);

}  // namespace cucore::driver
