// SPDX-License-Identifier: Apache-2.0
// cucore link: combines several images into one.
#include <fmt/format.h>

#include <cucore/linker.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "distinct.hpp"
#include "failure.hpp"
#include "files.hpp"
#include "image.hpp"
#include "report.hpp"
#include "support/counted.hpp"
#include "target.hpp"
#include "terminal.hpp"
#include "toggles.hpp"
#include "trust.hpp"

namespace cucore::cli {
namespace {

struct LinkRequest {
  std::vector<std::string> files;
  Output output;
  TrustFlags trust;
  LinkerOptions options;
};

constexpr ToggleRow<LinkerOptions> LINKER_TOGGLES[] = {
    {&LinkerOptions::link_time_optimization, "lto",
     "optimise across the inputs; default: on if an input is LTOIR or the target is PTX"},
    {&LinkerOptions::debug, "debug", "debug information"},
    {&LinkerOptions::lineinfo, "lineinfo", "line numbers for profilers"},
    {&LinkerOptions::ftz, "ftz", "denormal floats become 0"},
    {&LinkerOptions::prec_div, "prec-div", "exact division of floats"},
    {&LinkerOptions::prec_sqrt, "prec-sqrt", "exact square roots of floats"},
    {&LinkerOptions::fma, "fma", "contract to fused multiply-add"},
    {&LinkerOptions::optimize_unused_variables, "optimize-unused-variables",
     "drop variables that no device code refers to"},
    {&LinkerOptions::time, "time", "times of the phases into the log"},
    {&LinkerOptions::verbose, "linker-verbose", "more details into the log"},
    {&LinkerOptions::linker_cache, "linker-cache", "let nvJitLink cache results in the driver"},
};

CodeType choose_target(const LinkRequest& request) {
  const auto target = said_target(request.output);
  if (target == CodeType::ptx || target == CodeType::cubin) return *target;
  if (target)
    throw usage(fmt::format("a link makes a CUBIN or PTX, not {}: give --target cubin or ptx",
                            type_name(*target)));
  if (!wants_container(request.output))
    throw usage(
        fmt::format("{} does not end in the suffix of a target; expected .cuco, .cubin or .ptx, or "
                    "give --target",
                    shown_output(request.output)));
  return request.options.arch.starts_with("compute_") ? CodeType::ptx : CodeType::cubin;
}

const char* backend_name(Backend backend) {
  return backend == Backend::nvjitlink ? "nvJitLink" : "CUDA driver";
}

void link(LinkRequest& request) {
  FileUse use{request.files, {request.output.file}};
  for (const std::string& key : request.trust.keys.inputs()) use.inputs.push_back(key);
  require_distinct(use);
  const CodeType target = choose_target(request);
  const Trust trust = request.trust.read();
  if (target == CodeType::ptx) request.options.ptx = true;
  const Linker linker = Linker::create(request.options);
  for (const std::string& file : request.files) {
    const ObjectCode input = open_image(read_file(file), file, trust);
    add_log_name(std::string(input.name()));
    linker.add(input);
  }
  if (request.files.size() == 1) set_log_source(request.files.front());
  const ObjectCode code = [&] {
    const Progress progress(fmt::format("linking {}", counted(request.files.size(), "file")));
    return linker.link(target);
  }();
  const Json more{{"linker", backend_name(linker.backend())}};
  write_code(request.output, code, more);
}

void add_lists(CLI::App& command, LinkRequest& request) {
  const auto list = [&](const char* name, std::vector<std::string>& to, const char* what,
                        const char* type) {
    command.add_option(name, to, what)->type_name(type)->allow_extra_args(false);
  };
  list("--kernels-used", request.options.kernels_used,
       "kernel to keep; others are dropped; repeatable", "NAME");
  list("--variables-used", request.options.variables_used,
       "variable to keep; others are dropped; repeatable", "NAME");
  list("-X,--ptxas", request.options.ptxas_options, "passed to ptxas, --ptxas=-v; repeatable",
       "OPTION");
  list("-f,--flag", request.options.flags, "passed to nvJitLink unchanged, --flag=-lto; repeatable",
       "FLAG");
}

void add_options(CLI::App& command, LinkRequest& request) {
  command.add_option("-a,--arch", request.options.arch, "architecture, sm_90; default: device 0's")
      ->type_name("ARCH");
  command
      .add_option("--name", request.options.name, "of the result; default: that of the first input")
      ->type_name("NAME");
  for (const ToggleRow<LinkerOptions>& row : LINKER_TOGGLES)
    add_toggle(command, request.options, row.field, row.name, row.what);
  command.add_option("-O,--optimize", request.options.optimization_level, "0 or 3")
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
