// SPDX-License-Identifier: Apache-2.0
// cucore roof: the highest rates that a device reaches, measured once and kept.
#include <cucore_perf.h>
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>

#include "command.hpp"
#include "image.hpp"
#include "launch.hpp"
#include "print.hpp"
#include "report.hpp"

namespace cucore::cli {
namespace {

struct RoofRequest {
  std::int32_t device = 0;
  std::string directory;
  bool has_directory = false;
  bool refresh = false;
  cucore_roof_options options = CUCORE_ROOF_OPTIONS_INIT;
};

using RoofOwner = std::unique_ptr<cucore_roof, decltype(&cucore_roof_release)>;

struct RoofLine {
  cucore_roof_kind kind;
  const char* name;
  const char* unit;
};

constexpr RoofLine ROOF_LINES[] = {
    {CUCORE_ROOF_KIND_COPY, "device memory, copy", "B/s"},
    {CUCORE_ROOF_KIND_READ, "device memory, read", "B/s"},
    {CUCORE_ROOF_KIND_WRITE, "device memory, write", "B/s"},
    {CUCORE_ROOF_KIND_L2, "L2 cache, read", "B/s"},
    {CUCORE_ROOF_KIND_SHARED, "shared memory, read", "B/s"},
    {CUCORE_ROOF_KIND_F32, "f32 multiply-add", "op/s"},
    {CUCORE_ROOF_KIND_F64, "f64 multiply-add", "op/s"},
    {CUCORE_ROOF_KIND_F16, "f16 multiply-add", "op/s"},
    {CUCORE_ROOF_KIND_INTEGER, "integer multiply-add", "op/s"},
    {CUCORE_ROOF_KIND_SPECIAL, "special functions", "op/s"},
    {CUCORE_ROOF_KIND_MATRIX_F16, "tensor cores, f16", "op/s"},
    {CUCORE_ROOF_KIND_MATRIX_BF16, "tensor cores, bf16", "op/s"},
    {CUCORE_ROOF_KIND_MATRIX_TF32, "tensor cores, tf32", "op/s"},
    {CUCORE_ROOF_KIND_MATRIX_F64, "tensor cores, f64", "op/s"},
    {CUCORE_ROOF_KIND_MATRIX_INT8, "tensor cores, int8", "op/s"},
    {CUCORE_ROOF_KIND_MATRIX_FP8, "tensor cores, fp8", "op/s"},
    {CUCORE_ROOF_KIND_LAUNCH, "launch of an empty kernel", "s"},
    {CUCORE_ROOF_KIND_EVENT_OFFSET, "two events around nothing", "s"},
};

// "4.02 TB/s"; "-" if the device lacks the operation.
std::string rate_text(double value, const char* unit) {
  if (std::isnan(value)) return "-";
  static constexpr struct {
    double factor;
    const char* prefix;
  } PREFIXES[] = {{1e12, "T"}, {1e9, "G"},  {1e6, "M"}, {1e3, "k"},
                  {1, ""},     {1e-3, "m"}, {1e-6, "u"}};
  for (const auto& each : PREFIXES)
    if (value >= each.factor)
      return fmt::format("{:#.4g} {}{}", value / each.factor, each.prefix, unit);
  return fmt::format("{:.1f} n{}", value * 1e9, unit);
}

Json object_of(const cucore_roof* roof) {
  std::size_t size = 0;
  call(cucore_roof_serialize, roof, static_cast<void*>(nullptr), std::size_t{0}, &size);
  std::string text(size, '\0');
  call(cucore_roof_serialize, roof, static_cast<void*>(text.data()), text.size(), &size);
  return Json::parse(text);
}

void print_roof(const cucore_roof* roof) {
  const Json machine = object_of(roof).at("machine");
  print("{} ({}), driver {}, measured {}\n", machine.at("device").get<std::string>(),
        machine.at("arch").get<std::string>(), machine.at("driver").get<std::string>(),
        machine.at("date").get<std::string>());
  for (const RoofLine& line : ROOF_LINES) {
    double value = 0;
    call(cucore_roof_value, roof, line.kind, &value);
    print("  {:<26} {:>14}\n", std::string(line.name), rate_text(value, line.unit));
  }
}

void show_roof(const RoofRequest& request) {
  cucore_roof_options options = request.options;
  if (request.has_directory) options.directory = request.directory.c_str();
  if (request.refresh) options.refresh = CUCORE_TOGGLE_ON;
  const Device device = open_device(request.device);
  cucore_roof* opened = nullptr;
  call(cucore_roof_open, device.get(), &options, &opened);
  const RoofOwner roof(opened, cucore_roof_release);
  if (wants_json())
    print_json(object_of(roof.get()));
  else
    print_roof(roof.get());
}

}  // namespace

void add_roof(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("roof", "Measures the highest rates of a device, and keeps them.");
  auto request = std::make_shared<RoofRequest>();
  command->add_option("-d,--device", request->device, "number of the device; default 0")
      ->type_name("N");
  const CLI::Option* const directory =
      command
          ->add_option(
              "--directory", request->directory,
              "in which roofs are kept; default: $XDG_CACHE_HOME/cucore/roof; '' keeps none")
          ->type_name("DIR");
  command->add_flag("--refresh", request->refresh, "measure again, and replace the kept roof");
  command
      ->add_option("--max-time", request->options.max_time_ms,
                   "milliseconds of all samples together; default 2000")
      ->type_name("MS");
  command->footer(
      "Example:\n"
      "  cucore roof --device 1 --refresh\n"
      "Other work on the device makes the rates lower. 'cucore bench' compares with the kept "
      "roof.");
  command->callback([request, directory] {
    request->has_directory = directory->count() != 0;
    show_roof(*request);
  });
}

}  // namespace cucore::cli
