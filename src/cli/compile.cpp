// cucore compile: CUDA C++ to a .cuco container or to a raw image.
#include <cucore.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "compile_many.hpp"
#include "failure.hpp"
#include "files.hpp"
#include "image.hpp"
#include "source.hpp"

namespace cucore::cli {
namespace {

struct CompileRequest {
  std::vector<std::string> files;
  std::size_t jobs = 0;
  unsigned seconds = 0;
  bool use_cache = false;
  std::string output;
  std::string target;
  bool compress = false;
  bool quiet = false;
  CompileFlags flags;
};

bool wants_container(const CompileRequest& request) {
  return request.target == "cuco" || file_suffix(request.output) == ".cuco";
}

/// What to compile to: as said, else as the output's suffix says, else what the architecture
/// allows: machine code for a real one, PTX where none or a virtual one is named.
cucore_code_type choose_target(const CompileRequest& request) {
  std::string target = request.target == "cuco" ? "" : request.target;
  if (target.empty() && !wants_container(request)) target = file_suffix(request.output);
  if (target == "ptx" || target == ".ptx") return CUCORE_CODE_TYPE_PTX;
  if (target == "cubin" || target == ".cubin") return CUCORE_CODE_TYPE_CUBIN;
  if (target == "ltoir" || target == ".ltoir") return CUCORE_CODE_TYPE_LTOIR;
  if (!wants_container(request))
    throw usage(
        fmt::format("{} does not say what to compile to: end it in .cuco, .ptx, .cubin or "
                    ".ltoir, or give --target",
                    request.output));
  return request.flags.arch.starts_with("sm_") ? CUCORE_CODE_TYPE_CUBIN : CUCORE_CODE_TYPE_PTX;
}

/// Of many files the output is a folder, and its files' suffix is the target's.
void compile_all(const CompileRequest& request) {
  ManyRequest many;
  many.files = request.files;
  many.folder = request.output;
  many.in_container = request.target.empty() || request.target == "cuco";
  many.suffix = many.in_container ? ".cuco" : "." + request.target;
  many.compress = request.compress;
  many.quiet = request.quiet;
  many.jobs = request.jobs;
  many.seconds = request.seconds;
  many.use_cache = request.use_cache;
  CompileRequest as_one = request;
  as_one.target = many.in_container ? "cuco" : request.target;
  many.target = choose_target(as_one);
  compile_many(many, request.flags);
}

ObjectCode compile_one(const CompileRequest& request) {
  const std::string& file = request.files.front();
  if (!request.use_cache) return compile_file(file, request.flags, choose_target(request));
  const Cache cache =
      make<Cache>(cucore_cache_open, static_cast<const cucore_cache_options*>(nullptr));
  const Program program = load_program(file, request.flags);
  const auto names = pointers(request.flags.names);
  cucore_objectcode* code = nullptr;
  call(cucore_cache_compile, cache.get(), program.get(), choose_target(request), names.data(),
       names.size(), &code, static_cast<cucore_cache_outcome*>(nullptr));
  return ObjectCode(code);
}

void compile(const CompileRequest& request) {
  if (request.files.size() > 1) return compile_all(request);
  const ObjectCode code = compile_one(request);
  const std::string container =
      wants_container(request) ? serialize(code.get(), request.compress) : std::string();
  const std::string_view bytes = container.empty() ? image_bytes(code.get()) : container;
  write_file(request.output, bytes);
  fmt::print(stderr, "{}", cucore_objectcode_log(code.get()));
  if (request.quiet || request.output == "-") return;
  fmt::print("{}: {} for {}, {} bytes{}\n", request.output,
             type_name(cucore_objectcode_type(code.get())), cucore_objectcode_arch(code.get()),
             bytes.size(), container.empty() ? "" : ", in a container");
}

}  // namespace

void add_compile(CLI::App& app) {
  CLI::App* command = app.add_subcommand("compile", "Compiles CUDA C++ to object code.");
  auto request = std::make_shared<CompileRequest>();
  command
      ->add_option("file", request->files,
                   "CUDA C++ source; - is the standard input. Several are compiled at once, by "
                   "worker processes, and the output is a folder")
      ->required()
      ->type_name("FILE...");
  command
      ->add_option("-o,--output", request->output,
                   "file to write; ending in .cuco: a container, which keeps the names; else "
                   "the raw image; - is the standard output")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("-t,--target", request->target,
                   "ptx, cubin, ltoir or cuco; default: by the output's suffix")
      ->check(CLI::IsMember({"ptx", "cubin", "ltoir", "cuco"}))
      ->type_name("KIND");
  command->add_flag("-z,--compress", request->compress, "compress the container");
  command->add_flag("-q,--quiet", request->quiet, "print nothing on success");
  command->add_flag("--cache", request->use_cache, "through the program cache; see 'cucore cache'");
  command
      ->add_option("-j,--jobs", request->jobs,
                   "worker processes for several files; default: one "
                   "a core")
      ->type_name("N");
  command
      ->add_option("--time-limit", request->seconds,
                   "seconds that each of several files may take; default: no limit")
      ->type_name("N");
  request->flags.add_to(*command);
  command->footer(
      "Example:\n"
      "  cucore compile saxpy.cu -o saxpy.cuco --arch sm_90 --name 'saxpy<float>'\n"
      "  cucore compile saxpy.cu -o saxpy.ptx --arch compute_80 -I include -D N=16\n"
      "  cucore compile *.cu -o build --arch sm_90 --cache\n"
      "A container holds a CUBIN where --arch names a real architecture, else PTX; --target\n"
      "cubin, ptx or ltoir says otherwise.");
  command->callback([request] { compile(*request); });
}

}  // namespace cucore::cli
