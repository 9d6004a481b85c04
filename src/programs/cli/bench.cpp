// SPDX-License-Identifier: Apache-2.0
// cucore bench: the time of a kernel with an interval, and its comparison with another one.
#include <cucore_perf.h>
#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "argument.hpp"
#include "command.hpp"
#include "distinct.hpp"
#include "files.hpp"
#include "image.hpp"
#include "launch.hpp"
#include "launch_options.hpp"
#include "number_check.hpp"
#include "plot.hpp"
#include "print.hpp"
#include "report.hpp"
#include "source.hpp"

namespace cucore::cli {
namespace {

struct BenchRequest {
  std::string file, other;
  std::string kernel;
  std::string grid = "1";
  std::string block;
  std::uint32_t shared = 0;
  std::int32_t device = 0;
  std::vector<std::string> arguments;
  std::string criterion = "ci";
  std::string plot;
  cucore_measurement_options numbers = CUCORE_MEASUREMENT_OPTIONS_INIT;
  bool no_flush = false;
  CompileFlags flags;
};

using MeasurementOwner = std::unique_ptr<cucore_measurement, decltype(&cucore_measurement_release)>;

const std::map<std::string, cucore_criterion>& criteria() {
  static const std::map<std::string, cucore_criterion> all{{"ci", CUCORE_CRITERION_CI},
                                                           {"stdrel", CUCORE_CRITERION_STDREL},
                                                           {"entropy", CUCORE_CRITERION_ENTROPY},
                                                           {"count", CUCORE_CRITERION_COUNT}};
  return all;
}

ObjectCode bench_code(const std::string& path, const BenchRequest& request, const Device& device) {
  if (!is_source(path)) return open_image(read_file(path), path);
  CompileFlags flags = request.flags;
  const bool is_cuda = source_type(path, flags) == SourceType::cuda_cpp;
  if (is_cuda) flags.names.push_back(request.kernel);
  const bool machine = is_cuda && !device.is_emulated();
  return compile_file(path, flags, machine ? CodeType::cubin : CodeType::ptx);
}

// One kernel with its arguments, as a work of a measurement.
struct BenchedKernel {
  Kernel kernel;
  LaunchConfig config;
  const DeviceArguments* arguments;

  static cucore_status launch(const cucore_stream* stream, void* data, cucore_error** error) {
    const auto* const self = static_cast<const BenchedKernel*>(data);
    return cucore_kernel_launch(self->kernel.get(), stream, &self->config,
                                self->arguments->values().data(), self->arguments->values().size(),
                                error);
  }
  // The name must live as long as the work.
  cucore_work work(const std::string& name) {
    return {sizeof(cucore_work), name.c_str(), launch, this};
  }
};

std::string report_text(const std::vector<const cucore_measurement*>& list,
                        cucore_report_format format) {
  std::size_t size = 0;
  call(cucore_measurement_write, list.data(), list.size(), format, static_cast<char*>(nullptr),
       std::size_t{0}, &size);
  std::string text(size, '\0');
  call(cucore_measurement_write, list.data(), list.size(), format, text.data(), text.size(), &size);
  text.resize(size - 1);
  return text;
}

const char* verdict_text(cucore_comparison_verdict verdict) {
  if (verdict == CUCORE_COMPARISON_VERDICT_FASTER) return "faster";
  return verdict == CUCORE_COMPARISON_VERDICT_SLOWER ? "slower" : "no_difference";
}

std::string comparison_text(const cucore_comparison_info& info, const BenchRequest& request) {
  const std::string numbers = fmt::format("time ratio {:.4f}, 99 % interval {:.4f} to {:.4f}",
                                          info.ratio, info.low, info.high);
  if (info.verdict == CUCORE_COMPARISON_VERDICT_NO_DIFFERENCE)
    return fmt::format("no difference of {} and {}: {}\n", request.file, request.other, numbers);
  return fmt::format("{} is {} than {}: {}\n", request.file, verdict_text(info.verdict),
                     request.other, numbers);
}

struct BenchResult {
  std::vector<MeasurementOwner> owners;
  cucore_comparison_info comparison = CUCORE_COMPARISON_INFO_INIT;

