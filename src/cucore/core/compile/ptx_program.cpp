// SPDX-License-Identifier: Apache-2.0
#include "core/compile/ptx_program.hpp"

#include "core/compile/default_arch.hpp"
#include "core/compile/linker.hpp"
#include "core/compile/nvrtc_options.hpp"
#include "core/load/objectcode.hpp"
#include "support/concat.hpp"
#include "support/sha256.hpp"

namespace cucore::core {

using image::CodeType;

namespace {

constexpr std::string_view PTX_OPTIONS[] = {"debug",
                                            "lineinfo",
                                            "device_code_optimize",
                                            "ftz",
                                            "prec_sqrt",
                                            "prec_div",
                                            "fma",
                                            "max_register_count",
                                            "split_compile",
                                            "ptxas_options",
                                            "time",
                                            "compiler_cache",
                                            "flags"};

void require_log_time(const char* time) {
  if (time && std::string_view(time) != "-")
    throw Error(Status::INVALID_ARGUMENT,
                "cucore_program_options.time names a file; of PTX the times go to the log, \"-\"");
}

// Converts the options to those of a linker.
cucore_linker_options translated(const cucore_program_options& from) {
  cucore_linker_options to = CUCORE_LINKER_OPTIONS_INIT;
  to.arch = from.arch;
  to.debug = from.debug;
  to.lineinfo = from.lineinfo;
  to.ftz = from.ftz;
  to.prec_sqrt = from.prec_sqrt;
  to.prec_div = from.prec_div;
  to.fma = from.fma;
  to.max_register_count = from.max_register_count;
  to.split_compile = from.split_compile;
  to.ptxas_options = from.ptxas_options;
  to.ptxas_option_count = from.ptxas_option_count;
  to.time = from.time ? CUCORE_TOGGLE_ON : CUCORE_TOGGLE_DEFAULT;
  to.linker_cache = from.compiler_cache;
  to.flags = from.flags;
  to.flag_count = from.flag_count;
  if (from.device_code_optimize != CUCORE_TOGGLE_DEFAULT)
    to.optimization_level = from.device_code_optimize == CUCORE_TOGGLE_ON ? "3" : "0";
  return to;
}

}  // namespace

PtxProgram::PtxProgram(std::string source, const cucore_program_options& options) {
  require_only(options, PTX_OPTIONS, "PTX");
  require_log_time(options.time);
  options_ = read_linker_options(translated(options), "cucore_program_options");
  options_.name = program_name(options);
  code_ = container::make_code(CodeType::PTX, std::as_bytes(std::span(source)), options_.name);
}

cucore_backend PtxProgram::backend() const {
  const container::Code* input = &code_;
  return choose_linker({&input, 1}, false).backend;
}

image::Arch PtxProgram::arch_for(CodeType target) const {
  return options_.arch.empty() ? default_arch(target) : options_.arch;
}

namespace {

void require_ptx_target(CodeType target, const std::vector<std::string>& expressions) {
  require_no_expressions(expressions, "PTX");
  if (target != CodeType::CUBIN)
    throw Error(Status::INVALID_ARGUMENT, concat("a program in PTX compiles to a CUBIN, not to ",
                                                 image::code_type_name(target)));
}

}  // namespace

container::BuildInputs PtxProgram::make_inputs(CodeType target,
                                               const std::vector<std::string>& expressions,
                                               KeyScope) const {
  require_ptx_target(target, expressions);
  container::BuildInputs out = link_inputs({&code_}, target, options_);
  // distinct from a link of the same
  out.fields.push_back(key_field(container::KeyTag::SOURCE, "PTX"));
  return out;
}

Ref<ObjectCode> PtxProgram::compile(CodeType target, const std::vector<std::string>& expressions,
                                    NvrtcRunner&) const {
  require_ptx_target(target, expressions);
  container::Code code = link_codes({&code_}, target, options_);
  code.metadata["source_sha256"] = hex(sha256(code_.data()));
  return make<ObjectCode>(std::move(code));
}

}  // namespace cucore::core
