// SPDX-License-Identifier: Apache-2.0
#include "profiled_kernel.hpp"

#include <cucore_perf.h>
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "argument.hpp"
#include "argument_check.hpp"
#include "files.hpp"
#include "image.hpp"
#include "launch.hpp"
#include "output_aside.hpp"
#include "plot.hpp"
#include "print.hpp"
#include "report.hpp"

namespace cucore::cli {
namespace {

using ProfilerOwner = std::unique_ptr<cucore_profiler, decltype(&cucore_profiler_release)>;
using ReportOwner = std::unique_ptr<cucore_report, decltype(&cucore_report_release)>;

// Of a GPU. The CPU device counts, so that all launches are equal.
constexpr std::uint32_t LAUNCHES = 20;

// Machine code with line information contains its PTX, which the model needs. If the compiler does
// not find the name of the kernel, a compile without it lets the search list the kernels.
ObjectCode code_to_profile(const std::string& file, const ProfiledKernel& request,
                           const Device& device) {
  if (!is_source(file)) return open_image(read_file(file), file);
  CompileFlags flags = request.flags;
  if (!flags.options.lineinfo) flags.options.lineinfo = true;
  const bool is_cuda = source_type(file, flags) == SourceType::cuda_cpp;
  const CodeType target = is_cuda && !device.is_emulated() ? CodeType::cubin : CodeType::ptx;
  if (!is_cuda || file == "-") return compile_file(file, flags, target);
  try {
    flags.names.push_back(request.kernel);
    return compile_file(file, flags, target);
  } catch (const CompilationError&) {
    return compile_file(file, request.flags, target);
  }
}

ProfilerOwner profiler_of(const ProfiledKernel& request, const Device& device) {
  cucore_profiler_options options = CUCORE_PROFILER_OPTIONS_INIT;
  options.device = device.get();
  options.model = CUCORE_TOGGLE_ON;
  options.timeline = CUCORE_TOGGLE_ON;
  if (!request.preset.empty()) {
    options.source = CUCORE_PROFILER_SOURCE_COUNTERS;
    options.preset = request.preset.c_str();
  }
  cucore_profiler* made = nullptr;
  call(cucore_profiler_create, &options, &made);
  return {made, cucore_profiler_release};
}

std::string text_of(const cucore_report* report, cucore_report_format format) {
  std::size_t size = 0;
  call(cucore_report_write, report, format, static_cast<char*>(nullptr), std::size_t{0}, &size);
  std::string text(size, '\0');
  call(cucore_report_write, report, format, text.data(), text.size(), &size);
  text.resize(size - 1);
  return text;
}

ReportOwner profile_launches(const ProfiledKernel& request, const Device& device,
                             const Kernel& kernel, const LaunchShape& shape,
                             const std::vector<Argument>& arguments) {
  const Stream stream = Stream::create(device);
  const DeviceArguments on_device(device, stream, arguments);
  const LaunchConfig config = config_of(shape);
  const auto launch = [&] {
    call(cucore_kernel_launch, kernel.get(), stream.get(), &config, on_device.values().data(),
         on_device.values().size());
  };
  if (!device.is_emulated()) launch();  // loads the code
  stream.synchronize();
  const ProfilerOwner profiler = profiler_of(request, device);
  call(cucore_profiler_begin, profiler.get());
  const std::uint32_t usual = device.is_emulated() ? 1 : LAUNCHES;
  for (std::uint32_t i = 0; i < (request.launches != 0 ? request.launches : usual); ++i) launch();
  stream.synchronize();
  cucore_report* report = nullptr;
  call(cucore_profiler_end, profiler.get(), &report);
  return {report, cucore_report_release};
}

}  // namespace

FileUse ProfiledKernel::files(const std::string& file) const {
  FileUse use = flags.files();
  use.inputs.push_back(file);
  for (const std::string* output : {&html, &trace, &plot})
    if (!output->empty()) use.outputs.push_back(*output);
  if (!plot.empty()) use.outputs.push_back(script_of_plot(plot));
  return use;
}

void ProfiledKernel::run(const std::string& file) const {
  const LaunchShape shape{parse_extent(grid, "--grid"), parse_extent(block, "--block"), shared};
  require_plot_name(plot);
  const bool has_stream = html == "-" || trace == "-";
  if (has_stream && (wants_json() || csv))
    throw usage(fmt::format("{} - and {} both write to the standard output; name a file",
                            html == "-" ? "--html" : "--trace", csv ? "--csv" : "--json"));
  std::vector<Argument> parsed;
  for (const std::string& text : arguments) parsed.push_back(parse_argument(text));
  require_distinct(files(file));
  const Device profiled = open_device(device);
  const ObjectCode code = code_to_profile(file, *this, profiled);
  const Kernel found = code.find_kernel(kernel);
  check_classes(found, profiled, parsed);
  const ReportOwner report = [&] {
    std::optional<OutputAside> aside;
    if (wants_json() || csv || has_stream) aside.emplace();
    return profile_launches(*this, profiled, found, shape, parsed);
  }();
  if (!html.empty()) write_file(html, text_of(report.get(), CUCORE_REPORT_FORMAT_HTML));
  if (!trace.empty()) write_file(trace, text_of(report.get(), CUCORE_REPORT_FORMAT_TRACE));
  if (!plot.empty()) write_plot(text_of(report.get(), CUCORE_REPORT_FORMAT_GNUPLOT), plot);
  if (wants_json())
    return print_json(Json::parse(text_of(report.get(), CUCORE_REPORT_FORMAT_JSON)));
  // If a file of the report goes to the standard output, then nothing else does.
  if (has_stream) return;
  print("{}",
        Text{text_of(report.get(), csv ? CUCORE_REPORT_FORMAT_CSV : CUCORE_REPORT_FORMAT_TEXT)});
}

}  // namespace cucore::cli
