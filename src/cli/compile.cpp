// cucore compile: CUDA C++ to a .cuco container or to a raw image.
#include <cucore.h>
#include <fmt/format.h>

#include <memory>
#include <string>

#include "command.hpp"
#include "failure.hpp"
#include "files.hpp"
#include "image.hpp"
#include "source.hpp"

namespace cucore::cli {
namespace {

struct CompileRequest {
  std::string file;
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

void compile(const CompileRequest& request) {
  const ObjectCode code = compile_file(request.file, request.flags, choose_target(request));
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
  command->add_option("file", request->file, "CUDA C++ source; - is the standard input")
      ->required()
      ->type_name("FILE");
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
  request->flags.add_to(*command);
  command->footer(
      "Example:\n"
      "  cucore compile saxpy.cu -o saxpy.cuco --arch sm_90 --name 'saxpy<float>'\n"
      "  cucore compile saxpy.cu -o saxpy.ptx --arch compute_80 -I include -D N=16\n"
      "A container holds a CUBIN where --arch names a real architecture, else PTX; --target\n"
      "cubin, ptx or ltoir says otherwise.");
  command->callback([request] { compile(*request); });
}

}  // namespace cucore::cli
