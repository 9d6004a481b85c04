// SPDX-License-Identifier: Apache-2.0
// cucore info: the libraries found and their paths, the reasons for missing ones, and the devices.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cucore/device.hpp>
#include <cucore/library.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "array_library.hpp"
#include "columns.hpp"
#include "command.hpp"
#include "failure.hpp"
#include "print.hpp"
#include "report.hpp"
#include "support/counted.hpp"

namespace cucore::cli {
namespace {

struct Row {
  Library library;
  const char* name;
};
constexpr std::array LIBRARIES{Row{Library::driver, "driver"}, Row{Library::nvrtc, "nvrtc"},
                               Row{Library::nvjitlink, "nvjitlink"}, Row{Library::nvvm, "nvvm"}};
// Libraries that this one opens only for other programs; a missing one is not shown.
constexpr std::array OTHER_LIBRARIES{
    Row{Library::cublas, "cublas"}, Row{Library::cublaslt, "cublaslt"},
    Row{Library::cufft, "cufft"},   Row{Library::cusolver, "cusolver"},
    Row{Library::curand, "curand"}, Row{Library::cusparse, "cusparse"},
    Row{Library::nccl, "nccl"},     Row{Library::cupti, "cupti"},
    Row{Library::nvml, "nvml"}};

Json describe_library(const Row& row) {
  const LibraryInfo info = library_query(row.library);
  return {{"name", row.name},
          {"available", info.available},
          {"path", info.path},
          {"version", info.available ? fmt::format("{}.{}", info.version_major, info.version_minor)
                                     : std::string()},
          {"reason", info.reason},
          {"header_folders", info.header_folders}};
}

Json describe_arrays() {
  const ArrayLibrary library = find_array_library();
  return {{"name", "array"},
          {"available", library.available},
          {"path", library.path},
          {"version", library.version},
          {"reason", library.reason},
          {"header_folders", ""},
          {"cached_kernels", library.available ? count_array_kernels() : 0}};
}

Json describe_device(int32_t ordinal) {
  const Device device = Device::open(ordinal);
  const DeviceMemory memory = device.memory();
  return {{"ordinal", ordinal},
          {"name", device.name()},
          {"arch", device.arch()},
          {"multiprocessors", device.attribute(DeviceAttribute::multiprocessor_count)},
          {"free_bytes", memory.free_bytes},
          {"total_bytes", memory.total_bytes},
          {"pci_bus_id", device.pci_bus_id()},
          {"emulated", device.is_emulated()}};
}

Json describe_devices() {
  const int32_t count = Device::count();
  Json devices = Json::array();
  for (int32_t ordinal = 0; ordinal < count; ++ordinal) devices.push_back(describe_device(ordinal));
  return devices;
}

Json describe_all() {
  Json all{{"cucore", version_string()}, {"libraries", Json::array()}};
  for (const Row& row : LIBRARIES) all["libraries"].push_back(describe_library(row));
  for (const Row& row : OTHER_LIBRARIES) {
    Json library = describe_library(row);
    if (library["available"].get<bool>()) all["libraries"].push_back(std::move(library));
  }
  all["libraries"].push_back(describe_arrays());
  // The driver's line reports that it is too old; the command still shows the rest.
  try {
    all["devices"] = describe_devices();
  } catch (const Error& error) {
    all["devices"] = Json::array();
    all["devices_error"] = error.what();
  }
  return all;
}

// The reason lists all paths that were tried. In a pipe it is one line.
void print_reason(const std::string& name, const std::string& reason) {
  const std::string text = "not available: " + escaped(reason);
  const bool wraps = terminal_columns(STDOUT_FILENO) != 0;
  print("{}", Raw{fmt::format("  {:<10}", name) +
                  wrapped(text, 13, 12, wraps ? output_columns() : text.size() + 13)});
}

void print_library(const Json& library) {
  const std::string name = library["name"];
  if (library["available"].get<bool>()) {
    print("  {:<10} {:<6} {}\n", name, library["version"].get<std::string>(),
          library["path"].get<std::string>());
    if (library.contains("cached_kernels"))
      print("  {:<10} {:<6} {} in the program cache\n", "", "",
            counted(library["cached_kernels"].get<std::uint64_t>(), "kernel"));
    std::istringstream folders(library["header_folders"].get<std::string>());
    for (std::string folder; std::getline(folders, folder, ':');)
      print("  {:<10} {:<6} {}\n", "", "", "headers " + folder);
  } else {
    print_reason(name, library["reason"]);
  }
}

double gibibytes(const Json& bytes) { return bytes.get<double>() / (1 << 30); }

void print_device(const Json& device) {
  print("  {}: {}, {}, {}, {:.1f} of {:.1f} GiB free, {}\n", device["ordinal"].get<int>(),
        device["name"].get<std::string>(), device["arch"].get<std::string>(),
        counted(device["multiprocessors"].get<unsigned>(), "multiprocessor"),
        gibibytes(device["free_bytes"]), gibibytes(device["total_bytes"]),
        device["emulated"].get<bool>() ? "emulated on the CPU"
                                       : "PCI " + device["pci_bus_id"].get<std::string>());
}

void print_machine(const Json& all) {
  print("cucore {}\n\nlibraries\n", all["cucore"].get<std::string>());
  for (const Json& library : all["libraries"]) print_library(library);
  print("\ndevices\n");
  for (const Json& device : all["devices"]) print_device(device);
  if (all.contains("devices_error"))
    print("  none: {}\n", all["devices_error"].get<std::string>());
  else if (all["devices"].empty())
    print("  none: programs can be compiled, linked and stored, not launched\n");
}

}  // namespace

void add_info(CLI::App& app) {
  CLI::App* command = app.add_subcommand("info", "Shows the libraries and devices in use.");
  command->footer(
      "Example:\n  cucore info\n  cucore info --json | jq '.devices[0].arch'\n"
      "A missing library is shown with the reason; the exit code is still 0.");
  command->callback([] {
    const Json all = describe_all();
    if (wants_json())
      print_json(all);
    else
      print_machine(all);
  });
}

}  // namespace cucore::cli