  std::vector<const cucore_measurement*> list() const {
    std::vector<const cucore_measurement*> all;
    for (const MeasurementOwner& owner : owners) all.push_back(owner.get());
    return all;
  }
};

BenchResult bench_kernels(const BenchRequest& request, const Device& device, const Stream& stream,
                          std::vector<BenchedKernel>& kernels) {
  cucore_measurement_options options = request.numbers;
  options.name = request.kernel.c_str();
  options.stream = stream.get();
  options.criterion = criteria().at(request.criterion);
  if (request.no_flush) options.flush = CUCORE_TOGGLE_OFF;
  BenchResult result;
  std::array<cucore_measurement*, 2> made{};
  if (kernels.size() == 1) {
    call(cucore_measurement_run, device.get(), BenchedKernel::launch,
         static_cast<void*>(&kernels[0]), &options, &made[0]);
  } else {
    const std::string first = fmt::format("{} of {}", request.kernel, request.file);
    const std::string second = fmt::format("{} of {}", request.kernel, request.other);
    const cucore_work a = kernels[0].work(first), b = kernels[1].work(second);
    call(cucore_measurement_run_pair, device.get(), &a, &b, &options, &made[0], &made[1],
         &result.comparison);
  }
  for (cucore_measurement* one : made)
    if (one) result.owners.emplace_back(one, cucore_measurement_release);
  return result;
}

void show(const BenchResult& result, const BenchRequest& request) {
  const bool compares = !request.other.empty();
  if (!wants_json()) {
    print("{}", Text{report_text(result.list(), CUCORE_REPORT_FORMAT_TEXT)});
    if (compares) print("{}", Text{comparison_text(result.comparison, request)});
    return;
  }
  Json object{{"measurements", Json::parse(report_text(result.list(), CUCORE_REPORT_FORMAT_JSON))}};
  if (compares)
    object["comparison"] = {{"ratio", result.comparison.ratio},
                            {"low", result.comparison.low},
                            {"high", result.comparison.high},
                            {"verdict", verdict_text(result.comparison.verdict)}};
  print_json(object);
}

FileUse files_of_bench(const BenchRequest& request) {
  FileUse use = request.flags.files();
  use.inputs.push_back(request.file);
  if (!request.other.empty()) use.inputs.push_back(request.other);
  if (!request.plot.empty()) use.outputs = {request.plot, script_of_plot(request.plot)};
  return use;
}

void bench(const BenchRequest& request) {
  const LaunchShape shape{parse_extent(request.grid, "--grid"),
                          parse_extent(request.block, "--block"), request.shared};
  require_plot_name(request.plot);
  std::vector<Argument> arguments;
  for (const std::string& text : request.arguments) arguments.push_back(parse_argument(text));
  require_distinct(files_of_bench(request));
  const Device device = open_device(request.device);
  const Stream stream = Stream::create(device);
  const DeviceArguments on_device(device, stream, arguments);
  std::vector<std::string> files{request.file};
  if (!request.other.empty()) files.push_back(request.other);
  std::vector<BenchedKernel> kernels;
  for (const std::string& file : files)
    kernels.push_back({bench_code(file, request, device).find_kernel(request.kernel),
                       config_of(shape), &on_device});
  const BenchResult result = bench_kernels(request, device, stream, kernels);
  if (!request.plot.empty())
    write_plot(report_text(result.list(), CUCORE_REPORT_FORMAT_GNUPLOT), request.plot);
  show(result, request);
}

void add_bench_launch(CLI::App& command, BenchRequest& request) {
  command.add_option("-k,--kernel", request.kernel, "name or expression, 'saxpy<float>'")
      ->required()
      ->type_name("NAME");
  add_geometry(command, request);
  command
      .add_option("--arg", request.arguments,
                  "an argument, as of 'cucore run'; both kernels receive it; repeatable")
      ->type_name("ARG")
      ->allow_extra_args(false);
}

void add_bench_criterion(CLI::App& command, BenchRequest& request) {
  command
      .add_option("--criterion", request.criterion,
                  "ends the measurement: ci, stdrel, entropy or count; default ci")
      ->check(CLI::IsMember({"ci", "stdrel", "entropy", "count"}))
      ->type_name("NAME");
  command
      .add_option("--noise", request.numbers.noise, "of the criterion, a fraction; default 0.005")
      ->check(above_zero())
      ->type_name("F");
  command
      .add_option("--samples", request.numbers.min_samples, "least number of samples; default 10")
      ->check(from_one())
      ->type_name("N");
  command.add_option("--max-time", request.numbers.max_time, "seconds at most; default 15")
      ->check(above_zero())
      ->type_name("S");
  command.add_option("--bytes", request.numbers.bytes, "bytes that one launch moves")
      ->type_name("N");
  command.add_option("--operations", request.numbers.operations, "operations of one launch")
      ->type_name("N");
  command.add_flag("--no-flush", request.no_flush, "leave the L2 cache as the last sample left it");
}

}  // namespace

void add_bench(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("bench", "Measures a kernel, and compares it with another.");
  auto request = std::make_shared<BenchRequest>();
  command
      ->add_option("file", request->file,
                   ".cuco, PTX, CUBIN or FATBIN; or CUDA C++ (.cu), compiled for the run")
      ->required()
      ->type_name("FILE");
  add_bench_launch(*command, *request);
  command
      ->add_option("--compare", request->other,
                   "measure the kernel of this file in turn with the first one")
      ->type_name("FILE");
  command
      ->add_option("--plot", request->plot, "draw the samples with gnuplot; the script is FILE.gp")
      ->type_name("FILE.svg");
  add_bench_criterion(*command, *request);
  request->flags.add_to(*command);
  command->footer(
      "Example:\n"
      "  cucore bench saxpy.cu --kernel saxpy --grid 4096 --block 256 --arg f32:2.0 \\\n"
      "    --arg buf:f32:1048576 --arg buf:f32:1048576 --arg i32:1048576 --compare new.cu\n"
      "All launches have the same arguments, so the arrays change from launch to launch.");
  command->callback([request] { bench(*request); });
}

}  // namespace cucore::cli
