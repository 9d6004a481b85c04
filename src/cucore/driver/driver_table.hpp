// SPDX-License-Identifier: Apache-2.0
// Fills a table of driver functions from an open library.
#pragma once

#include "driver/driver_opening.hpp"
#include "driver/library_search.hpp"

namespace cucore::driver {

// The outcome for a library. With `refusal` the search may continue elsewhere. With an Error in
// `opened` it ends: the library is a driver that cannot be used.
struct StartedDriver {
  Opened opened;
  std::string refusal;
};

// Queries the version, then every entry point, then initialises the driver.
StartedDriver start_driver(const OpenedLibrary& library);

}  // namespace cucore::driver
