// SPDX-License-Identifier: Apache-2.0
// cucore compile: CUDA C++, PTX or NVVM IR to a .cuco container or to a raw image.
#include <fmt/format.h>
#include <cucore/cache.hpp>

#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "compile_many.hpp"
#include "distinct.hpp"
#include "failure.hpp"
#include "files.hpp"
#include "number_check.hpp"
#include "source.hpp"
#include "target.hpp"

namespace cucore::cli {
namespace {

struct CompileRequest {
  std::string file;
  std::vector<std::string> files;  // all of them, including the first
  std::size_t jobs = 0;
  unsigned seconds = 0;
  bool use_cache = false;
  Output output;
  CompileFlags flags;
};

CodeType choose_target(const CompileRequest& request) {
  if (const auto said = said_target(request.output)) return *said;
  if (wants_container(request.output)) return default_target(request.file, request.flags);
  throw usage(fmt::format(
      "{} does not end in the suffix of a target; expected .cuco, .ptx, .cubin or .ltoir, or "
      "give --target",
      shown_output(request.output)));
}

// With several files, the output is a folder and the target sets the suffix of its files.
void compile_all(const CompileRequest& request) {
  const std::string& target = request.output.target;
  ManyRequest many;
  many.files = request.files;
  many.folder = request.output.file;
  many.in_container = target.empty() || target == "cuco";
  many.suffix = many.in_container ? ".cuco" : "." + target;
  many.compress = request.output.compress;
  many.quiet = request.output.quiet;
  many.jobs = request.jobs;
  many.seconds = request.seconds;
  many.use_cache = request.use_cache;
  many.target = many.in_container ? default_target(request.file, request.flags)
                                  : *said_target(request.output);
  compile_many(many, request.flags);
}

ObjectCode compile_one(const CompileRequest& request) {
  const CodeType target = choose_target(request);
  if (!request.use_cache) return compile_file(request.file, request.flags, target);
  const Cache cache = Cache::open();
  return cache.compile(load_program(request.file, request.flags), target, request.flags.names);
}

void compile(CompileRequest& request) {
  request.file = request.files.front();
  if (request.files.size() > 1) return compile_all(request);
  FileUse use = request.flags.files();
  use.inputs.push_back(request.file);
  use.outputs.push_back(request.output.file);
  require_distinct(use);
  const ObjectCode code = compile_one(request);
  write_code(request.output, code, Json::object());
}

}  // namespace

void add_compile(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("compile", "Compiles CUDA C++, PTX or NVVM IR to object code.");
  auto request = std::make_shared<CompileRequest>();
  command
      ->add_option("file", request->files,
                   "source: CUDA C++, PTX (.ptx) or NVVM IR (.ll, .bc); - is the standard input. "
                   "Several are compiled at once, by worker processes, into a folder")
      ->required()
      ->type_name("FILE");
  request->output.add_to(*command, {"ptx", "cubin", "ltoir", "cuco"});
  command->add_flag("--cache", request->use_cache, "use the program cache; see 'cucore cache'");
  command->add_option("-j,--jobs", request->jobs, "worker processes; default: one per core")
      ->check(from_zero())
      ->type_name("N");
  command->add_option("--time-limit", request->seconds, "most seconds per file, of several files")
      ->check(from_zero())
      ->type_name("N");
  request->flags.add_all_to(*command);
  command->footer(
      "Example:\n"
      "  cucore compile saxpy.cu -o saxpy.cuco --arch sm_90 --name 'saxpy<float>'\n"
      "  cucore compile saxpy.cu -o saxpy.ptx --arch compute_80 -I include -D N=16\n"
      "  cucore compile saxpy.ptx -o saxpy.cubin --arch sm_90 --maxrregcount 32\n"
      "  cucore compile *.cu -o build --arch sm_90 --cache\n"
      "  cucore compile saxpy.ll -o saxpy.ptx --arch compute_90 --libdevice\n"
      "A container has a CUBIN if --arch names a real architecture, else PTX; --target cubin, "
      "ptx or ltoir overrides this. PTX becomes a CUBIN, NVVM IR becomes PTX or LTOIR.\n"
      "An option that the language does not support is refused.");
  command->callback([request] { compile(*request); });
}

}  // namespace cucore::cli
