// SPDX-License-Identifier: Apache-2.0
// The folder in which the roofs of this machine are kept, a file for each device.
#pragma once

#include <optional>
#include <string>

#include "perf/machine/roof.hpp"

namespace cucore::perf {

// Returns $XDG_CACHE_HOME/cucore/roof, else ~/.cache/cucore/roof; "" if neither is known.
std::string default_roof_folder();

// Returns the name of the file of a device: "<uuid>-<digest of the other parts of the key>.json".
std::string roof_file_name(const RoofMachine& machine);

// Returns the text of a file of the folder. Nothing if it is missing, belongs to another user or is
// larger than any roof.
std::optional<std::string> read_roof_file(const std::string& folder, const std::string& name);

// Writes the file in one step. Returns the reason of a failure; "" on success.
std::string write_roof_file(const std::string& folder, const std::string& name,
                            const std::string& text);

}  // namespace cucore::perf
