// SPDX-License-Identifier: Apache-2.0
#include "core/compile/nvvm_program.hpp"

#include <algorithm>

#include "container/text.hpp"
#include "core/compile/default_arch.hpp"
#include "core/compile/file.hpp"
#include "core/compile/flag_list.hpp"
#include "core/compile/link_job.hpp"
#include "core/compile/nvrtc_options.hpp"
#include "core/load/objectcode.hpp"
#include "driver/captured_output.hpp"
#include "driver/library_build.hpp"
#include "driver/nvvm.hpp"
#include "support/concat.hpp"
#include "support/sha256.hpp"

namespace cucore::core {

using container::Code;
using image::Arch;
using image::CodeType;

namespace {

constexpr std::string_view NVVM_OPTIONS[] = {
    "debug",    "lineinfo", "device_code_optimize", "ftz",           "prec_sqrt",
    "prec_div", "fma",      "use_libdevice",        "extra_sources", "flags"};

std::vector<std::string> nvvm_flags(FlagList& flags, const cucore_program_options& options) {
  flags.toggle("debug", options.debug, "-g", nullptr);
  flags.toggle("lineinfo", options.lineinfo, "-generate-line-info", nullptr);
  flags.toggle("device_code_optimize", options.device_code_optimize, "-opt=3", "-opt=0");
  flags.toggle("ftz", options.ftz, "-ftz=1", "-ftz=0");
  flags.toggle("prec_sqrt", options.prec_sqrt, "-prec-sqrt=1", "-prec-sqrt=0");
  flags.toggle("prec_div", options.prec_div, "-prec-div=1", "-prec-div=0");
  flags.toggle("fma", options.fma, "-fma=1", "-fma=0");
  flags.many("flags", options.flags, options.flag_count, "");
  return flags.take();
}

// One run of libNVVM: owns the nvvmProgram and converts its results to values and errors.
class NvvmRun {
 public:
  explicit NvvmRun(std::string what) : table_(driver::nvvm()), what_(std::move(what)) {
    driver::check(table_.nvvmCreateProgram(&program_), what_);
  }
  ~NvvmRun() { table_.nvvmDestroyProgram(&program_); }
  NvvmRun(const NvvmRun&) = delete;
  NvvmRun& operator=(const NvvmRun&) = delete;

  void add(std::string_view bytes, const std::string& name) {
    check(table_.nvvmAddModuleToProgram(program_, bytes.data(), bytes.size(), name.c_str()));
  }
  // Only the used parts go into the result.
  void add_lazily(std::string_view bytes, const std::string& name) {
    check(table_.nvvmLazyAddModuleToProgram(program_, bytes.data(), bytes.size(), name.c_str()));
  }
  image::Bytes compile(const std::vector<std::string>& flags) {
    std::vector<const char*> arguments;
    for (const std::string& flag : flags) arguments.push_back(flag.c_str());
    const auto count = static_cast<int>(arguments.size());
    check(table_.nvvmVerifyProgram(program_, count, arguments.data()));
    check(table_.nvvmCompileProgram(program_, count, arguments.data()));
    size_t size = 0;
    check(table_.nvvmGetCompiledResultSize(program_, &size));
    image::Bytes bytes(size);
    check(table_.nvvmGetCompiledResult(program_, reinterpret_cast<char*>(bytes.data())));
    return bytes;
  }
  std::string log() const {
    size_t size = 0;
    const std::string printed = output_.text();
    if (table_.nvvmGetProgramLogSize(program_, &size) != NVVM_SUCCESS || size <= 1) return printed;
    std::string log(size, '\0');
    if (table_.nvvmGetProgramLog(program_, log.data()) != NVVM_SUCCESS) return printed;
    log.resize(std::min(size, log.find('\0')));
    return log + printed;
  }

 private:
  void check(nvvmResult result) const {
    if (result == NVVM_SUCCESS) return;
    const std::string whole = log();
    driver::check(result, with_first_error(what_, whole), whole);
  }

