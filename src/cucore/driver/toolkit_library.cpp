// SPDX-License-Identifier: Apache-2.0
// The search order of libraries. Libraries that the process already uses come first, so that it
// never uses two of them; the user's paths come before default ones.
#include <algorithm>

#include "driver/captured_output.hpp"
#include "driver/kept_open.hpp"
#include "driver/kept_signals.hpp"
#include "driver/library_search.hpp"
#include "driver/toolkit_table.hpp"
#include "support/environment.hpp"
#include "support/error.hpp"

namespace cucore::driver {
namespace {

#if defined(__aarch64__)
constexpr const char* TARGET = "/targets/sbsa-linux/lib";
#else
constexpr const char* TARGET = "/targets/x86_64-linux/lib";
#endif

// Libraries whose location shows the installation of CUDA that the process already uses.
constexpr const char* CUDA_LIBRARIES[] = {"libcudart.so",   "libnvrtc.so",  "libnvJitLink.so",
                                          "libnvvm.so",     "libcublas.so", "libcublasLt.so",
                                          "libcufft.so",    "libcurand.so", "libcusolver.so",
                                          "libcusparse.so", "libcupti.so"};

bool is_cuda_library(const std::string& path) {
  return std::ranges::any_of(CUDA_LIBRARIES, [name = file_name_of(path)](const char* stem) {
    return name.starts_with(stem);
  });
}

class ToolkitSearch {
 public:
  ToolkitSearch(const ToolkitLibrary& library, LibrarySearch::Validate validate)
      : library_(library), search_(library.title, std::move(validate)) {}

  OpenedLibrary run(const std::string& user_path) {
    if (auto found = already_loaded()) return found;
    if (auto found = in_environment()) return found;
    if (auto found = beside_loaded()) return found;
    if (auto found = in_system()) return found;
    if (!user_path.empty())
      if (auto found = search_.open_at(user_path, library_.names, user_path)) return found;
    if (auto found = in_toolkits()) return found;
    throw missing("set " + std::string(library_.variable) + " or install " + library_.provider);
  }

 private:
  OpenedLibrary already_loaded() {
    for (const LoadedLibrary& loaded : loaded_libraries())
      if (file_name_of(loaded.name).starts_with(library_.names.back()))
        if (auto found = search_.open_loaded(loaded.name)) return found;
    return {};
  }

  // A variable with a wrong value is reported as a mistake, and not ignored.
  OpenedLibrary in_environment() {
    const std::string path = environment(library_.variable);
    if (path.empty()) return {};
    const std::string label = "$" + std::string(library_.variable) + "=" + path;
    if (auto found = search_.open_at(path, library_.names, label)) return found;
    throw missing("correct or unset " + std::string(library_.variable));
  }

  OpenedLibrary beside_loaded() {
    std::vector<std::string> seen;
    for (const LoadedLibrary& loaded : loaded_libraries()) {
      if (!is_cuda_library(loaded.name)) continue;
      const std::string folder = loaded.folder();
      if (folder.empty() || std::ranges::find(seen, folder) != seen.end()) continue;
      seen.push_back(folder);
      if (auto found = search_.open_in(folder, library_.names, folder)) return found;
      if (!library_.wheel) continue;
      const std::string wheel = folder_of(folder_of(folder)) + "/" + library_.wheel + "/lib";
      if (is_folder(wheel))
        if (auto found = search_.open_in(wheel, library_.names, wheel)) return found;
    }
    return {};
  }

  OpenedLibrary in_system() {
    for (const char* name : library_.names)
      if (auto found = search_.open(name)) return found;
    for (const char* folder : library_.folders)
      if (auto found = search_.open_in(folder, library_.names, folder)) return found;
    return {};
  }

  OpenedLibrary in_toolkits() {
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
      const std::string root = environment(variable);
      if (root.empty()) continue;
      if (auto found = in_toolkit(root, "$" + std::string(variable) + "=" + root)) return found;
    }
    return in_toolkit("/usr/local/cuda", "/usr/local/cuda");
  }

  OpenedLibrary in_toolkit(const std::string& root, const std::string& label) {
    for (const char* place : library_.places) {
      const std::string below = "/" + std::string(place);
      if (auto found = search_.open_in(root + below, library_.names, label + below)) return found;
    }
    return search_.open_in(root + TARGET, library_.names, label + TARGET);
  }

  Error missing(const std::string& advice) const {
    return Error(Status::LIBRARY_MISSING, "cannot load " + std::string(library_.title) +
                                              ": tried " + search_.tried() + "; " + advice);
  }

  const ToolkitLibrary& library_;
  LibrarySearch search_;
};

}  // namespace

void tame(const OpenedLibrary& library) {
  replace_imports(library.handle, output_imports());
  replace_imports(library.handle, signal_imports());
  replace_imports(library.handle, unload_imports());
}

OpenedLibrary find_toolkit_library(const ToolkitLibrary& library, const std::string& user_path,
                                   LibrarySearch::Validate validate) {
  return ToolkitSearch(library, std::move(validate)).run(user_path);
}

}  // namespace cucore::driver
