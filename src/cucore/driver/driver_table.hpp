// SPDX-License-Identifier: Apache-2.0
// Fills a table of driver functions from an open library.
#pragma once

#include "driver/driver_opening.hpp"
#include "driver/library_search.hpp"

namespace cucore::driver {

// What a library turned out to be. With `refusal` the search may go on elsewhere; with an Error in
// `opened` it ends here: there is a driver, and it cannot be used.
struct StartedDriver {
  Opened opened;
  std::string refusal;
};

// Asks for the version, then for every entry point, then initialises the driver.
StartedDriver start_driver(const OpenedLibrary& library);

}  // namespace cucore::driver
