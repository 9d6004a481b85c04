// SPDX-License-Identifier: Apache-2.0
// cucore analyze: what compiled kernels have that costs time, without a device.
#include <cucore_perf.h>
#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "files.hpp"
#include "image.hpp"
#include "launch_model.hpp"
#include "number_check.hpp"
#include "print.hpp"
#include "report.hpp"
#include "source.hpp"
#include "support/counted.hpp"
#include "support/extent.hpp"

namespace cucore::cli {
namespace {

struct AnalyzeRequest {
  std::vector<std::string> files;
  std::vector<std::string> archs, allow;
  std::vector<std::string> include_paths, definitions;
  std::string fail_on;
  cucore_analysis_options numbers = CUCORE_ANALYSIS_OPTIONS_INIT;
  std::string roof;
  bool no_sources = false, disassemble = false;
  ModelRequest model;
};

using RoofOwner = std::unique_ptr<cucore_roof, decltype(&cucore_roof_release)>;

// The roof of a file that `cucore roof --json` or cucore_roof_serialize() has written.
RoofOwner roof_of(const std::string& path) {
  if (path.empty()) return {nullptr, cucore_roof_release};
  const std::string text = read_file(path);
  cucore_roof* roof = nullptr;
  try {
    call(cucore_roof_deserialize, text.data(), text.size(), &roof);
  } catch (const Error& error) {
    throw Failure(error).about(path);
  }
  return {roof, cucore_roof_release};
}

using AnalysisOwner = std::unique_ptr<cucore_analysis, decltype(&cucore_analysis_release)>;

// The severities of --fail-on, by their names in the report.
const std::map<std::string, int>& severities() {
  static const std::map<std::string, int> all{{"note", 1}, {"warning", 2}, {"error", 3}};
  return all;
}

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> result;
  for (const std::string& text : texts) result.push_back(text.c_str());
  return result;
}

// Of sources without --arch.
constexpr const char* USUAL_ARCH = "sm_90";

// A source becomes machine code with line information, which also contains its PTX. For a virtual
// architecture it becomes PTX.
ObjectCode compile_to_analyze(const std::string& path, const AnalyzeRequest& request) {
  CompileFlags flags;
  flags.options.lineinfo = true;
  flags.options.include_paths = request.include_paths;
  flags.options.define_macros = request.definitions;
  const std::string arch = request.archs.empty() ? USUAL_ARCH : request.archs.front();
  flags.options.arch = arch;
  // With a folder, the recorded name leads to the file.
  const std::string name = path.find('/') == path.npos ? "./" + path : path;
  const bool is_virtual = arch.starts_with("compute_");
  ObjectCode code = compile_file(name, flags, is_virtual ? CodeType::ptx : CodeType::cubin);
  report_log(code);
  return code;
}

ObjectCode code_of(const std::string& path, const AnalyzeRequest& request) {
  return is_source(path) && path != "-" ? compile_to_analyze(path, request)
                                        : open_image(read_file(path), path);
}

AnalysisOwner analyze_code(const ObjectCode& code, const AnalyzeRequest& request,
                           const char* launched = nullptr) {
  const auto archs = pointers(request.archs);
  const auto allow = pointers(request.allow);
  cucore_analysis_options options = request.numbers;
  options.kernel = launched;
  options.archs = archs.data();
  options.arch_count = archs.size();
  options.allow = allow.data();
  options.allow_count = allow.size();
  options.model = request.model.full ? CUCORE_MODEL_MODE_FULL : CUCORE_MODEL_MODE_SAMPLE;
  const RoofOwner roof = roof_of(request.roof);
  options.roof = roof.get();
  options.disassembler = request.disassemble ? CUCORE_TOGGLE_ON : CUCORE_TOGGLE_OFF;
  options.sources = request.no_sources ? CUCORE_TOGGLE_OFF : CUCORE_TOGGLE_ON;
  cucore_analysis* analysis = nullptr;
  call(cucore_analysis_create, code.get(), &options, &analysis);
  return {analysis, cucore_analysis_release};
}

std::string text_of(const cucore_analysis* analysis, cucore_report_format format) {
  std::size_t size = 0;
  call(cucore_analysis_write, analysis, format, static_cast<char*>(nullptr), std::size_t{0}, &size);
  std::string text(size, '\0');
  call(cucore_analysis_write, analysis, format, text.data(), text.size(), &size);
  text.resize(size - 1);
  return text;
}

// The kernels of several files in one object of the schema.
void add_kernels(Json& all, const Json& analysis, const std::string& file) {
  all["allowed"] = all["allowed"].get<int64_t>() + analysis["allowed"].get<int64_t>();
  for (Json kernel : analysis["kernels"]) {
    kernel["image"] = file;
    all["kernels"].push_back(kernel);
  }
}

std::size_t count_from(const Json& all, int least) {
  std::size_t count = 0;
  for (const Json& kernel : all["kernels"])
    for (const Json& finding : kernel["findings"])
      count += severities().at(finding["severity"].get<std::string>()) >= least;
  return count;
}

// The launch of a model also has the sizes that the findings need.
AnalyzeRequest with_launch(AnalyzeRequest request, const LaunchShape& shape) {
  if (request.numbers.block == 0) request.numbers.block = clamped(product_of(shape.block));
  if (request.numbers.grid == 0) request.numbers.grid = clamped(product_of(shape.grid));
  if (request.numbers.shared == 0) request.numbers.shared = shape.dynamic_shared;
  return request;
}

// The sizes of the launch are those of one kernel.
AnalysisOwner analyze_launch(const ObjectCode& code, const AnalyzeRequest& request,
                             const LaunchToModel& launch) {
  const std::string kernel = launch.chosen_kernel(analyze_code(code, request).get());
  return analyze_code(code, with_launch(request, launch.shape()), kernel.c_str());
}

void analyze(const AnalyzeRequest& request) {
  std::optional<LaunchToModel> launch;
  if (request.model.is_wanted())
    launch.emplace(request.model);
  else if (!request.model.arguments.empty() || !request.model.kernel.empty() || request.model.full)
    throw usage("--arg, --kernel and --full describe a launch; add --launch grid=...,block=...");
  Json all{{"schema", "cucore.analysis/1"}, {"allowed", 0}, {"kernels", Json::array()}};
  for (const std::string& file : request.files) {
    try {
      const ObjectCode code = code_of(file, request);
      const AnalysisOwner analysis =
          launch ? analyze_launch(code, request, *launch) : analyze_code(code, request);
      Json made = Json::parse(text_of(analysis.get(), CUCORE_REPORT_FORMAT_JSON));
      std::string models;
      if (launch)
        for (const auto& [kernel, name, info] : launch->run(analysis.get())) {
          made["kernels"][kernel]["model"] = model_json(info);
          models += "\n" + model_text(name, info);
        }
      add_kernels(all, made, file);
      if (wants_json()) continue;
      if (request.files.size() > 1) print("{}\n", file);
      print("{}{}", Text{text_of(analysis.get(), CUCORE_REPORT_FORMAT_TEXT)}, Text{models});
    } catch (const Failure&) {
      throw;
    } catch (const Error& error) {
      throw Failure(error).about(file);
    }
  }
  const std::size_t grave =
      request.fail_on.empty() ? 0 : count_from(all, severities().at(request.fail_on));
  if (grave != 0)
    throw failed(fmt::format("the analysis has {} of the severity {} or above",
                             counted(grave, "finding"), request.fail_on),
                 Status::checks)
        .with(all);
  if (wants_json()) print_json(all);
}

void add_launch(CLI::App& command, AnalyzeRequest& request) {
  command.add_option("--block", request.numbers.block, "threads per block of the launch")
      ->check(from_one())
      ->type_name("N");
  command
      .add_option("--shared", request.numbers.shared, "bytes of dynamic shared memory per block")
      ->check(from_zero())
      ->type_name("N");
  command.add_option("--grid", request.numbers.grid, "blocks of the launch")
      ->check(from_one())
      ->type_name("N");
  command
      .add_option("--multiprocessors", request.numbers.multiprocessors,
                  "multiprocessors of the device")
      ->check(from_one())
      ->type_name("N");
}

}  // namespace

