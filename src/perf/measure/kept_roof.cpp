// SPDX-License-Identifier: Apache-2.0
#include "perf/measure/kept_roof.hpp"

#include <mutex>

#include "perf/machine/roof_folder.hpp"
#include "perf/machine/roof_json.hpp"
#include "perf/measure/machine.hpp"
#include "support/concat.hpp"

namespace cucore::perf {
namespace {

// A file that is damaged, or of other kernels or another device, is as good as none.
Ref<Roof> read_roof(const RoofMachine& machine, const std::string& folder) {
  const auto text = read_roof_file(folder, roof_file_name(machine));
  if (!text) return {};
  try {
    Ref<Roof> roof = roof_of_json(*text);
    const bool is_valid = roof->revision == ROOF_REVISION && roof->machine.is_same_device(machine);
    return is_valid ? roof : Ref<Roof>();
  } catch (const Error& error) {
    if (error.status() != Status::INVALID_ARGUMENT) throw;
    return {};
  }
}

void keep_roof(const Roof& roof, const std::string& folder) {
  const std::string reason =
      write_roof_file(folder, roof_file_name(roof.machine), roof_as_json(roof));
  if (!reason.empty())
    cucore_log_write(CUCORE_LOG_WARNING, concat("the roof of ", roof.machine.device,
                                                " is not kept in ", folder, ": ", reason)
                                             .c_str());
}

}  // namespace

Ref<Roof> find_roof(const DeviceOwner& device, const std::string& folder) {
  return folder.empty() ? Ref<Roof>() : read_roof(roof_machine_of(device.get()), folder);
}

Ref<Roof> open_roof(const DeviceOwner& device, const RoofOptions& options) {
  // Two measurements at once would share the device.
  static std::mutex measuring;
  const std::lock_guard lock(measuring);
  if (!options.refresh)
    if (Ref<Roof> kept = find_roof(device, options.folder)) return kept;
  Ref<Roof> roof = measure_roof(device, options.max_time);
  if (!options.folder.empty()) keep_roof(*roof, options.folder);
  return roof;
}

}  // namespace cucore::perf
