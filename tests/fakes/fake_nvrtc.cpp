// SPDX-License-Identifier: Apache-2.0
// The fake NVRTC: it compiles nothing and returns PTX or machine code with the kernels of the
// source by name.
#include <nvrtc.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <thread>

#include "fakes/fake_calls.hpp"
#include "fakes/fake_source.hpp"

#ifndef FAKE_VERSION
#define FAKE_VERSION 13000
#endif

namespace fake {
namespace {

constexpr int ARCHITECTURES[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
constexpr const char* LTOIR_MAGIC = "\xed\x43\x4e\x7f";

struct Program {
  std::string source, name;
  std::vector<std::string> header_names, expressions;
  std::map<std::string, std::string> lowered_names;
  std::string log, ptx, cubin, ltoir;
  bool compiled = false;
};

struct Compiler {
  std::recursive_mutex mutex;
  int version = FAKE_VERSION;
  std::map<nvrtcProgram, std::unique_ptr<Program>> programs;
  uint64_t next = 0xa0000000;
  uint64_t created = 0, compiles = 0;
  std::vector<std::string> options, headers;
  std::string source;
};

Compiler& compiler() {
  static auto* compiler = new Compiler;
  return *compiler;
}

// Those from 100 on came with 12.8.
std::span<const int> architectures() {
  const std::span<const int> all(ARCHITECTURES);
  return compiler().version < 12080 ? all.first(7) : all;
}

std::unique_lock<std::recursive_mutex> locked() { return std::unique_lock(compiler().mutex); }

Program* find(nvrtcProgram handle, const char* use) {
  const auto found = compiler().programs.find(handle);
  if (found != compiler().programs.end()) return found->second.get();
  calls().violation(std::string(use) + " with a program that is not alive");
  return nullptr;
}

struct Target {
  int arch = 75;
  bool is_real = false, lto = false;
};

// "--gpu-architecture=sm_90a" or "-arch=compute_90".
bool read_arch(const std::string& option, Target& target) {
  const std::string value = option.substr(option.find('=') + 1);
  target.is_real = value.starts_with("sm_");
  const size_t digits = value.find('_');
  if (digits == std::string::npos) return false;
  target.arch = std::atoi(value.c_str() + digits + 1);
  return std::ranges::find(architectures(), target.arch) != architectures().end();
}

bool read_option(const std::string& option, Target& target, std::string& log) {
  if (option.starts_with("--gpu-architecture=") || option.starts_with("-arch=")) {
    if (read_arch(option, target)) return true;
    log = "nvrtc: error: invalid value for --gpu-architecture (-arch)\n";
    return false;
  }
  if (option == "--dlink-time-opt" || option == "-dlto") target.lto = true;
  if (option.find("no-such-option") == std::string::npos) return true;
  log = "nvrtc: error: unrecognized option " + option + " found\n";
  return false;
}

int line_of(const std::string& source, size_t at) {
  return 1 +
         static_cast<int>(std::count(source.begin(), source.begin() + static_cast<long>(at), '\n'));
}

std::string diagnostic(const Program& program, const std::string& directive, const char* severity) {
  const size_t at = program.source.find(directive);
  if (at == std::string::npos) return {};
  const size_t text = at + directive.size();
  return program.name + "(" + std::to_string(line_of(program.source, at)) + "): " + severity +
         ": " + directive +
         " directive:" + program.source.substr(text, program.source.find('\n', text) - text) + "\n";
}

const SourceKernel* kernel_of(const std::vector<SourceKernel>& kernels, std::string expression) {
  if (expression.starts_with("&")) expression.erase(0, 1);
  const std::string name = expression.substr(0, expression.find('<'));
  const auto found = std::ranges::find_if(
      kernels, [&](const SourceKernel& kernel) { return name.ends_with(kernel.name); });
  return found == kernels.end() ? nullptr : &*found;
}

bool make_kernels(Program& program, Image& image) {
  const std::vector<SourceKernel> kernels = find_kernels(program.source);
  for (const SourceKernel& kernel : kernels)
    if (!kernel.is_template)
      image.kernels.push_back(image_of(kernel, lowered(kernel, kernel.name)));
  for (const std::string& expression : program.expressions) {
    const SourceKernel* kernel = kernel_of(kernels, expression);
    if (!kernel) {
      program.log += program.name + "(1): error: name expression \"" + expression +
                     "\" names nothing\n\n1 error detected in the compilation.\n";
      return false;
    }
    const std::string name = lowered(*kernel, expression);
    program.lowered_names[expression] = name;
    const auto same = [&](const KernelImage& known) { return known.name == name; };
    if (std::ranges::none_of(image.kernels, same)) image.kernels.push_back(image_of(*kernel, name));
  }
  return true;
}

// Acts of a compiler on its process.
void misbehave(const Program& program) {
  if (program.source.find("#crash") != std::string::npos) std::abort();
  if (program.source.find("#hang") != std::string::npos)
    std::this_thread::sleep_for(std::chrono::seconds(60));
}

nvrtcResult compile(Program& program, const std::vector<std::string>& options) {
  misbehave(program);
  Target target;
  program.log.clear();
  for (const std::string& option : options)
    if (!read_option(option, target, program.log)) return NVRTC_ERROR_INVALID_OPTION;
  program.log = diagnostic(program, "#warning", "warning");
  const std::string error = diagnostic(program, "#error", "catastrophic error");
  if (!error.empty()) {
    program.log += error + "\n1 catastrophic error detected in the compilation.\n";
    return NVRTC_ERROR_COMPILATION;
  }
  Image image;
  if (!make_kernels(program, image)) return NVRTC_ERROR_COMPILATION;
  const bool marks = program.source.find("#two-compilers") != std::string::npos;
  program.ptx = write_ptx(image, target.arch, marks ? Marks::FROM_100 : Marks::NEVER);
  if (target.is_real) program.cubin = write_cubin(image, target.arch);
  if (target.lto) program.ltoir = LTOIR_MAGIC + program.ptx;
  program.compiled = true;
  return NVRTC_SUCCESS;
}

nvrtcResult give_size(nvrtcProgram handle, std::string Program::*field, bool text, size_t* size,
                      const char* use) {
  const auto lock = locked();
  Program* program = find(handle, use);
  if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
  if (!size) return NVRTC_ERROR_INVALID_INPUT;
  *size = (program->*field).size() + text;
  return NVRTC_SUCCESS;
}

nvrtcResult give(nvrtcProgram handle, std::string Program::*field, bool text, char* out,
                 const char* use) {
  const auto lock = locked();
  Program* program = find(handle, use);
  if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
  if (!out) return NVRTC_ERROR_INVALID_INPUT;
  std::memcpy(out, (program->*field).c_str(), (program->*field).size() + text);
  return NVRTC_SUCCESS;
}

}  // namespace

namespace api {

nvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = compiler().version / 1000;
  *minor = compiler().version % 1000 / 10;
  return NVRTC_SUCCESS;
}

const char* nvrtcGetErrorString(nvrtcResult) { return "as the fake compiler was told"; }

nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  *count = static_cast<int>(architectures().size());
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int* out) {
  std::ranges::copy(architectures(), out);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* out, const char* source, const char* name, int count,
                               const char* const* headers, const char* const* names) {
  const auto lock = locked();
  if (!out || !source || count < 0) return NVRTC_ERROR_INVALID_INPUT;
  auto program = std::make_unique<Program>();
  program->source = source;
  program->name = name && *name ? name : "default_program";
  for (int i = 0; i < count; ++i) {
    if (!headers[i] || !names[i]) return NVRTC_ERROR_INVALID_INPUT;
    program->header_names.emplace_back(names[i]);
  }
  *out = reinterpret_cast<nvrtcProgram>(compiler().next += 16);
  ++compiler().created;
  compiler().programs.emplace(*out, std::move(program));
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* handle) {
  const auto lock = locked();
  if (!find(*handle, "nvrtcDestroyProgram")) return NVRTC_ERROR_INVALID_PROGRAM;
  compiler().programs.erase(*handle);
  *handle = nullptr;
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram handle, const char* expression) {
  const auto lock = locked();
  Program* program = find(handle, "nvrtcAddNameExpression");
  if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
  if (program->compiled) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  program->expressions.emplace_back(expression);
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram handle, int count, const char* const* options) {
  const auto lock = locked();
  Program* program = find(handle, "nvrtcCompileProgram");
  if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
  Compiler& c = compiler();
  ++c.compiles;
  c.options.assign(options, options + count);
  c.headers = program->header_names;
  c.source = program->source;
  return compile(*program, c.options);
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram handle, const char* expression, const char** out) {
  const auto lock = locked();
  Program* program = find(handle, "nvrtcGetLoweredName");
  if (!program) return NVRTC_ERROR_INVALID_PROGRAM;
  if (!program->compiled) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  const auto found = program->lowered_names.find(expression);
  if (found == program->lowered_names.end()) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  *out = found->second.c_str();
  return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t* size) {
  return give_size(program, &Program::ptx, true, size, "nvrtcGetPTXSize");
}
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* out) {
  return give(program, &Program::ptx, true, out, "nvrtcGetPTX");
}
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* size) {
  return give_size(program, &Program::cubin, false, size, "nvrtcGetCUBINSize");
}
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* out) {
  return give(program, &Program::cubin, false, out, "nvrtcGetCUBIN");
}
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram program, size_t* size) {
  return give_size(program, &Program::ltoir, false, size, "nvrtcGetLTOIRSize");
}
nvrtcResult nvrtcGetLTOIR(nvrtcProgram program, char* out) {
  return give(program, &Program::ltoir, false, out, "nvrtcGetLTOIR");
}
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* size) {
  return give_size(program, &Program::log, true, size, "nvrtcGetProgramLogSize");
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* out) {
  return give(program, &Program::log, true, out, "nvrtcGetProgramLog");
}

