// cucore compile: CUDA C++, PTX or NVVM IR to a .cuco container or to a raw image.
#include <cucore.h>
#include <fmt/format.h>

#include <memory>
#include <string>

#include "command.hpp"
#include "failure.hpp"
#include "files.hpp"
#include "source.hpp"
#include "target.hpp"

namespace cucore::cli {
namespace {

struct CompileRequest {
  std::string file;
  Output output;
  CompileFlags flags;
};

/// For a container that is to hold whatever fits: machine code where the architecture allows it or
/// the source leaves no choice, else PTX.
cucore_code_type default_target(const CompileRequest& request) {
  switch (source_type(request.file, request.flags)) {
    case CUCORE_SOURCE_TYPE_PTX:
      return CUCORE_CODE_TYPE_CUBIN;
    case CUCORE_SOURCE_TYPE_NVVM_IR:
      return CUCORE_CODE_TYPE_PTX;
    default:
      return request.flags.arch.starts_with("sm_") ? CUCORE_CODE_TYPE_CUBIN : CUCORE_CODE_TYPE_PTX;
  }
}

cucore_code_type choose_target(const CompileRequest& request) {
  if (const auto said = said_target(request.output)) return *said;
  if (wants_container(request.output)) return default_target(request);
  throw usage(
      fmt::format("{} does not say what to compile to: end it in .cuco, .ptx, .cubin or .ltoir, or "
                  "give --target",
                  shown_output(request.output)));
}

void compile(const CompileRequest& request) {
  require_other_file(request.output.file, {request.file});
  const ObjectCode code = compile_file(request.file, request.flags, choose_target(request));
  write_code(request.output, code.get(), Json::object());
}

}  // namespace

void add_compile(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("compile", "Compiles CUDA C++, PTX or NVVM IR to object code.");
  auto request = std::make_shared<CompileRequest>();
  command
      ->add_option("file", request->file,
                   "source: CUDA C++, PTX (.ptx) or NVVM IR (.ll, .bc); - is the standard input")
      ->required()
      ->type_name("FILE");
  request->output.add_to(*command, {"ptx", "cubin", "ltoir", "cuco"});
  request->flags.add_all_to(*command);
  command->footer(
      "Example:\n"
      "  cucore compile saxpy.cu -o saxpy.cuco --arch sm_90 --name 'saxpy<float>'\n"
      "  cucore compile saxpy.cu -o saxpy.ptx --arch compute_80 -I include -D N=16\n"
      "  cucore compile saxpy.ptx -o saxpy.cubin --arch sm_90 --maxrregcount 32\n"
      "  cucore compile saxpy.ll -o saxpy.ptx --arch compute_90 --libdevice\n"
      "A container holds a CUBIN where --arch names a real architecture, else PTX; --target\n"
      "cubin, ptx or ltoir says otherwise. PTX becomes a CUBIN, NVVM IR becomes PTX or LTOIR.\n"
      "An option that the language does not have is refused by name.");
  command->callback([request] { compile(*request); });
}

}  // namespace cucore::cli