  const driver::NvvmTable& table_;
  const driver::CapturedOutput output_;
  const std::string what_;
  nvvmProgram program_ = nullptr;
};

Arch compile_arch(const std::string& given) {
  Arch arch = given.empty() ? default_arch(CodeType::PTX) : *Arch::parse(given);
  arch.is_virtual = true;  // libNVVM makes PTX, and supports only virtual architectures
  return arch;
}

}  // namespace

NvvmProgram::NvvmProgram(std::string source, const cucore_program_options& options)
    : name_(program_name(options)), arch_(options.arch ? options.arch : "") {
  require_only(options, NVVM_OPTIONS, "NVVM IR");
  FlagList flags("cucore_program_options");
  if (source.empty()) throw Error(Status::INVALID_ARGUMENT, "the NVVM IR is empty");
  flags.toggle("use_libdevice", options.use_libdevice, nullptr, nullptr);
  use_libdevice_ = options.use_libdevice == CUCORE_TOGGLE_ON;
  modules_.push_back({name_, std::move(source)});
  const size_t count = options.extra_source_count;
  const auto names = flags.copy(options.extra_source_names, count, "extra_source_names");
  if (count && (!options.extra_sources || !options.extra_source_sizes))
    flags.fail(options.extra_sources ? "extra_source_sizes" : "extra_sources",
               concat("is NULL but the count is ", count));
  for (size_t i = 0; i < count; ++i) {
    if (!options.extra_sources[i] || options.extra_source_sizes[i] == 0)
      flags.fail("extra_sources", concat("is empty at index ", i, " (\"", names[i], "\")"));
    modules_.push_back(
        {names[i],
         {static_cast<const char*>(options.extra_sources[i]), options.extra_source_sizes[i]}});
  }
  flags_ = nvvm_flags(flags, options);
}

std::vector<std::string> NvvmProgram::command_line(CodeType target, const Arch& arch) const {
  std::vector<std::string> flags{"-arch=" + arch.text()};
  if (target == CodeType::LTOIR) flags.emplace_back("-gen-lto");
  flags.insert(flags.end(), flags_.begin(), flags_.end());
  return flags;
}

Arch NvvmProgram::arch_for(CodeType) const { return compile_arch(arch_); }

namespace {

void require_nvvm_target(CodeType target, const std::vector<std::string>& expressions) {
  require_no_expressions(expressions, "NVVM IR");
  if (target != CodeType::PTX && target != CodeType::LTOIR)
    throw Error(Status::INVALID_ARGUMENT,
                concat("a program in NVVM IR compiles to PTX or LTOIR, not to ",
                       image::code_type_name(target)));
}

}  // namespace

container::BuildInputs NvvmProgram::make_inputs(CodeType target,
                                                const std::vector<std::string>& expressions,
                                                KeyScope) const {
  using container::key_field;
  using container::KeyTag;
  require_nvvm_target(target, expressions);
  container::BuildInputs out;
  out.target = target;
  out.arch = arch_for(target);
  out.label = name_;
  const auto& nvvm = driver::nvvm();
  out.fields = {
      key_field(KeyTag::PRODUCER, "libNVVM"),
      key_field(KeyTag::BUILD, concat(nvvm.version, " ", driver::library_build(nvvm.nvvmVersion))),
      key_field(KeyTag::TARGET, image::code_type_name(target)),
      key_field(KeyTag::ARCH, out.arch.text()), key_field(KeyTag::NAME, name_)};
  for (const Module& module : modules_)
    out.fields.push_back(
        key_field(KeyTag::MODULE, concat(module.name, "\n", hex(sha256(module.bytes)))));
  for (const std::string& flag : command_line(target, out.arch))
    out.fields.push_back(key_field(KeyTag::OPTION, flag));
  if (use_libdevice_)
    out.fields.push_back(key_field(
        KeyTag::MODULE, concat("libdevice\n", hex(sha256(read_file(driver::libdevice_path()))))));
  return out;
}

Ref<ObjectCode> NvvmProgram::compile(CodeType target, const std::vector<std::string>& expressions,
                                     NvrtcRunner&) const {
  require_nvvm_target(target, expressions);
  const Arch arch = compile_arch(arch_);
  const std::vector<std::string> flags = command_line(target, arch);
  NvvmRun run(concat("compile ", name_, " for ", arch.text()));
  for (const Module& module : modules_) run.add(module.bytes, module.name);
  std::vector<std::byte> libdevice;
  if (use_libdevice_) {
    libdevice = read_file(driver::libdevice_path());
    run.add_lazily({reinterpret_cast<const char*>(libdevice.data()), libdevice.size()},
                   "libdevice");
  }
  const image::Bytes bytes = run.compile(flags);
  Code code = container::make_code(target, bytes, container::clean_text(name_), arch);
  code.log = container::clean_text(run.log());
  const auto& nvvm = driver::nvvm();
  code.metadata["producer"] = std::string("libNVVM");
  // libNVVM's own number, which is not a toolkit's: a linker must not compare it.
  code.metadata["nvvm_version"] = concat(nvvm.version / 1000, ".", nvvm.version % 1000 / 10);
  code.metadata["options"] = container::clean_texts(flags);
  Sha256 hash;
  for (const Module& module : modules_)
    hash.update(concat(module.bytes.size(), ":")).update(module.bytes);
  code.metadata["source_sha256"] = hex(hash.finish());
  return make<ObjectCode>(std::move(code));
}

}  // namespace cucore::core
