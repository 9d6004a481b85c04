// SPDX-License-Identifier: Apache-2.0
// The inputs that the result of a link depends on, for the cache.
#include <algorithm>

#include "core/compile/default_arch.hpp"
#include "core/compile/linker.hpp"
#include "core/load/objectcode.hpp"
#include "driver/cuda.hpp"
#include "driver/library_build.hpp"
#include "driver/nvjitlink.hpp"
#include "support/concat.hpp"
#include "support/sha256.hpp"

namespace cucore::core {

using container::Code;
using container::key_field;
using container::KeyTag;
using image::CodeType;

namespace {

std::string build_of(cucore_backend backend) {
  if (backend == CUCORE_BACKEND_NVJITLINK) {
    const auto& table = driver::nvjitlink();
    return concat(table.version, " ", driver::library_build(table.nvJitLinkDestroy));
  }
  const auto& table = driver::cuda();
  return concat(table.version, " ", driver::library_build(table.cuDriverGetVersion));
}

// The symbols of an input are also in the result, so the result depends on them.
std::string describe_input(const image::Image& image) {
  Sha256 symbols;
  for (const auto& symbol : image.symbols) {
    symbols.update(concat(symbol.expression.size(), ":", symbol.expression, "=",
                          symbol.lowered_name.size(), ":", symbol.lowered_name, ";"));
    if (!symbol.parameters) continue;
    for (const auto& parameter : *symbol.parameters)
      symbols.update(concat(static_cast<uint32_t>(parameter.parameter_class)));
  }
  return concat(image::code_type_name(image.type), " ", image.arch.text(), " ",
                hex(sha256(image.data())), " ", hex(symbols.finish()), " ", image.name);
}

void add_input(std::vector<container::KeyField>& fields, const Code& code) {
  if (code.type != CodeType::BUNDLE) {
    fields.push_back(key_field(KeyTag::INPUT, describe_input(code)));
    return;
  }
  fields.push_back(key_field(KeyTag::INPUT, concat("BUNDLE ", code.images.size(), " ", code.name)));
  for (const image::Image& image : code.images)
    fields.push_back(key_field(KeyTag::INPUT, describe_input(image)));
}

const char* toggle_text(cucore_toggle toggle) {
  return toggle == CUCORE_TOGGLE_ON ? "on" : toggle == CUCORE_TOGGLE_OFF ? "off" : "default";
}

std::string side_effect_of(const LinkerOptions& options) {
  if (options.cache)
    return "cucore_linker_options.linker_cache is ON: the linker keeps results by itself";
  for (const char* flag : {"-time", "--time"})
    if (std::ranges::find(options.flags, flag) != options.flags.end())
      return "-time makes each log another";
  return {};
}

}  // namespace

container::BuildInputs link_inputs(const std::vector<const Code*>& inputs, CodeType target,
                                   const LinkerOptions& options) {
  const bool lto =
      options.lto == CUCORE_TOGGLE_ON || target == CodeType::PTX ||
      std::ranges::any_of(inputs, [](const Code* code) { return code->type == CodeType::LTOIR; });
  const LinkerChoice choice = choose_linker(inputs, lto);
  container::BuildInputs out;
  out.target = target;
  out.arch = options.arch.empty() ? default_arch(target) : options.arch;
  out.label = options.name.empty() && !inputs.empty() ? inputs[0]->name : options.name;
  out.bypass = side_effect_of(options);
  // A link that is impossible must report that itself.
  if (!choice.problem.empty()) out.bypass = choice.problem;
  const bool by_driver = choice.backend == CUCORE_BACKEND_DRIVER;
  out.fields = {key_field(KeyTag::PRODUCER, by_driver ? "CUDA driver" : "nvJitLink"),
                key_field(KeyTag::BUILD, out.bypass.empty() ? build_of(choice.backend) : ""),
                key_field(KeyTag::TARGET, image::code_type_name(target)),
                key_field(KeyTag::ARCH, out.arch.text()), key_field(KeyTag::NAME, out.label),
                key_field(KeyTag::OPTION, concat("lto ", toggle_text(options.lto))),
                key_field(KeyTag::OPTION, concat("ptx ", toggle_text(options.ptx))),
                // Caches may contain results of links whose definitions were not compared.
                key_field(KeyTag::OPTION, "one definition")};
  for (const std::string& flag : options.flags)
    out.fields.push_back(key_field(KeyTag::OPTION, flag));
  for (const Code* code : inputs) add_input(out.fields, *code);
  return out;
}

container::BuildInputs Linker::inputs(CodeType target) const {
  require_target(target);
  std::vector<const Code*> codes;
  for (const auto& input : inputs_) codes.push_back(&input->code());
  container::BuildInputs out = link_inputs(codes, target, options_);
  out.digest = container::digest_of(out.fields);
  return out;
}

}  // namespace cucore::core
