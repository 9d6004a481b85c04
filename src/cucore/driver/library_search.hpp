// SPDX-License-Identifier: Apache-2.0
// Finds and opens a shared library in the documented order, and records every attempt, so that the
// error lists all places tried.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cucore::driver {

// The result of a search; the handle is never closed.
struct OpenedLibrary {
  void* handle = nullptr;
  std::string path;
  explicit operator bool() const noexcept { return handle != nullptr; }
};

class LibrarySearch {
 public:
  // Checks a library that was just opened: "" accepts it; otherwise the text is the reason, and the
  // search continues.
  using Validate = std::function<std::string(const OpenedLibrary& library)>;

  // `title` names the library: "NVRTC". A search throws IO if no file can be opened, because it
  // would find nothing and the message would blame the paths.
  LibrarySearch(std::string title, Validate validate)
      : title_(std::move(title)), validate_(std::move(validate)) {}

  // Opens a file by its path, or a bare name through the system's loader. The label names the
  // attempt in the message.
  OpenedLibrary open(const std::string& file, const std::string& label);
  OpenedLibrary open(const std::string& file) { return open(file, file); }

  // Opens the first of the names that the folder contains.
  OpenedLibrary open_in(const std::string& folder, std::span<const char* const> names,
                        const std::string& label);

  // Opens a file, or a folder that contains one of the names.
  OpenedLibrary open_at(const std::string& path, std::span<const char* const> names,
                        const std::string& label);

  // Opens it only if the process has already loaded it.
  OpenedLibrary open_loaded(const std::string& file);

  // Returns "libnvrtc.so.13 (no such file), /opt/cuda/lib64 (no such folder)".
  std::string tried() const;

 private:
  OpenedLibrary take(void* handle, const std::string& label);
  void record(const std::string& label, const std::string& why);

  const std::string title_;
  Validate validate_;
  std::vector<std::string> tried_;
};

// Returns a path without links; the path itself if the file does not exist.
std::string real_path(const char* path);

// Returns the real path of the file of an open library; "" if unknown.
std::string path_of_handle(void* handle);

bool is_folder(const std::string& path);

// Returns "/a/b" for "/a/b/c".
std::string folder_of(const std::string& path);
std::string_view file_name_of(std::string_view path);

// A library that the process has loaded.
struct LoadedLibrary {
  std::string name;  // as passed to the loader; relative to the folder at that time
  const void* code = nullptr;
  // As an absolute path; "" if it is not known.
  std::string folder() const;
};
std::vector<LoadedLibrary> loaded_libraries();

// The search for one of CUDA's toolkit libraries.
struct ToolkitLibrary {
  const char* title;                    // "NVRTC"
  const char* variable;                 // "CUCORE_NVRTC"
  const char* wheel;                    // its folder in NVIDIA's Python wheels for CUDA 12; or null
  std::span<const char* const> names;   // newest first; the last without a version
  std::span<const char* const> places;  // below a toolkit's root, "lib64"
  std::span<const char* const> folders = {};  // folders that the system's loader does not search
  const char* provider = "the CUDA toolkit";  // the package that installs it
  // Whether this library calls it: its output and its signal handlers are then kept from the
  // process.
  bool is_called = true;
};

// Searches in the documented order; throws LIBRARY_MISSING with every attempt. user_path is that of
// set_path(), or "".
OpenedLibrary find_toolkit_library(const ToolkitLibrary& library, const std::string& user_path,
                                   LibrarySearch::Validate validate);

}  // namespace cucore::driver
