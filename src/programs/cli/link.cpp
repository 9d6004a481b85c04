// SPDX-License-Identifier: Apache-2.0
// cucore link: combines several images into one.
#include <cucore.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "distinct.hpp"
#include "failure.hpp"
#include "files.hpp"
#include "image.hpp"
#include "report.hpp"
#include "strings.hpp"
#include "target.hpp"
#include "terminal.hpp"
#include "toggles.hpp"
#include "trust.hpp"

namespace cucore::cli {
namespace {

struct LinkRequest {
  std::vector<std::string> files;
  Output output;
  std::string name;
  std::string arch;
  std::string level;
  std::vector<std::string> kernels;
  std::vector<std::string> variables;
  std::vector<std::string> ptxas;
  std::vector<std::string> flags;
  TrustFlags trust;
  cucore_linker_options options = CUCORE_LINKER_OPTIONS_INIT;
};

struct ToggleRow {
  cucore_toggle cucore_linker_options::*field;
  const char* name;
  const char* what;
};
constexpr ToggleRow TOGGLES[] = {
    {&cucore_linker_options::link_time_optimization, "lto",
     "optimise across the inputs; default: on if an input is LTOIR or the target is PTX"},
    {&cucore_linker_options::debug, "debug", "debug information"},
    {&cucore_linker_options::lineinfo, "lineinfo", "line numbers for profilers"},
    {&cucore_linker_options::ftz, "ftz", "denormal floats become 0"},
    {&cucore_linker_options::prec_div, "prec-div", "exact division of floats"},
    {&cucore_linker_options::prec_sqrt, "prec-sqrt", "exact square roots of floats"},
    {&cucore_linker_options::fma, "fma", "contract to fused multiply-add"},
    {&cucore_linker_options::optimize_unused_variables, "optimize-unused-variables",
     "drop variables that no device code refers to"},
    {&cucore_linker_options::time, "time", "times of the phases into the log"},
    {&cucore_linker_options::verbose, "linker-verbose", "more details into the log"},
    {&cucore_linker_options::linker_cache, "linker-cache",
     "let nvJitLink cache results in the driver"},
};

cucore_code_type choose_target(const LinkRequest& request) {
  const auto target = said_target(request.output);
  if (target == CUCORE_CODE_TYPE_PTX || target == CUCORE_CODE_TYPE_CUBIN) return *target;
  if (target)
    throw usage(fmt::format("a link makes a CUBIN or PTX, not {}: give --target cubin or ptx",
                            type_name(*target)));
  if (!wants_container(request.output))
    throw usage(
        fmt::format("{} has no suffix of a target: end it in .cuco, .cubin or .ptx, or "
                    "give --target",
                    shown_output(request.output)));
  return request.arch.starts_with("compute_") ? CUCORE_CODE_TYPE_PTX : CUCORE_CODE_TYPE_CUBIN;
}

Linker make_linker(LinkRequest& request, cucore_code_type target) {
  cucore_linker_options& options = request.options;
  const auto kernels = pointers(request.kernels);
  const auto variables = pointers(request.variables);
  const auto ptxas = pointers(request.ptxas);
  const auto flags = pointers(request.flags);
  options.name = or_null(request.name);
  options.arch = or_null(request.arch);
  options.optimization_level = or_null(request.level);
  options.kernels_used = kernels.data();
  options.kernels_used_count = kernels.size();
  options.variables_used = variables.data();
  options.variables_used_count = variables.size();
  options.ptxas_options = ptxas.data();
  options.ptxas_option_count = ptxas.size();
  options.flags = flags.data();
  options.flag_count = flags.size();
  if (target == CUCORE_CODE_TYPE_PTX) options.ptx = CUCORE_TOGGLE_ON;
  return make<Linker>(cucore_linker_create, &options);
}

const char* backend_name(std::int32_t backend) {
  return backend == CUCORE_BACKEND_NVJITLINK ? "nvJitLink" : "CUDA driver";
}

void link(LinkRequest& request) {
  FileUse use{request.files, {request.output.file}};
  for (const std::string& key : request.trust.keys.inputs()) use.inputs.push_back(key);
  require_distinct(use);
  const cucore_code_type target = choose_target(request);
  const Trust trust = request.trust.read();
  const Linker linker = make_linker(request, target);
  for (const std::string& file : request.files) {
    const ObjectCode input = open_image(read_file(file), file, trust);
    add_log_name(cucore_objectcode_name(input.get()));
    call(cucore_linker_add, linker.get(), input.get());
  }
  if (request.files.size() == 1) set_log_source(request.files.front());
  const ObjectCode code = [&] {
    const Progress progress(fmt::format("linking {}", counted(request.files.size(), "file")));
    return make<ObjectCode>(cucore_linker_link, linker.get(), target);
  }();
  const Json more{{"linker", backend_name(cucore_linker_backend(linker.get()))}};
  write_code(request.output, code.get(), more);
}

void add_lists(CLI::App& command, LinkRequest& request) {
  const auto list = [&](const char* name, std::vector<std::string>& to, const char* what,
                        const char* type) {
    command.add_option(name, to, what)->type_name(type)->allow_extra_args(false);
  };
  list("--kernels-used", request.kernels, "kernel to keep; others are dropped; repeatable", "NAME");
  list("--variables-used", request.variables, "variable to keep; others are dropped; repeatable",
       "NAME");
  list("-X,--ptxas", request.ptxas, "passed to ptxas, --ptxas=-v; repeatable", "OPTION");
  list("-f,--flag", request.flags, "passed to nvJitLink unchanged, --flag=-lto; repeatable",
       "FLAG");
}

void add_options(CLI::App& command, LinkRequest& request) {
  command.add_option("-a,--arch", request.arch, "architecture, sm_90; default: device 0's")
      ->type_name("ARCH");
  command.add_option("--name", request.name, "of the result; default: that of the first input")
      ->type_name("NAME");
  for (const ToggleRow& row : TOGGLES)
    add_toggle(command, request.options, row.field, row.name, row.what);
  command.add_option("-O,--optimize", request.level, "0 or 3")
      ->check(CLI::IsMember({"0", "3"}))
      ->type_name("LEVEL");
  command
      .add_option("--maxrregcount", request.options.max_register_count, "most registers per thread")
      ->type_name("N");
  command
      .add_option("--split-compile", request.options.split_compile,
                  "threads that optimise; -1: all cores")
      ->type_name("N");
  command
      .add_option("--split-compile-extended", request.options.split_compile_extended,
                  "the same for all phases")
      ->type_name("N");
  add_lists(command, request);
}

}  // namespace

void add_link(CLI::App& app) {
  CLI::App* command = app.add_subcommand("link", "Combines several images into one.");
  auto request = std::make_shared<LinkRequest>();
  command
      ->add_option(
          "files", request->files,
          "inputs of any kind, also mixed: .cuco, PTX, CUBIN, FATBIN, LTOIR, object files, "
          "archives")
      ->required()
      ->type_name("FILE");
  request->output.add_to(*command, {"cubin", "ptx", "cuco"});
  add_options(*command, *request);
  request->trust.add_to(*command, "verify-");
  command->footer(
      "Example:\n"
      "  cucore compile main.cu -o main.ltoir --arch sm_90 --name 'saxpy<float>'\n"
      "  cucore compile helper.cu -o helper.ltoir --arch sm_90\n"
      "  cucore link main.ltoir helper.ltoir -o program.cubin --arch sm_90 --lto\n"
      "Name expressions of the inputs also find their kernels in a linked container.");
  command->callback([request] { link(*request); });
}

}  // namespace cucore::cli
