// SPDX-License-Identifier: Apache-2.0
#include "perf/model/cpu_device.hpp"

#include <dlfcn.h>

#include <cstring>
#include <vector>

#include "support/concat.hpp"
#include "support/environment.hpp"
#include "support/error.hpp"
#include "support/loaded_file.hpp"

namespace cucore::perf {
namespace {

constexpr const char* FILE_NAME = "libcucore-cpu.so";
constexpr unsigned char TABLE_ID[16] = {'c', 'u', 'c', 'o', 'r', 'e', '-', 'c',
                                        'p', 'u', '-', 'c', 't', 'l', '-', '1'};

// The files in the order of the search of libcucore.
std::vector<std::string> candidates() {
  const std::string named = environment("CUCORE_CPU");
  if (!named.empty()) return {named, concat(named, "/", FILE_NAME)};
  std::vector<std::string> files;
  const std::string own = own_folder();
  if (!own.empty()) files.push_back(concat(own, "/", FILE_NAME));
  files.emplace_back(FILE_NAME);
  return files;
}

void* open_library() {
  std::string tried;
  for (const std::string& file : candidates()) {
    if (void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    const char* const reason = dlerror();
    tried += concat(tried.empty() ? "" : "; ", reason ? reason : file);
  }
  throw Error(Status::LIBRARY_MISSING,
              concat("the model of a launch needs the CPU device, which cannot be loaded: ", tried,
                     "; set CUCORE_CPU to its file"));
}

template <class Function>
Function symbol(void* library, const char* name) {
  void* const address = dlsym(library, name);
  if (!address)
    throw Error(Status::LIBRARY_MISSING,
                concat("the library of the CPU device has no function ", name,
                       "; set CUCORE_CPU to the file of this version"));
  return reinterpret_cast<Function>(address);
}

const CpuControlTable& start() {
  void* const library = open_library();  // never closed, like its threads
  const void* found = nullptr;
  symbol<int (*)(const void**, const void*)>(library, "cuGetExportTable")(&found, TABLE_ID);
  const auto* const table = static_cast<const CpuControlTable*>(found);
  if (!table || table->size < sizeof(CpuControlTable))
    throw Error(Status::LIBRARY_MISSING,
                "the library of the CPU device cannot count launches; set CUCORE_CPU to the file "
                "of this version");
  const int result = symbol<int (*)(unsigned)>(library, "cuInit")(0);
  if (result != 0)
    throw Error(Status::CUDA, concat("the CPU device does not start: ", last_load_log(*table)), {},
                {"cuda", result, "cuInit"});
  return *table;
}

}  // namespace

const CpuControlTable& cpu_control_table() {
  static const CpuControlTable& table = start();
  return table;
}

std::string last_load_log(const CpuControlTable& table) {
  size_t length = 0;
  table.last_load_log(nullptr, 0, &length);
  std::string text(length + 1, '\0');
  table.last_load_log(text.data(), text.size(), &length);
  text.resize(std::strlen(text.c_str()));
  return text;
}

}  // namespace cucore::perf
