// SPDX-License-Identifier: Apache-2.0
#include "driver/library_search.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <climits>
#include <cstdlib>

#include "support/descriptors.hpp"
#include "support/join.hpp"
#include "support/loaded_file.hpp"

namespace cucore::driver {
namespace {

bool exists(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0;
}

// The loader repeats the requested name; the rest is the reason. Another name is a missing
// dependency, and stays.
std::string why_not_opened(const std::string& file) {
  const char* text = dlerror();
  std::string why = text ? text : "the loader does not say why";
  const std::string prefix = file + ": ";
  if (why.starts_with(prefix)) why.erase(0, prefix.size());
  if (why == "cannot open shared object file: No such file or directory") return "no such file";
  return why;
}

int collect(dl_phdr_info* info, size_t, void* out) {
  if (!info->dlpi_name || !*info->dlpi_name) return 0;
  const void* code = nullptr;
  for (int i = 0; i < info->dlpi_phnum && !code; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD)
      code = reinterpret_cast<const void*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  static_cast<std::vector<LoadedLibrary>*>(out)->push_back({info->dlpi_name, code});
  return 0;
}

}  // namespace

OpenedLibrary LibrarySearch::take(void* handle, const std::string& label) {
  OpenedLibrary library{handle, path_of_handle(handle)};
  const std::string refusal = validate_(library);
  if (refusal.empty()) return library;
  record(label, refusal);
  return {};
}

OpenedLibrary LibrarySearch::open(const std::string& file, const std::string& label) {
  require_descriptors("load " + title_);
  dlerror();
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle) return take(handle, label);
  record(label, why_not_opened(file));
  return {};
}

OpenedLibrary LibrarySearch::open_in(const std::string& folder, std::span<const char* const> names,
                                     const std::string& label) {
  if (!is_folder(folder)) {
    record(label, "no such folder");
    return {};
  }
  bool found = false;
  for (const char* name : names) {
    const std::string file = folder + "/" + name;
    if (!exists(file)) continue;
    found = true;
    if (auto library = open(file, label == folder ? file : label + "/" + name)) return library;
  }
  if (!found) record(label, "has no " + join(names, ", "));
  return {};
}

OpenedLibrary LibrarySearch::open_at(const std::string& path, std::span<const char* const> names,
                                     const std::string& label) {
  return is_folder(path) ? open_in(path, names, label) : open(path, label);
}

OpenedLibrary LibrarySearch::open_loaded(const std::string& file) {
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (!handle) return {};
  return take(handle, file + ", already loaded");
}

void LibrarySearch::record(const std::string& label, const std::string& why) {
  tried_.push_back(label + " (" + why + ")");
}

std::string LibrarySearch::tried() const { return join(tried_, ", "); }

bool is_folder(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::string real_path(const char* path) {
  char resolved[PATH_MAX];
  return realpath(path, resolved) ? resolved : path;
}

std::string path_of_handle(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_name) return {};
  const std::string file = loaded_file(map->l_ld);
  return file.empty() ? real_path(map->l_name) : file;
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string_view file_name_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::vector<LoadedLibrary> loaded_libraries() {
  std::vector<LoadedLibrary> libraries;
  dl_iterate_phdr(&collect, &libraries);
  return libraries;
}

std::string LoadedLibrary::folder() const {
  if (name.starts_with('/')) return folder_of(name);
  const std::string file = loaded_file(code);
  return file.empty() ? "" : folder_of(file);
}

}  // namespace cucore::driver