nvrtcResult nvrtcGetPCHHeapSize(size_t* size) {
  *size = size_t{256} << 20;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcSetPCHHeapSize(size_t) { return NVRTC_SUCCESS; }
nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram) { return NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED; }
nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram, size_t* size) {
  *size = 0;
  return NVRTC_SUCCESS;
}
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram, int (*)(void*, void*), void*) {
  return NVRTC_SUCCESS;
}

}  // namespace api

namespace {

constexpr const char* NAMES[] = {
#define ENTRY(name, since, need) #name,
#include "driver/nvrtc_entry_points.inc"
#undef ENTRY
};

enum Index {
#define ENTRY(name, since, need) INDEX_##name,
#include "driver/nvrtc_entry_points.inc"
#undef ENTRY
};

constexpr Role role_of(int index) {
  return index == INDEX_nvrtcGetErrorString   ? Role::NAMING
         : index == INDEX_nvrtcDestroyProgram ? Role::RELEASE
                                              : Role::NORMAL;
}

}  // namespace
}  // namespace fake

// Each export passes through the common part of every fake.
#define FORWARD(name)                                                             \
  fake::Entry<fake::NAMES, fake::INDEX_##name, fake::role_of(fake::INDEX_##name), \
              &fake::api::name>::call

extern "C" {
#pragma GCC visibility push(default)
nvrtcResult nvrtcVersion(int* major, int* minor) { return FORWARD(nvrtcVersion)(major, minor); }
const char* nvrtcGetErrorString(nvrtcResult r) { return FORWARD(nvrtcGetErrorString)(r); }
nvrtcResult nvrtcGetNumSupportedArchs(int* n) { return FORWARD(nvrtcGetNumSupportedArchs)(n); }
nvrtcResult nvrtcGetSupportedArchs(int* out) { return FORWARD(nvrtcGetSupportedArchs)(out); }
nvrtcResult nvrtcCreateProgram(nvrtcProgram* out, const char* source, const char* name, int count,
                               const char* const* headers, const char* const* names) {
  return FORWARD(nvrtcCreateProgram)(out, source, name, count, headers, names);
}
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* p) { return FORWARD(nvrtcDestroyProgram)(p); }
nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char* expression) {
  return FORWARD(nvrtcAddNameExpression)(p, expression);
}
nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int count, const char* const* options) {
  return FORWARD(nvrtcCompileProgram)(p, count, options);
}
nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char* expression, const char** out) {
  return FORWARD(nvrtcGetLoweredName)(p, expression, out);
}
nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t* n) { return FORWARD(nvrtcGetPTXSize)(p, n); }
nvrtcResult nvrtcGetPTX(nvrtcProgram p, char* out) { return FORWARD(nvrtcGetPTX)(p, out); }
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t* n) {
  return FORWARD(nvrtcGetCUBINSize)(p, n);
}
#ifndef FAKE_INCOMPLETE  // a compiler without this is refused
nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char* out) { return FORWARD(nvrtcGetCUBIN)(p, out); }
#endif
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t* n) {
  return FORWARD(nvrtcGetProgramLogSize)(p, n);
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char* out) {
  return FORWARD(nvrtcGetProgramLog)(p, out);
}
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram p, size_t* n) {
  return FORWARD(nvrtcGetLTOIRSize)(p, n);
}
nvrtcResult nvrtcGetLTOIR(nvrtcProgram p, char* out) { return FORWARD(nvrtcGetLTOIR)(p, out); }
#if FAKE_VERSION >= 12080
nvrtcResult nvrtcGetPCHHeapSize(size_t* n) { return FORWARD(nvrtcGetPCHHeapSize)(n); }
nvrtcResult nvrtcSetPCHHeapSize(size_t n) { return FORWARD(nvrtcSetPCHHeapSize)(n); }
nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram p) { return FORWARD(nvrtcGetPCHCreateStatus)(p); }
nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram p, size_t* n) {
  return FORWARD(nvrtcGetPCHHeapSizeRequired)(p, n);
}
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram p, int (*callback)(void*, void*), void* payload) {
  return FORWARD(nvrtcSetFlowCallback)(p, callback, payload);
}
#endif
#pragma GCC visibility pop

void fake_reset(void) {
  fake::calls().reset();
  const auto lock = fake::locked();
  fake::compiler().version = FAKE_VERSION;
  fake::compiler().compiles = 0;
}
void fake_set_version(int32_t version) {
  const auto lock = fake::locked();
  fake::compiler().version = version;
}
uint64_t fake_live_objects(const char* kind) {
  const auto lock = fake::locked();
  return !kind || std::strcmp(kind, "program") == 0 ? fake::compiler().programs.size() : 0;
}
uint64_t fake_created_objects(const char*) {
  const auto lock = fake::locked();
  return fake::compiler().created;
}
uint64_t fake_compile_count(void) {
  const auto lock = fake::locked();
  return fake::compiler().compiles;
}
size_t fake_option_count(void) { return fake::compiler().options.size(); }
const char* fake_option_at(size_t index) { return fake::compiler().options.at(index).c_str(); }
const char* fake_last_source(void) { return fake::compiler().source.c_str(); }
size_t fake_header_count(void) { return fake::compiler().headers.size(); }
const char* fake_header_at(size_t index) { return fake::compiler().headers.at(index).c_str(); }
}
