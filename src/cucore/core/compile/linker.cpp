// SPDX-License-Identifier: Apache-2.0
#include "core/compile/linker.hpp"

#include <algorithm>

#include "container/select.hpp"
#include "container/text.hpp"
#include "core/compile/default_arch.hpp"
#include "core/compile/definition_check.hpp"
#include "core/compile/link_classes.hpp"
#include "core/compile/link_job.hpp"
#include "core/compile/linked_symbols.hpp"
#include "core/load/objectcode.hpp"
#include "driver/nvjitlink.hpp"
#include "image/linkable.hpp"
#include "support/concat.hpp"
#include "support/join.hpp"
#include "support/log.hpp"
#include "support/sha256.hpp"

namespace cucore::core {

using container::Code;
using image::Arch;
using image::CodeType;

namespace {

// A bundle is linked by its image for the device, among those that can be linked.
size_t select_linkable(const Code& bundle, const Arch& arch) {
  const container::Target target{.device = arch.number,
                                 .ptx_isa = 0,
                                 .ptx_only = false,
                                 .can_link_ltoir = true,
                                 .nvjitlink = nvjitlink_toolkit()};
  const auto can_be_linked = [&](const image::Image& image) {
    return !image::is_linked_already(image, arch, true);
  };
  if (const auto found = container::find(bundle, target, can_be_linked)) return *found;
  return container::select(bundle, target);
}

Code image_of(const Code& bundle, const Arch& arch) {
  Code code;
  static_cast<image::Image&>(code) = bundle.images[select_linkable(bundle, arch)];
  if (code.name.empty()) code.name = bundle.name;
  return code;
}

std::string input_name(const Code& code, size_t index) {
  return code.name.empty() ? concat("input ", index) : code.name;
}

std::string describe_link(const std::vector<const Code*>& inputs, const Arch& arch) {
  std::string names;
  for (size_t i = 0; i < inputs.size(); ++i) names += (i ? ", " : "") + input_name(*inputs[i], i);
  return concat("link ", names, " for ", arch.text());
}

bool needs_lto(const std::vector<const Code*>& inputs, CodeType target, cucore_toggle asked) {
  const bool has_ltoir =
      std::ranges::any_of(inputs, [](const Code* code) { return code->type == CodeType::LTOIR; });
  if (asked == CUCORE_TOGGLE_OFF && (has_ltoir || target == CodeType::PTX))
    throw Error(Status::INVALID_ARGUMENT,
                has_ltoir
                    ? "cucore_linker_options.link_time_optimization is OFF and an input is LTOIR"
                    : "cucore_linker_options.link_time_optimization is OFF, and PTX comes out "
                      "of link-time optimisation alone");
  return asked == CUCORE_TOGGLE_ON || has_ltoir || target == CodeType::PTX;
}

void require_driver_can(const LinkJob& job, const std::string& reason) {
  const std::vector<std::string>& fields = job.options->nvjitlink_only;
  if (!fields.empty())
    throw Error(Status::UNSUPPORTED, concat("cannot ", job.what, ": these options need nvJitLink: ",
                                            join(fields, ", "), "; this is ", reason));
}

// nvJitLink would report success and leave the input out.
void require_relocatable(const LinkJob& job, const std::vector<const Code*>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (image::is_linked_already(*inputs[i], job.arch, job.lto))
      throw Error(
          Status::LINKING,
          concat("cannot ", job.what, ": ", input_name(*inputs[i], i), " (",
                 image::code_type_name(inputs[i]->type),
                 ") is linked already, and nvJitLink would leave its code out; compile it as "
                 "relocatable device code (--rdc, nvcc -dc), or to LTOIR or PTX"));
}

LinkResult run(const LinkJob& job, const LinkerChoice& choice,
               const std::vector<const Code*>& inputs) {
  if (!choice.problem.empty())
    throw Error(Status::UNSUPPORTED, concat("cannot ", job.what, ": ", choice.problem));
  const bool by_nvjitlink = choice.backend == CUCORE_BACKEND_NVJITLINK;
  if (by_nvjitlink)
    require_relocatable(job, inputs);
  else
    require_driver_can(job, choice.reason);
  DefinitionCheck definitions(job, inputs);
  definitions.require_one_of_each();
  try {
    LinkResult result = by_nvjitlink ? link_with_nvjitlink(job) : link_with_driver(job);
    require_no_error_in_log(job, result.log);
    return result;
  } catch (const Error& error) {
    definitions.explain(error);
    throw;
  }
}

int version_of(cucore_backend backend) {
  return backend == CUCORE_BACKEND_NVJITLINK ? driver::nvjitlink().version : driver::cuda().version;
}

Code to_code(LinkResult result, const LinkJob& job, const LinkerChoice& choice,
             const std::vector<const Code*>& inputs) {
  const std::string& name = job.options->name.empty() ? inputs[0]->name : job.options->name;
  Code code = container::make_code(job.target, result.bytes, container::clean_text(name), job.arch);
  code.symbols = linked_symbols(std::move(code.symbols), inputs);
  code.log = container::clean_text(result.log);
  const int version = version_of(choice.backend);
  set_producer(code, choice.backend == CUCORE_BACKEND_NVJITLINK ? "nvJitLink" : "CUDA driver",
               concat(version / 1000, ".", version % 1000 / 10));
  code.metadata["options"] = container::clean_texts(result.flags);
  std::vector<std::string> made_of;
  for (size_t i = 0; i < inputs.size(); ++i)
    made_of.push_back(concat(image::code_type_name(inputs[i]->type), " ",
                             hex(sha256(inputs[i]->data())), " ",
                             container::clean_text(input_name(*inputs[i], i))));
  code.metadata["inputs"] = std::move(made_of);
  return code;
}

}  // namespace

Code link_codes(const std::vector<const Code*>& given, CodeType target,
                const LinkerOptions& options, std::string* log, OpenClasses classes) {
  const Arch arch = options.arch.empty() ? default_arch(target) : options.arch;
  if (target == CodeType::CUBIN && arch.is_virtual)
    throw Error(Status::INVALID_ARGUMENT,
                concat("a CUBIN is for a real architecture and arch is \"", arch.text(),
                       "\"; set \"sm_", arch.text().substr(8), "\", or link to PTX"));
  std::vector<Code> picked;
  picked.reserve(given.size());
  std::vector<const Code*> inputs;
  for (const Code* code : given) {
    if (code->type == CodeType::BUNDLE) code = &picked.emplace_back(image_of(*code, arch));
    inputs.push_back(code);
  }
  LinkJob job{target,   arch, needs_lto(inputs, target, options.lto),
              &options, {},   describe_link(inputs, arch)};
  for (size_t i = 0; i < inputs.size(); ++i)
    job.inputs.push_back({inputs[i]->type, input_name(*inputs[i], i), &inputs[i]->bytes});
  const LinkerChoice choice = choose_linker(inputs, job.lto);
  LinkResult result = run(job, choice, inputs);
  if (log) *log = result.log;
  Code code = to_code(std::move(result), job, choice, inputs);
  if (classes == OpenClasses::COMPLETE) complete_classes(code.symbols, job);
  return code;
}

Linker::~Linker() = default;

void Linker::add(Ref<const ObjectCode> code) { inputs_.push_back(std::move(code)); }

bool Linker::wants_lto() const {
  return options_.lto == CUCORE_TOGGLE_ON || options_.ptx == CUCORE_TOGGLE_ON ||
         std::ranges::any_of(inputs_, [](const Ref<const ObjectCode>& input) {
           return input->code().type == CodeType::LTOIR;
         });
}

LinkerChoice Linker::choose() const {
  std::vector<const Code*> inputs;
  for (const auto& input : inputs_) inputs.push_back(&input->code());
  LinkerChoice choice = choose_linker(inputs, wants_lto());
  if (choice.reason != logged_choice_) {
    logged_choice_ = choice.reason;
    cucore::log(LogLevel::INFO, "linking with " + logged_choice_);
  }
  return choice;
}

cucore_backend Linker::backend() const { return choose().backend; }

void Linker::require_target(CodeType target) const {
  if (inputs_.empty())
    throw Error(Status::INVALID_STATE, "nothing to link: add object code with cucore_linker_add()");
  if (target == CodeType::LTOIR)
    throw Error(Status::UNSUPPORTED,
                "a link gives PTX or CUBIN; linking to LTOIR came with "
                "nvJitLink 13.3 and is not in this version");
  if (target != CodeType::PTX && target != CodeType::CUBIN)
    throw Error(Status::INVALID_ARGUMENT,
                concat("a link gives PTX or CUBIN, not ", image::code_type_name(target)));
  if (options_.ptx == CUCORE_TOGGLE_ON && target != CodeType::PTX)
    throw Error(Status::INVALID_ARGUMENT,
                "cucore_linker_options.ptx is ON and the target is CUBIN; link to PTX");
}

Ref<ObjectCode> Linker::link(CodeType target) {
  require_target(target);
  choose();
  log_.clear();
  std::vector<const Code*> inputs;
  for (const auto& input : inputs_) inputs.push_back(&input->code());
  try {
    return make<ObjectCode>(link_codes(inputs, target, options_, &log_, OpenClasses::COMPLETE));
  } catch (const Error& error) {
    log_ = error.log();
    throw;
  }
}

}  // namespace cucore::core
