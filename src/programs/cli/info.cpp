// SPDX-License-Identifier: Apache-2.0
// cucore info: the libraries found and their paths, the reasons for missing ones, and the devices.
#include <cucore.h>
#include <fmt/format.h>

#include <array>
#include <sstream>
#include <string>
#include <vector>

#include "command.hpp"
#include "failure.hpp"
#include "handles.hpp"
#include "print.hpp"
#include "report.hpp"

namespace cucore::cli {
namespace {

struct Row {
  cucore_library library;
  const char* name;
};
constexpr std::array LIBRARIES{
    Row{CUCORE_LIBRARY_DRIVER, "driver"}, Row{CUCORE_LIBRARY_NVRTC, "nvrtc"},
    Row{CUCORE_LIBRARY_NVJITLINK, "nvjitlink"}, Row{CUCORE_LIBRARY_NVVM, "nvvm"}};
// Libraries that this one opens only for other programs; a missing one is not shown.
constexpr std::array OTHER_LIBRARIES{
    Row{CUCORE_LIBRARY_CUBLAS, "cublas"}, Row{CUCORE_LIBRARY_CUBLASLT, "cublaslt"},
    Row{CUCORE_LIBRARY_CUFFT, "cufft"},   Row{CUCORE_LIBRARY_CUSOLVER, "cusolver"},
    Row{CUCORE_LIBRARY_CURAND, "curand"}, Row{CUCORE_LIBRARY_CUSPARSE, "cusparse"},
    Row{CUCORE_LIBRARY_NCCL, "nccl"},     Row{CUCORE_LIBRARY_CUPTI, "cupti"},
    Row{CUCORE_LIBRARY_NVML, "nvml"}};

Json describe_library(const Row& row) {
  cucore_library_info info = CUCORE_LIBRARY_INFO_INIT;
  call(cucore_library_query, row.library, &info);
  return {{"name", row.name},
          {"available", info.available != 0},
          {"path", info.path},
          {"version", info.available ? fmt::format("{}.{}", info.version_major, info.version_minor)
                                     : std::string()},
          {"reason", info.reason},
          {"header_folders", info.header_folders}};
}

Json describe_device(int32_t ordinal) {
  const Device device = make<Device>(cucore_device_open, ordinal);
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  int32_t multiprocessors = 0;
  call(cucore_device_memory, device.get(), &free_bytes, &total_bytes);
  call(cucore_device_attribute, device.get(), CUCORE_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
       &multiprocessors);
  return {{"ordinal", ordinal},
          {"name", cucore_device_name(device.get())},
          {"arch", cucore_device_arch(device.get())},
          {"multiprocessors", multiprocessors},
          {"free_bytes", free_bytes},
          {"total_bytes", total_bytes},
          {"pci_bus_id", cucore_device_pci_bus_id(device.get())},
          {"emulated", cucore_device_is_emulated(device.get()) != 0}};
}

Json describe_devices() {
  int32_t count = 0;
  call(cucore_device_count, &count);
  Json devices = Json::array();
  for (int32_t ordinal = 0; ordinal < count; ++ordinal) devices.push_back(describe_device(ordinal));
  return devices;
}

Json describe_all() {
  Json all{{"cucore", cucore_version_string()}, {"libraries", Json::array()}};
  for (const Row& row : LIBRARIES) all["libraries"].push_back(describe_library(row));
  for (const Row& row : OTHER_LIBRARIES) {
    Json library = describe_library(row);
    if (library["available"].get<bool>()) all["libraries"].push_back(std::move(library));
  }
  // The driver's line reports that it is too old; the command still shows the rest.
  try {
    all["devices"] = describe_devices();
  } catch (const Failure& failure) {
    all["devices"] = Json::array();
    all["devices_error"] = failure.what();
  }
  return all;
}

void print_library(const Json& library) {
  const std::string name = library["name"];
  if (library["available"].get<bool>()) {
    print("  {:<10} {:<6} {}\n", name, library["version"].get<std::string>(),
          library["path"].get<std::string>());
    std::istringstream folders(library["header_folders"].get<std::string>());
    for (std::string folder; std::getline(folders, folder, ':');)
      print("  {:<10} {:<6} {}\n", "", "", "headers " + folder);
  } else {
    print("  {:<10} not available: {}\n", name, library["reason"].get<std::string>());
  }
}

double gibibytes(const Json& bytes) { return bytes.get<double>() / (1 << 30); }

void print_device(const Json& device) {
  print("  {}: {}, {}, {} multiprocessors, {:.1f} of {:.1f} GiB free, {}\n",
        device["ordinal"].get<int>(), device["name"].get<std::string>(),
        device["arch"].get<std::string>(), device["multiprocessors"].get<int>(),
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
