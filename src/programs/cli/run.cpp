// SPDX-License-Identifier: Apache-2.0
// cucore run: launches one kernel with arguments from the command line, then shows and checks
// results.
#include <cucore.h>
#include <fmt/format.h>
#include <cucore/library.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "argument.hpp"
#include "argument_check.hpp"
#include "command.hpp"
#include "distinct.hpp"
#include "files.hpp"
#include "graph_run.hpp"
#include "image.hpp"
#include "kernel_checks.hpp"
#include "launch.hpp"
#include "launch_options.hpp"
#include "output_aside.hpp"
#include "print.hpp"
#include "result.hpp"
#include "source.hpp"
#include "trust.hpp"

namespace cucore::cli {
namespace {

struct RunRequest {
  std::string file;
  std::string kernel;
  std::string grid = "1";
  std::string block;
  std::uint32_t shared = 0;
  std::int32_t device = 0;
  std::vector<std::string> arguments;
  std::string print = "8";
  std::vector<std::string> outputs;
  std::vector<std::string> expectations;
  std::string tolerance = "0";
  TrustFlags trust;
  CheckFlags checks;
  GraphFlags graph;
  CompileFlags flags;
};

// A plain C++ kernel is found under its source name only if the compile received that name. If the
// compiler does not find the name, a compile without it lets the search list the kernels.
ObjectCode compile_for(const RunRequest& request, CodeType target) {
  CompileFlags flags = request.flags;
  // Reports name source lines.
  if (request.checks.enabled() && !flags.options.lineinfo) flags.options.lineinfo = true;
  const bool is_cuda = source_type(request.file, flags) == SourceType::cuda_cpp;
  CompileFlags named = flags;
  if (!request.kernel.empty() && is_cuda) named.names.push_back(request.kernel);
  try {
    return compile_file(request.file, named, target);
  } catch (const CompilationError&) {
    if (request.kernel.empty() || request.file == "-") throw;
  }
  return compile_file(request.file, flags, target);
}

ObjectCode open_code(const RunRequest& request, const Device& device) {
  const Trust trust = request.trust.read();
  if (!is_source(request.file)) return open_image(read_file(request.file), request.file, trust);
  if (trust.required)
    throw Failure(
        SIGNATURE, Status::signature,
        fmt::format("{} is a source, which cannot be signed: 'cucore compile' and 'cucore "
                    "sign' make a signed container of it",
                    request.file));
  const bool is_cuda = source_type(request.file, request.flags) == SourceType::cuda_cpp;
  return compile_for(request, is_cuda && !device.is_emulated() ? CodeType::cubin : CodeType::ptx);
}

// Returns all files that are read and written, except includes of the source.
FileUse files_of(const RunRequest& request, const std::vector<Argument>& arguments,
                 const ResultRequest& results) {
  FileUse use = request.flags.files();
  use.inputs.push_back(request.file);
  for (const std::string& key : request.trust.keys.inputs()) use.inputs.push_back(key);
  for (const Argument& argument : arguments)
    if (!argument.file.empty()) use.inputs.push_back(argument.file);
  for (const Expectation& expectation : results.expectations)
    if (!expectation.file.empty()) use.inputs.push_back(expectation.file);
  for (const Indexed& output : results.outputs) use.outputs.push_back(output.value);
  request.checks.add_files_to(use);
  request.graph.add_files_to(use);
  return use;
}

// Returns the kernel's name: the requested one, or that of the only kernel.
std::string choose_kernel(const RunRequest& request, const ObjectCode& code) {
  if (!request.kernel.empty()) return request.kernel;
  std::vector<std::string> names;
  for (const Symbol& symbol : code.symbols())
    if (symbol.kind == SymbolKind::kernel) names.emplace_back(symbol.lowered_name);
  if (names.size() == 1) return names.front();
  throw usage(
      fmt::format("{} has {} kernels; choose one with --kernel: 'cucore inspect' lists them",
                  request.file, names.size()));
}

// Launches once, or as --graph requests.
LaunchTimes launch_as_requested(const RunRequest& request, const Device& device,
                                const Kernel& kernel, const LaunchShape& shape,
                                std::vector<Argument>& arguments) {
  if (request.graph.enabled()) return request.graph.run(device, kernel, shape, arguments);
  return {1, launch(device, kernel, shape, arguments), 0, ""};
}

// A fault is one of the reports.
LaunchTimes checked_launch(const CheckedRun& checked, const RunRequest& request,
                           const Device& device, const Kernel& kernel, const LaunchShape& shape,
                           std::vector<Argument>& arguments) {
  try {
    return launch_as_requested(request, device, kernel, shape, arguments);
  } catch (const Error&) {
    require_no_reports(checked);
    throw;
  }
}

std::string times_text(const RunRequest& request, const LaunchTimes& times) {
  if (!request.graph.enabled()) return fmt::format("took {:.3f} ms", times.plain);
  return fmt::format("took {:.3f} ms in {} plain launches, {:.3f} ms in {} launches of a graph",
                     times.plain, times.launches, times.graph, times.launches);
}

// With --json, all of the output.
Json describe_run(const RunRequest& request, const Device& device, const std::string& kernel,
                  const CheckedRun& checked, const LaunchTimes& times, const Json& arrays) {
  Json all = {{"device", device.name()},
              {"arch", device.arch()},
              {"kernel", kernel},
              {"milliseconds", times.plain}};
  if (request.graph.enabled()) {
    all["launches"] = times.launches;
    all["graph_milliseconds"] = times.graph;
  }
  if (!checked.schedule().empty()) all["schedule"] = checked.schedule();
  all["arrays"] = arrays;
  return all;
}

void run(const RunRequest& request) {
  LaunchShape shape{parse_extent(request.grid, "--grid"), parse_extent(request.block, "--block"),
                    request.shared};
  request.graph.require_valid();
  request.checks.require_valid();
  std::vector<Argument> arguments;
  for (const std::string& text : request.arguments) arguments.push_back(parse_argument(text));
  ResultRequest results = parse_results(request.print, request.outputs, request.expectations,
                                        request.tolerance, arguments);
  if (request.graph.take_output()) results.leave_output();
  require_distinct(files_of(request, arguments, results));
  if (request.checks.need_device()) driver_select("cpu");
  const Device device = open_device(request.device);
  const CheckedRun checked(request.checks);
  const ObjectCode code = open_code(request, device);
  const std::string name = choose_kernel(request, code);
  const Kernel kernel = code.find_kernel(name);
  check_classes(kernel, device, arguments);
  const LaunchTimes times = [&] {
    std::optional<OutputAside> aside;
    if (wants_json() || results.takes_output) aside.emplace();
    return checked_launch(checked, request, device, kernel, shape, arguments);
  }();
  require_no_reports(checked);
  if (results.print_count != 0 && !wants_json())
    print("{} ({}): {} {}\n", device.name(), device.arch(), name, times_text(request, times));
  request.graph.write(times);
  const Json arrays = report_results(results, arguments);
  if (wants_json() && !results.takes_output)
    print_json(describe_run(request, device, name, checked, times, arrays));
}

void add_launch_options(CLI::App& command, RunRequest& request) {
  command
      .add_option("-k,--kernel", request.kernel,
                  "name or expression, 'saxpy<float>'; default: the only kernel")
      ->type_name("NAME");
  add_geometry(command, request);
  command
      .add_option("--arg", request.arguments,
                  "an argument: TYPE:VALUE, or an array buf:TYPE:COUNT, with :zero, :iota, "
                  ":fill=VALUE or :file=PATH; TYPE is one of " +
                      element_type_names() + "; repeatable")
      ->type_name("ARG")
      ->allow_extra_args(false);
}

void add_result_options(CLI::App& command, RunRequest& request) {
  command
      .add_option("--print", request.print,
                  "elements of each array to print afterwards, a number or 'all'; default 8; "
                  "0 prints nothing")
      ->type_name("N");
  command
      .add_option("--output", request.outputs,
                  "write an array to a file afterwards, 1=y.bin; repeatable")
      ->type_name("INDEX=FILE")
      ->allow_extra_args(false);
  command
      .add_option("--expect", request.expectations,
                  "check an array afterwards: INDEX=VALUE for every element, or INDEX=file=PATH; "
                  "a difference is exit code 1; repeatable")
      ->type_name("INDEX=WHAT")
      ->allow_extra_args(false);
  command
      .add_option("--tolerance", request.tolerance,
                  "of --expect, relative to the expected value, absolute below 1; default 0")
      ->type_name("T");
}

}  // namespace

void add_run(CLI::App& app) {
  CLI::App* command = app.add_subcommand("run", "Launches a kernel and shows the results.");
  auto request = std::make_shared<RunRequest>();
  command
      ->add_option("file", request->file,
                   ".cuco, PTX, CUBIN or FATBIN; or CUDA C++ (.cu), compiled for the run")
      ->required()
      ->type_name("FILE");
  add_launch_options(*command, *request);
  add_result_options(*command, *request);
  request->graph.add_to(*command);
  request->checks.add_to(*command);
  request->trust.add_to(*command, "verify-");
  request->flags.add_to(*command);
  command->footer(
      "Example, for extern \"C\" __global__ void saxpy(float a, const float* x, float* y, int n):\n"
      "  cucore run saxpy.cu --kernel saxpy --grid 4 --block 256 --arg f32:2.0 \\\n"
      "    --arg buf:f32:1024:iota --arg buf:f32:1024:fill=1.0 --arg i32:1024 --print 4\n"
      "Arguments are numbered from 0 for --output and --expect.");
  command->callback([request] { run(*request); });
}

}  // namespace cucore::cli