void add_analyze(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "analyze", "Reports what costs time in compiled kernels, without a device.");
  auto request = std::make_shared<AnalyzeRequest>();
  command
      ->add_option("files", request->files,
                   "CUBIN, PTX, fat binary or .cuco; or a source, which is compiled")
      ->required()
      ->type_name("FILE");
  command
      ->add_option(
          "--arch", request->archs,
          "list the occupancy on this architecture; repeatable; a source is compiled for the "
          "first, default sm_90")
      ->type_name("ARCH")
      ->allow_extra_args(false);
  add_launch(*command, *request);
  request->model.add_to(*command);
  command->add_option("--allow", request->allow, "do not list this finding, as A103; repeatable")
      ->type_name("ID")
      ->allow_extra_args(false);
  command
      ->add_option("--fail-on", request->fail_on,
                   "fail if a finding has this severity or a higher one")
      ->check(CLI::IsMember({"note", "warning", "error"}))
      ->type_name("LEVEL");
  command->add_flag("--disassemble", request->disassemble,
                    "also print the machine code, by nvdisasm of the CUDA toolkit");
  command
      ->add_option("--roof", request->roof,
                   "of --launch: the least time at the rates of this file of 'cucore roof --json'")
      ->type_name("FILE");
  command->add_flag("--no-sources", request->no_sources,
                    "do not read the sources for comments with 'cucore: allow(A103)'");
  command
      ->add_option("-I,--include-path", request->include_paths,
                   "of a source: search this folder for headers; repeatable")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command
      ->add_option("-D,--define-macro", request->definitions,
                   "of a source: define a macro; repeatable")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false);
  command->footer(
      "Example:\n"
      "  cucore analyze saxpy.cubin --fail-on warning\n"
      "  cucore analyze saxpy.cubin --launch grid=4096,block=256 \\\n"
      "    --arg f32:2.0 --arg buf --arg buf --arg i32:1048576\n"
      "Code that was compiled with --lineinfo has source lines, and its CUBIN contains the PTX "
      "that most findings need.\n"
      "Exit codes: 0 analysed; 1 a finding of --fail-on, or a file cannot be read.");
  command->callback([request] { analyze(*request); });
}

}  // namespace cucore::cli
