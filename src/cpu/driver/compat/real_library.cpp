// SPDX-License-Identifier: Apache-2.0
// The search leaves out the libraries of this folder, which have the same names.
#include "cpu/driver/compat/real_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <memory>
#include <string>
#include <vector>

#include "support/environment.hpp"

// Marks the libraries of this folder.
extern "C" __attribute__((visibility("default"))) const int cucore_compat_library;
extern "C" const int cucore_compat_library = 1;

namespace cucore::compat {
namespace {

// The folders that the loader searches, LD_LIBRARY_PATH first.
void add_folders_of_loader(std::vector<std::string>& folders) {
  void* self = dlopen(nullptr, RTLD_LAZY);
  if (!self) return;
  Dl_serinfo sizes{};
  if (dlinfo(self, RTLD_DI_SERINFOSIZE, &sizes) == 0) {
    const auto bytes = std::make_unique<char[]>(sizes.dls_size);
    auto* info = reinterpret_cast<Dl_serinfo*>(bytes.get());
    *info = sizes;
    if (dlinfo(self, RTLD_DI_SERINFO, info) == 0)
      for (unsigned i = 0; i < info->dls_cnt; ++i)
        folders.emplace_back(info->dls_serpath[i].dls_name);
  }
  dlclose(self);
}

void add_toolkit(std::vector<std::string>& folders, const std::string& root) {
  if (root.empty()) return;
  folders.push_back(root + "/lib64");
  folders.push_back(root + "/lib");
}

void* open_real(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle || !dlsym(handle, "cucore_compat_library")) return handle;
  dlclose(handle);
  return nullptr;
}

// The variable names a file or a folder; a wrong value is not replaced by another library.
void* open_chosen(const std::string& chosen, const Wanted& wanted) {
  void* handle = open_real(chosen + "/" + wanted.file);
  if (!handle) handle = open_real(chosen + "/" + wanted.linker_name);
  return handle ? handle : open_real(chosen);
}

void* search(const Wanted& wanted) {
  const std::string chosen = environment(wanted.variable);
  if (!chosen.empty()) return open_chosen(chosen, wanted);
  std::vector<std::string> folders;
  add_folders_of_loader(folders);
  add_toolkit(folders, environment("CUDA_HOME"));
  add_toolkit(folders, environment("CUDA_PATH"));
  add_toolkit(folders, "/usr/local/cuda");
  for (const std::string& folder : folders)
    if (void* handle = open_real(folder + "/" + wanted.file)) return handle;
  // The loader's cache has other folders; it would return this library for its own name.
  return open_real(wanted.linker_name);
}

}  // namespace

// Threads that search at once open the same library.
void* RealLibrary::handle() {
  void* known = handle_.load(std::memory_order_acquire);
  if (known) return known;
  void* found = search(wanted_);
  if (found) handle_.store(found, std::memory_order_release);
  return found;
}

void* RealLibrary::function(const char* name) {
  void* library = handle();
  return library ? dlsym(library, name) : nullptr;
}

}  // namespace cucore::compat
