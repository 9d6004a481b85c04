// SPDX-License-Identifier: Apache-2.0
#include "core/compile/program.hpp"

#include <algorithm>

#include "container/text.hpp"
#include "core/compile/class_probe.hpp"
#include "core/compile/default_arch.hpp"
#include "core/compile/missing_header.hpp"
#include "core/compile/nvrtc_options.hpp"
#include "core/compile/nvrtc_program.hpp"
#include "core/compile/nvvm_program.hpp"
#include "core/compile/ptx_program.hpp"
#include "core/compile/source_classes.hpp"
#include "core/load/objectcode.hpp"
#include "support/concat.hpp"
#include "support/log.hpp"
#include "support/sha256.hpp"

namespace cucore::core {

using image::Arch;
using image::CodeType;

// The inputs of one compile beyond the program itself.
struct CudaProgram::Job {
  CodeType target;
  Arch arch;
  std::vector<std::string> flags;
  std::vector<std::string> expressions;
  std::vector<std::string> toolkit_folders;  // of headers, searched after all others

  // With the folders, which are apart because machine code and its options must not depend on
  // where a machine has its toolkit.
  std::vector<std::string> all_flags() const {
    std::vector<std::string> all = flags;
    for (const std::string& folder : toolkit_folders) all.push_back("--include-path=" + folder);
    return all;
  }
};

namespace {

void require_arch(const char* arch) {
  if (!Arch::parse(arch))
    throw Error(Status::INVALID_ARGUMENT,
                concat("cucore_program_options.arch is \"", arch,
                       "\"; write it as \"sm_90\", \"sm_90a\" or \"compute_90\""));
}

// Adds one field of the seed's input, its length first, so that different lists of fields differ.
void add_field(Sha256& hash, std::string_view field) {
  hash.update(concat(field.size(), ":")).update(field);
}

void add_fields(Sha256& hash, const std::vector<std::string>& fields) {
  add_field(hash, concat(fields.size()));
  for (const std::string& field : fields) add_field(hash, field);
}

// Machine code records only sizes. `ptx` is its source; the code is complete without it.
void add_parameter_classes(container::Code& code, const image::Bytes& ptx) {
  if (ptx.empty()) return;
  try {
    image::adopt_classes(code.symbols, image::inspect(CodeType::PTX, ptx).symbols);
  } catch (const Error& error) {
    log(LogLevel::DEBUG, "the classes of parameters are unknown: " + error.message());
  }
}

}  // namespace

Ref<Program> Program::create(cucore_source_type type, std::string source,
                             const cucore_program_options& options) {
  if (options.arch) require_arch(options.arch);
  if (options.reserved != 0)
    throw Error(Status::INVALID_ARGUMENT,
                concat("cucore_program_options.reserved is ", options.reserved, "; leave it 0"));
  if (options.reserved_1 != 0)
    throw Error(Status::INVALID_ARGUMENT, concat("cucore_program_options.reserved_1 is ",
                                                 options.reserved_1, "; leave it 0"));
  prepare_sha256();  // a compile may run in a thread of a binding
  switch (type) {
    case CUCORE_SOURCE_TYPE_CUDA_CPP:
      return make<CudaProgram>(std::move(source), options);
    case CUCORE_SOURCE_TYPE_PTX:
      return make<PtxProgram>(std::move(source), options);
    case CUCORE_SOURCE_TYPE_NVVM_IR:
      return make<NvvmProgram>(std::move(source), options);
    default:
      throw Error(Status::INVALID_ARGUMENT,
                  concat("type is ", static_cast<int>(type), ", not a cucore_source_type"));
  }
}

std::shared_ptr<const container::BuildInputs> Program::inputs(
    CodeType target, const std::vector<std::string>& expressions, KeyScope scope) const {
  constexpr size_t MOST = 64;  // programs with more combinations compute them again
  const Arch arch = arch_for(target);
  {
    std::lock_guard lock(inputs_mutex_);
    for (const Known& known : known_inputs_)
      if (known.target == target && known.arch == arch && known.scope == scope &&
          known.expressions == expressions)
        return known.inputs;
  }
  container::BuildInputs made = make_inputs(target, expressions, scope);
  made.digest = container::digest_of(made.fields);
  auto inputs = std::make_shared<const container::BuildInputs>(std::move(made));
  std::lock_guard lock(inputs_mutex_);
  if (known_inputs_.size() < MOST)
    known_inputs_.push_back({target, arch, scope, expressions, inputs});
  return inputs;
}

std::string program_name(const cucore_program_options& options) {
  return options.name && *options.name ? options.name : "default_program";
}

void require_no_expressions(const std::vector<std::string>& expressions, const char* source) {
  if (!expressions.empty())
    throw Error(Status::INVALID_ARGUMENT,
                concat("name expressions are for CUDA C++; of ", source,
                       " every kernel is found under the name that it has there"));
}

CudaProgram::CudaProgram(std::string source, const cucore_program_options& options)
    : source_(std::move(source)),
      name_(program_name(options)),
      arch_(options.arch ? options.arch : ""),
      flags_(nvrtc_flags(options)),
      header_names_(copy_strings(options.header_names, options.header_count, "header_names")),
      header_sources_(copy_strings(options.header_sources, options.header_count, "header_sources")),
      has_seed_(options.random_seed != nullptr),
      compiler_cache_(options.compiler_cache == CUCORE_TOGGLE_ON),
      links_(options.link_time_optimization == CUCORE_TOGGLE_ON),
      uses_toolkit_(options.toolkit_headers != CUCORE_TOGGLE_OFF),
      reuses_results_(options.compiler_cache != CUCORE_TOGGLE_OFF) {
  if (const size_t nul = source_.find('\0'); nul != std::string::npos)
    throw Error(Status::INVALID_ARGUMENT, concat("the source has a NUL at offset ", nul,
                                                 "; pass the length of the text as size"));
  if (options.use_libdevice != CUCORE_TOGGLE_DEFAULT || options.extra_source_count != 0)
    throw Error(Status::INVALID_ARGUMENT,
                concat("cucore_program_options.",
                       options.extra_source_count ? "extra_sources" : "use_libdevice",
                       " is for NVVM IR; leave it at its default"));
  if (has_seed_) flags_.push_back(concat("--frandom-seed=", options.random_seed));
  file_flags_ = read_file_flags(flags_);
  may_read_files_ = container::may_read_files(*make_file_access());
}

Arch CudaProgram::arch_for(CodeType target) const {
  if (arch_.empty()) return default_arch(target);
  const Arch arch = *Arch::parse(arch_);
  if (target == CodeType::CUBIN && arch.is_virtual)
    throw Error(Status::INVALID_ARGUMENT,
                concat("a CUBIN is for a real architecture and arch is \"", arch_, "\"; set \"sm_",
                       arch_.substr(arch_.find('_') + 1), "\", or compile to PTX"));
  return arch;
}

CudaProgram::Job CudaProgram::prepare(CodeType target,
                                      const std::vector<std::string>& expressions) const {
  if (target != CodeType::PTX && target != CodeType::CUBIN && target != CodeType::LTOIR)
    throw Error(Status::INVALID_ARGUMENT,
                concat("a program compiles to PTX, CUBIN or LTOIR, not to ",
                       image::code_type_name(target)));
  if (links_ && target != CodeType::LTOIR)
    throw Error(
        Status::INVALID_ARGUMENT,
        concat("with cucore_program_options.link_time_optimization NVRTC makes LTOIR alone, not ",
               image::code_type_name(target), "; compile to LTOIR, or turn it off"));
  Job job{target, arch_for(target), {}, expressions, {}};
  std::ranges::sort(job.expressions);
  // std::ranges::unique of libstdc++ 12 does not compile with clang 14.
  job.expressions.erase(std::unique(job.expressions.begin(), job.expressions.end()),
                        job.expressions.end());

  job.flags.push_back("--gpu-architecture=" + job.arch.text());
  job.flags.insert(job.flags.end(), flags_.begin(), flags_.end());
  if (target == CodeType::LTOIR && !links_) job.flags.push_back("--dlink-time-opt");
  // From 12.9 on NVRTC would open the driver for its own cache, even without a GPU.
  if (!compiler_cache_ && driver::nvrtc().version >= 12090) job.flags.push_back("--no-cache");
  if (uses_toolkit_ && may_read_files_) job.toolkit_folders = driver::toolkit_headers().folders;
  return job;
}

// Without a seed NVRTC puts the process id into the names of anonymous namespaces.
std::string CudaProgram::derived_seed(const Job& job) const {
  Sha256 hash;
  add_field(hash, concat(driver::nvrtc().version));
  add_field(hash, image::code_type_name(job.target));
  add_fields(hash, job.flags);
  add_field(hash, name_);
  add_field(hash, source_);
  add_fields(hash, header_names_);
  add_fields(hash, header_sources_);
  add_fields(hash, job.expressions);
  return hex(hash.finish());
}

std::unique_ptr<container::FileAccess> CudaProgram::make_file_access() const {
  auto access = std::make_unique<container::FileAccess>();
  access->texts.push_back({name_, source_});
  for (size_t i = 0; i < header_names_.size(); ++i)
    access->texts.push_back({header_names_[i], header_sources_[i]});
  access->include_paths = file_flags_.include_paths;
  access->pre_includes = file_flags_.pre_includes;
  access->search_siblings = file_flags_.search_siblings;
  const size_t slash = name_.rfind('/');
  if (slash != std::string::npos) access->own_folder = name_.substr(0, slash + 1);
  return access;
}

bool CudaProgram::uses_current_directory() const {
  const size_t slash = name_.rfind('/');
  return file_flags_.names_current_directory || (slash != std::string::npos && name_[0] != '/');
}

container::BuildInputs CudaProgram::make_inputs(CodeType target,
                                                const std::vector<std::string>& expressions,
                                                KeyScope scope) const {
  using container::key_field;
  using container::KeyTag;
  const Job job = prepare(target, expressions);
  container::BuildInputs out;
  out.target = target;
  out.arch = job.arch;
  out.label = name_;
  const std::string& side_effect = file_flags_.side_effect;
  if (!side_effect.empty()) out.bypass = side_effect + " makes each compile another";
  if (compiler_cache_)
    out.bypass =
        "cucore_program_options.compiler_cache is ON: the compiler keeps results by itself";
  out.traces_files = driver::nvrtc().version >= 12080;
  out.uses_current_directory = uses_current_directory();
  if (may_read_files_) {
    auto files = make_file_access();
    files->include_paths.insert(files->include_paths.end(), job.toolkit_folders.begin(),
                                job.toolkit_folders.end());
    out.files = std::move(files);
  }
  out.fields = {key_field(KeyTag::PRODUCER, "NVRTC"),
                key_field(KeyTag::TARGET, image::code_type_name(target)),
                key_field(KeyTag::ARCH, job.arch.text()), key_field(KeyTag::NAME, name_),
                key_field(KeyTag::SOURCE, sha256(source_))};
  // A process has one compiler. A query of its build costs a compile of an empty program.
  if (scope == KeyScope::ALL_PROCESSES)
    out.fields.insert(out.fields.begin() + 1, key_field(KeyTag::BUILD, driver::nvrtc_build()));
  for (const std::string& flag : job.all_flags())
    out.fields.push_back(key_field(KeyTag::OPTION, flag));
  for (size_t i = 0; i < header_names_.size(); ++i)
    out.fields.push_back(
        key_field(KeyTag::HEADER, concat(header_names_[i], "\n", hex(sha256(header_sources_[i])))));
  for (const std::string& expression : job.expressions)
    out.fields.push_back(key_field(KeyTag::EXPRESSION, expression));
  return out;
}

void CudaProgram::trace_files(CodeType target, const std::vector<std::string>& expressions,
                              const std::string& path, NvrtcRunner& runner) const {
  Job job = prepare(target, expressions);
  job.flags.push_back("--fdevice-syntax-only");
  job.flags.push_back("--fdevice-time-trace=" + path);
  runner.run({source_,
              compiler_name(name_),
              header_names_,
              header_sources_,
              job.all_flags(),
              {},
              target,
              concat("find the headers of ", name_),
              false});
}

// A message about a header that was not found ends with the remedy.
NvrtcResult CudaProgram::run(NvrtcRunner& runner, const NvrtcJob& job) const {
  try {
    return runner.run(job);
  } catch (const Error& error) {
    const std::string_view header = missing_header(error.log());
    if (error.status() != Status::COMPILATION || header.empty()) throw;
    throw Error(error.status(),
                error.message() + header_remedy(header, driver::toolkit_headers(), uses_toolkit_,
                                                driver::nvrtc().version),
                error.log(), error.origin());
  }
}

Ref<ObjectCode> CudaProgram::compile(CodeType target, const std::vector<std::string>& expressions,
                                     NvrtcRunner& runner) const {
  Job job = prepare(target, expressions);
  if (!has_seed_) job.flags.push_back("--frandom-seed=" + derived_seed(job));
  const NvrtcJob request{source_,
                         compiler_name(name_),
                         header_names_,
                         header_sources_,
                         job.all_flags(),
                         job.expressions,
                         target,
                         concat("compile ", name_, " for ", job.arch.text()),
                         true};
  const NvrtcResult result = run(runner, request);
  // Names and flags may name files, whose bytes need not be text.
  container::Code code =
      container::make_code(target, result.bytes, container::clean_text(name_), job.arch);
  add_parameter_classes(code, result.ptx);
  std::vector<std::string_view> texts(header_sources_.begin(), header_sources_.end());
  texts.emplace_back(source_);
  add_classes_of_sources(code.symbols, texts);
  complete_classes(code.symbols, request, job.arch, runner);
  std::vector<image::NamedExpression> names;
  for (size_t i = 0; i < job.expressions.size(); ++i)
    names.push_back({container::clean_text(job.expressions[i]), result.lowered_names[i]});
  code.symbols = image::merge_expressions(std::move(code.symbols), names);
  code.log = container::clean_text(result.log);
  const int version = driver::nvrtc().version;
  // Other images record it themselves; the choice of nvJitLink for this one depends on it.
  if (target == CodeType::LTOIR) code.toolkit = static_cast<uint16_t>(version / 100);
  set_producer(code, "NVRTC", concat(version / 1000, ".", version % 1000 / 10));
  code.metadata["options"] = container::clean_texts(job.flags);
  code.metadata["source_sha256"] = hex(sha256(source_));
  if (!job.expressions.empty())
    code.metadata["name_expressions"] = container::clean_texts(job.expressions);
  return make<ObjectCode>(std::move(code));
}

}  // namespace cucore::core
