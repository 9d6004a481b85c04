// SPDX-License-Identifier: Apache-2.0
// NVRTC through dlopen: tests that need real compiler output skip themselves without it.
#include "nvrtc.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

namespace cucore::cpu::test {
namespace {

using Program = void*;
using CreateProgram = int (*)(Program*, const char*, const char*, int, const char* const*,
                              const char* const*);
using CompileProgram = int (*)(Program, int, const char* const*);
using GetSize = int (*)(Program, size_t*);
using GetText = int (*)(Program, char*);
using DestroyProgram = int (*)(Program*);

void* open_first(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}

template <typename Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

std::string bytes_of(void* library, Program program, const char* size_name, const char* get_name) {
  size_t size = 0;
  symbol<GetSize>(library, size_name)(program, &size);
  std::string bytes(size, '\0');
  if (size != 0) symbol<GetText>(library, get_name)(program, bytes.data());
  return bytes;
}

std::string text_of(void* library, Program program, const char* size_name, const char* get_name) {
  std::string text = bytes_of(library, program, size_name, get_name);
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

}  // namespace

std::optional<Nvrtc> Nvrtc::open() {
  Nvrtc opened;
  std::vector<std::string> names;
  if (const char* root = std::getenv("CUCORE_TEST_CUDA")) {
    opened.root_ = root;
    names.push_back(opened.root_ + "/lib64/libnvrtc.so");
    names.push_back(opened.root_ + "/lib/libnvrtc.so.13");
  }
  names.insert(names.end(), {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"});
  opened.library_ = open_first(names);
  return opened.library_ == nullptr ? std::nullopt : std::optional(opened);
}

std::string Nvrtc::compile(const std::string& source, const std::string& name,
                           const std::vector<std::string>& options, std::string& error) const {
  std::vector<std::string> all = options;
  if (!root_.empty()) {
    all.push_back("-I" + root_ + "/include");
    all.push_back("-I" + root_ + "/include/cccl");
  }
  std::vector<const char*> arguments;
  for (const std::string& option : all) arguments.push_back(option.c_str());
  Program program = nullptr;
  symbol<CreateProgram>(library_, "nvrtcCreateProgram")(&program, source.c_str(), name.c_str(), 0,
                                                        nullptr, nullptr);
  int failed = symbol<CompileProgram>(library_, "nvrtcCompileProgram")(
      program, static_cast<int>(arguments.size()), arguments.data());
  const bool is_code = std::any_of(options.begin(), options.end(), [](const std::string& option) {
    return option.starts_with("-arch=sm_");
  });
  std::string ptx;
  if (failed != 0)
    error = text_of(library_, program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog");
  else if (is_code)
    ptx = bytes_of(library_, program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN");
  else
    ptx = text_of(library_, program, "nvrtcGetPTXSize", "nvrtcGetPTX");
  symbol<DestroyProgram>(library_, "nvrtcDestroyProgram")(&program);
  return ptx;
}

}  // namespace cucore::cpu::test
