// SPDX-License-Identifier: Apache-2.0
// cucore profile: what holds a kernel or a whole program back.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "launch_options.hpp"
#include "number_check.hpp"
#include "profiled_kernel.hpp"
#include "profiled_program.hpp"
#include "report.hpp"

namespace cucore::cli {
namespace {

struct ProfileRequest {
  std::vector<std::string> words;  // a file with a kernel, or a program and its arguments
  ProfiledKernel kernel;
};

void profile_kernel(const ProfileRequest& request) {
  if (request.kernel.block.empty())
    throw usage("the launch of a kernel requires --block EXTENT, threads per block");
  if (request.words.size() > 1)
    throw usage(
        fmt::format("{} is one argument too many; a kernel is in one file", request.words[1]));
  request.kernel.run(request.words.front());
}

// Whether a name is that of code, and not of a program.
bool is_code(const std::string& name) {
  constexpr std::array ENDINGS{".ptx", ".cubin", ".fatbin", ".cuco", ".ltoir"};
  return is_source(name) ||
         std::ranges::any_of(ENDINGS, [&](const char* ending) { return name.ends_with(ending); });
}

// Options of a launch and of the compiler have no meaning for a program, which launches its own
// kernels.
void require_options_of_program(const CLI::App& command) {
  constexpr std::array OF_PROGRAM{"file", "--html", "--trace", "--csv"};
  for (const CLI::Option* const option : command.get_options())
    if (option->count() != 0 && std::ranges::count(OF_PROGRAM, option->get_name()) == 0)
      throw usage(fmt::format("{} is of a kernel, and needs --kernel NAME", option->get_name()));
}

void profile_program(const CLI::App& command, const ProfileRequest& request) {
  if (is_code(request.words.front()))
    throw usage(fmt::format("{} is code; expected --kernel NAME, the kernel to launch",
                            request.words.front()));
  require_options_of_program(command);
  ProfiledProgram program;
  program.words = request.words;
  program.driver = command.get_parent()->get_option("--driver")->as<std::string>();
  program.html = request.kernel.html;
  program.trace = request.kernel.trace;
  program.csv = request.kernel.csv;
  program.run();
}

void add_kernel_options(CLI::App& command, ProfiledKernel& kernel) {
  command.add_option("-k,--kernel", kernel.kernel, "name or expression, 'saxpy<float>'")
      ->type_name("NAME");
  add_geometry(command, kernel);
  command.get_option("--block")->required(false);
  command.add_option("--arg", kernel.arguments, "an argument, as of 'cucore run'; repeatable")
      ->type_name("ARG")
      ->allow_extra_args(false);
  command
      .add_option("--launches", kernel.launches,
                  "how often the kernel is launched; default 20, on the CPU device 1")
      ->check(from_one())
      ->type_name("N");
  command
      .add_option("--preset", kernel.preset,
                  "read these counters of a GPU: quick, balanced, flops, memory, roof or all")
      ->check(CLI::IsMember({"quick", "balanced", "flops", "memory", "roof", "all"}))
      ->type_name("NAME");
}

void add_outputs(CLI::App& command, ProfiledKernel& kernel) {
  command
      .add_option("--html", kernel.html, "write the report as a page with roofline and timeline")
      ->type_name("FILE");
  command.add_option("--trace", kernel.trace, "write the timeline for Perfetto")->type_name("FILE");
  command
      .add_option("--plot", kernel.plot,
                  "of a kernel: draw times and roofline with gnuplot; the script is FILE.gp")
      ->type_name("FILE.svg");
  command.add_flag("--csv", kernel.csv, "print a line per kernel with commas");
}

}  // namespace

void add_profile(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("profile", "Reports what holds a kernel or a program back.");
  auto request = std::make_shared<ProfileRequest>();
  command
      ->add_option("file", request->words,
                   "a file with code, with --kernel: as of 'cucore run'; or a program and its "
                   "arguments, after --")
      ->required()
      ->type_name("FILE|PROGRAM");
  add_kernel_options(*command, request->kernel);
  add_outputs(*command, request->kernel);
  request->kernel.flags.add_to(*command);
  command->footer(
      "Examples:\n"
      "  cucore profile saxpy.cu --kernel saxpy --grid 4096 --block 256 --arg f32:2.0 \\\n"
      "    --arg buf:f32:1048576 --arg buf:f32:1048576 --arg i32:1048576 --html saxpy.html\n"
      "  cucore profile --html train.html -- python3 train.py --epochs 1\n"
      "The report of a program goes to stderr, with --json or --csv to the standard output; then "
      "the program's own output goes to stderr. The exit code is that of the program.");
  command->callback([command, request] {
    if (request->kernel.csv && wants_json()) throw usage("--csv and --json exclude each other");
    if (request->kernel.kernel.empty())
      profile_program(*command, *request);
    else
      profile_kernel(*request);
  });
}

}  // namespace cucore::cli
